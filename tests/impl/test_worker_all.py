"""Workers that take up whatever there is: everything that a run can do, through real processes, from end to end."""

from collections.abc import Iterator

import psycopg
import pytest

from keepfact.impl.digests import digest_of
from keepfact.impl.installation import Installation
from keepfact.impl.outcomes import Done
from keepfact.impl.server import Server
from keepfact.impl.store import Store

from .driving import Driver, wait_until
from .outside_world import OutsideWorld, cut, outside_world
from .staff import Staff, staff

MODEL, TOOL = "/v1/chat/completions", "/tools/pay"
ENDS = ("succeeded", "failed", "cancelled", "interrupted", "unknown")


@pytest.fixture(scope="module")
def own(server: Server) -> Iterator[Installation]:
    """An installation whose clock goes on, and whose workers find nobody else's runs."""
    with Installation.create(server.dsn) as created:
        yield created


@pytest.fixture(scope="module")
def admin(own: Installation) -> Iterator[psycopg.Connection]:
    with own.admin_connection() as connection:
        connection.execute("update keepfact.settings set lease_seconds = 2")
        yield connection


@pytest.fixture(scope="module")
def store(own: Installation) -> Iterator[Store]:
    opened = Store(own.dsns)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def world() -> Iterator[OutsideWorld]:
    with outside_world() as opened:
        yield opened


@pytest.fixture(scope="module", autouse=True)
def at_work(own: Installation, admin: psycopg.Connection, world: OutsideWorld) -> Iterator[Staff]:
    with staff(own, world.url) as hired:
        hired.worker()
        hired.recovery()
        yield hired


@pytest.fixture(autouse=True)
def _answers_as_usual(world: OutsideWorld) -> Iterator[None]:
    usual = dict(world.answers)
    yield
    world.answers.clear()
    world.answers.update(usual)


def _asked(run: Driver, given: str, **fields: object) -> Driver:
    assert run.do("submit", **{"contract": "resume", "budget_cents": 400, "input": given, **fields}) == Done()
    return run


def _stands(run: Driver, *states: str) -> Driver:
    wait_until(lambda: run.view["state"] in states)
    return run


def _ended(run: Driver) -> str:
    state: str = _stands(run, *ENDS).view["state"]
    return state


@pytest.mark.parametrize("errand", ["plain", "timer", "branch"])
def test_an_errand_comes_to_its_end(run: Driver, errand: str) -> None:
    assert _ended(_asked(run, errand)) == "succeeded"
    assert run.view["delivered"] == {"version": 2, "partial": False}


def test_a_run_waits_for_all_its_callbacks_without_a_worker(run: Driver) -> None:
    _stands(_asked(run, "callback"), "waiting_external")
    assert (run.view["worker"], run.view["lease_left_seconds"]) == (None, None)
    for number in (2, 1):
        assert run.do("deliver", wait="calls", kind="callback", number=number, digest="news") == Done()
    assert _ended(run) == "succeeded"
    assert run.events.count("granted") == 2


@pytest.mark.parametrize(("approved", "end", "sent"), [(True, "succeeded", 1), (False, "failed", 0)])
def test_an_operation_is_sent_if_a_person_approves_what_was_shown(
    run: Driver, world: OutsideWorld, approved: bool, end: str, sent: int
) -> None:
    _stands(_asked(run, "approval"), "waiting_approval")
    shown = run.view["waits"][0]
    assert shown["checkpoint"]["digest"] == digest_of({"tool": "pay", "arguments": {"amount": 1}})
    assert run.do("decide", wait=shown["wait"], approved=approved, digest=shown["checkpoint"]["digest"]) == Done()
    assert _ended(run) == end
    assert [request.headers["Idempotency-Key"] for request in world.requests].count(run.id_of("operation:1")) == sent


def test_a_parent_goes_on_when_its_child_has_ended(run: Driver) -> None:
    assert _ended(_asked(run, "child")) == "succeeded"
    child = Driver(run.store, run.admin, f"{run.run}:child")
    assert child.view["state"] == "succeeded"
    assert run.view["children"] == [{"spawn": "child", "child": child.run}]


def test_what_one_run_saved_another_reads(run: Driver) -> None:
    assert _ended(_asked(run, "finding")) == "succeeded"
    run.store.perform("grant", command_id=f"grant {run.run}".replace(" ", "-"), source="archive", user_="ada")
    after = Driver(run.store, run.admin)
    assert after.do(
        "continue", source=run.run, user_="ada", contract="resume", budget_cents=400, input="reader"
    ) == Done()  # fmt: skip
    assert _ended(after) == "succeeded"
    assert [one["reads"] for one in after.view["inherited"]] == [1]


def test_a_run_that_is_cancelled_while_a_request_is_outside_says_what_became_of_it(
    run: Driver, world: OutsideWorld
) -> None:
    held = world.held(TOOL)
    _asked(run, "plain")
    held.wait_until_reached()
    assert run.do("cancel") == Done()
    held.let_go()
    assert _ended(run) == "cancelled"
    assert run.call("operation:1")["state"] == "confirmed"


def test_a_waiting_run_that_is_cancelled_ends_without_a_worker(run: Driver) -> None:
    _stands(_asked(run, "callback"), "waiting_external")
    assert run.do("cancel") == Done()
    assert _ended(run) == "cancelled"


@pytest.mark.parametrize(("errand", "said"), [
    ("raising", "ZeroDivisionError: the program is wrong"),
    ("unspeakable", "ValueError: "),
])  # fmt: skip
def test_a_program_that_is_wrong_fails_its_run_and_not_its_worker(run: Driver, errand: str, said: str) -> None:
    assert _ended(_asked(run, errand)) == "failed"
    assert run.view["error"].startswith(said)
    assert _ended(_asked(Driver(run.store, run.admin), "plain")) == "succeeded"


@pytest.mark.parametrize("answer", [cut, (200, {"result": 1, "cost_cents": 1})])
def test_a_program_that_would_send_an_operation_twice_is_not_let(
    run: Driver, world: OutsideWorld, answer: object
) -> None:
    world.answers[TOOL] = answer
    assert _ended(_asked(run, "stubborn")) in ("failed", "unknown")
    assert "must not be sent again" in run.view["error"]
    assert [request.headers.get("Idempotency-Key") for request in world.requests].count(run.id_of("operation:1")) == 1
