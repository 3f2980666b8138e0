"""The history as the store keeps it: numbered, chained, complete, and announced in the write-ahead log."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from keepfact.conformance.systems.postgres.views import run_view
from keepfact.impl.outcomes import Done
from keepfact.spec.chain import event_digest

from .driving import Driver, fresh


def _eventful(run: Driver) -> Driver:
    """Every type of event that there is."""
    run.claimed()
    run.do("release")
    run.do("claim", worker="w")
    run.fence = 2
    run.with_call("a").with_call("b")
    run.do("record_answer", call="a", answer="yes", cost_cents=1)
    run.do("publish", body="b", qualified=True)
    run.lapsed().do("recover")
    run.do("reconcile", call="b", evidence="confirmed", cost_cents=2)
    return run


def test_the_digests_are_those_of_the_specification(run: Driver) -> None:
    history = run_view(_eventful(run).view, {}).history
    assert {event.type.value for event in history} == {
        "admitted", "granted", "released", "intended", "answered", "lost", "published", "reconciled", "sealed", "ended",
    }  # fmt: skip
    assert [event.number for event in history] == list(range(1, len(history) + 1))
    assert [event.previous_digest for event in history] == [None, *(event.digest for event in history[:-1])]
    assert [event.digest for event in history] == [event_digest(event) for event in history]


def test_the_payload_digest_is_that_of_the_stored_payload(run: Driver, admin: psycopg.Connection) -> None:
    _eventful(run)
    wrong = admin.execute(
        "select count(*), count(*) filter (where payload_digest <> encode(sha256(payload::text::bytea), 'hex')) "
        "from keepfact.events where run = %s", [run.run]
    ).fetchone()  # fmt: skip
    assert wrong == (len(run.events), 0)


def test_worker_events_carry_the_fence_and_those_of_submit_and_reconcile_none(run: Driver) -> None:
    fences = {(event["entry_point"], event["fence"]) for event in _eventful(run).view["history"]}
    assert fences == {("submit", None), ("work", 1), ("work", 2), ("recover", 2), ("reconcile", None)}


def test_each_payload_says_the_time_of_the_store(run: Driver, admin: psycopg.Connection) -> None:
    run.submitted()
    now = admin.execute("select to_jsonb(keepfact.store_now())").fetchone()
    assert (run.view["history"][0]["payload"]["at"],) == now


def test_numbers_have_no_gap_however_many_write_at_once(run: Driver) -> None:
    run.claimed()
    with ThreadPoolExecutor(8) as threads:
        outcomes = list(threads.map(lambda n: run.do("publish", body=str(n), qualified=False), range(40)))
    assert outcomes == [Done()] * 40
    history = run_view(run.view, {}).history
    assert [event.number for event in history] == list(range(1, 43))
    assert all(event.digest == event_digest(event) for event in history)
    assert sorted(published["version"] for published in run.view["publications"]) == list(range(1, 41))


def test_the_write_ahead_log_says_which_entry_point_wrote(run: Driver, admin: psycopg.Connection) -> None:
    if admin.execute("show wal_level").fetchone() != ("logical",):
        pytest.skip("the server given keeps no logical write-ahead log")
    slot = fresh("slot").replace("-", "_")
    admin.execute("select pg_create_logical_replication_slot(%s, 'test_decoding')", [slot])
    try:
        run.claimed()
        run.do("succeed", fence=0)
        before = _changes(admin, slot)
        run.store.observe([run.run])
        run.do("release", fence=0)
        run.do("claim", worker="other")
        assert _changes(admin, slot) == []  # neither a reading nor a refusal writes anything
    finally:
        admin.execute("select pg_drop_replication_slot(%s)", [slot])
    assert [change for change in before if change.startswith("message")] == [
        f"message: transactional: 1 prefix: keepfact, sz: {len(said)} content:{said}"
        for said in ("submit:submit", "work:claim")
    ]
    assert any(change.startswith("table keepfact.events: INSERT") for change in before)


def _changes(admin: psycopg.Connection, slot: str) -> list[str]:
    """What was written since the last look, but for the marks of begin and commit."""
    rows = admin.execute("select data from pg_logical_slot_get_changes(%s, null, null)", [slot])
    return [data for (data,) in rows if not data.startswith(("BEGIN", "COMMIT"))]
