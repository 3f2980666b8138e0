"""What the store says when a connection breaks, and when a value cannot be stored."""

import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from keepfact.impl.connect import with_parts
from keepfact.impl.errors import ServerUnavailableError
from keepfact.impl.installation import Installation
from keepfact.impl.outcomes import Done, Lost, Refused
from keepfact.impl.prepared import Value
from keepfact.impl.store import ConnectionLostError, Store
from keepfact.impl.texts import TEXT_MAX

from .driving import Driver, fresh


@pytest.fixture
def fragile(installation: Installation, admin: psycopg.Connection) -> Iterator[Driver]:
    """A run driven over connections of its own, which may be cut."""
    named = {entry_point: with_parts(dsn, application_name="fragile") for entry_point, dsn in installation.dsns.items()}
    own = Store(named)
    yield Driver(own, admin)
    own.close()


def test_a_cut_connection_is_lost_and_the_next_try_tells(fragile: Driver, admin: psycopg.Connection) -> None:
    fragile.claimed()
    command_id = fresh("cut")
    _cut(admin)
    for outcome in (Lost(), Done(), Done()):
        assert fragile.do("publish", body="b", qualified=True, command_id=command_id) == outcome
    assert [published["body"] for published in fragile.view["publications"]] == ["b"]


def test_when_all_connections_are_cut_one_command_is_lost_and_not_one_for_each(
    fragile: Driver, admin: psycopg.Connection
) -> None:
    fragile.claimed()
    with ThreadPoolExecutor(4) as threads:  # so many that the pool holds several connections
        start = threading.Barrier(4)
        list(threads.map(lambda n: (start.wait(), fragile.do("publish", body=str(n), qualified=True)), range(4)))
    _cut(admin)
    assert fragile.do("renew") == Lost()
    assert [fragile.do("renew") for _ in range(4)] == [Done()] * 4


def test_whenever_a_connection_is_cut_while_it_is_opened_it_is_lost(installation: Installation) -> None:
    cut = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cut at once'"
    lost, over = 0, threading.Event()

    def cut_all() -> None:
        with installation.admin_connection() as admin:
            while not over.is_set():
                admin.execute(cut)

    cutting = threading.Thread(target=cut_all)
    cutting.start()
    try:
        while lost < 300:
            store = Store({"observe": f"{installation.dsns['observe']} application_name='cut at once'"})
            with contextlib.closing(store):
                try:
                    assert store.observe(["nobody"]) == []
                except ConnectionLostError:
                    lost += 1
    finally:
        over.set()
        cutting.join()


def test_a_reading_over_a_cut_connection_says_so(fragile: Driver, admin: psycopg.Connection) -> None:
    fragile.submitted()
    assert fragile.events == ["admitted"]
    _cut(admin)
    with pytest.raises(ConnectionLostError):
        fragile.store.observe([fragile.run])
    assert fragile.events == ["admitted"]


def test_a_store_that_cannot_be_reached_loses_and_a_check_says_why(installation: Installation) -> None:
    nowhere = Store({"work": with_parts(installation.dsns["work"], host="127.0.0.1", port="1")})
    assert nowhere.perform("renew", command_id="c", run="r", fence=1) == Lost()
    with pytest.raises(ServerUnavailableError):
        nowhere.check()
    nowhere.close()


@pytest.mark.parametrize(("command", "fields"), [
    ("publish", {"command_id": "", "body": "b", "qualified": True}),
    ("publish", {"command_id": "two\nlines", "body": "b", "qualified": True}),
    ("publish", {"command_id": "c" * 201, "body": "b", "qualified": True}),
    ("intend", {"call": "a", "ceiling_cents": 2**63}),
    ("intend", {"call": "a", "ceiling_cents": 10**30}),
    ("intend", {"call": "two\nlines"}),
    ("intend", {"call": ""}),
    ("intend", {"call": "nön-ascii"}),
    ("renew", {"fence": 2**63}),
])  # fmt: skip
def test_what_cannot_be_stored_is_definitely_refused(run: Driver, command: str, fields: dict[str, Value]) -> None:
    run.claimed()
    before = run.view
    assert run.do(command, **fields) == Refused("malformed")
    assert run.view == before


@pytest.mark.parametrize(
    "text", ["a NUL \0", "a lone surrogate \ud800", "x" * (TEXT_MAX + 1)], ids=lambda text: text[:9]
)
def test_a_text_from_outside_that_cannot_be_stored_is_refused_as_that(run: Driver, text: str) -> None:
    run.claimed().with_call()
    before = run.view
    assert run.do("publish", body=text, qualified=True) == Refused("unstorable")
    assert run.do("record_answer", call="a", answer=text, cost_cents=1) == Refused("unstorable")
    assert run.view == before


def test_a_run_needs_an_id_that_can_go_into_headers_and_digests(run: Driver) -> None:
    run.run = "two\nlines"
    assert run.do("submit", contract="settle", budget_cents=1) == Refused("malformed")


@pytest.mark.parametrize(
    "body", ["", "'; drop schema keepfact; --", "%s %(x)s \\ {} $$", "𝔘nicode ☃\r\n\t", "x" * 1_001, "☃" * TEXT_MAX]
)
def test_any_other_text_comes_back_as_it_was(run: Driver, body: str) -> None:
    run.claimed().do("publish", body=body, qualified=False)
    assert run.view["publications"][0]["body"] == body
    assert run.view["history"][-1]["payload"]["body"] == body


def test_runs_are_shown_in_the_order_asked_without_those_that_are_not_there(run: Driver) -> None:
    run.submitted()
    other = Driver(run.store, run.admin).submitted()
    shown = run.store.observe([other.run, "nowhere", "", "a NUL \0", "\ud800", run.run])
    assert [view["run"] for view in shown] == [other.run, run.run]


def test_payloads_are_shown_only_when_asked_for(run: Driver) -> None:
    run.submitted()
    assert run.store.observe([run.run])[0]["history"][0]["payload"] is None
    assert run.view["history"][0]["payload"]["budget_cents"] == 100


def test_a_command_with_the_wrong_fields_is_our_own_mistake(run: Driver) -> None:
    with pytest.raises(TypeError, match="renew takes command_id, run, fence, but was given command_id, run, worker"):
        run.store.perform("renew", command_id="c", run="r", worker="w")


def _cut(admin: psycopg.Connection) -> None:
    """End the sessions of the fragile run's store."""
    ended = admin.execute(
        "select pg_terminate_backend(pid, 10000) from pg_stat_activity "
        "where datname = current_database() and application_name = 'fragile'"
    ).fetchall()
    assert set(ended) == {(True,)}
