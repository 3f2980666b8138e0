"""A worker's time with a run under faults, in this process: its store loses answers, it is told to stop, it dies."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

from keepfact.impl.installation import Installation
from keepfact.impl.outcomes import Done, Lost, Outcome
from keepfact.impl.outside import Outside
from keepfact.impl.programs import steady
from keepfact.impl.programs.decisions import FIRST_BUNDLE, Decision, Progress, WaitFor
from keepfact.impl.recovery import settle
from keepfact.impl.release import Bundle, Program, Release
from keepfact.impl.seams import Seams
from keepfact.impl.server import Server
from keepfact.impl.store import Store
from keepfact.impl.worker import Worker

from .driving import Driver
from .faulty import DyingError, Forgetful, Unheard, Watched
from .outside_world import PLAN, RECEIPT, OutsideWorld, cut, outside_world
from .staff import DOORS

MODEL, TOOL = "/v1/chat/completions", "/tools/pay"


@pytest.fixture(scope="module")
def own(server: Server) -> Iterator[Installation]:
    """An installation whose workers find nobody else's runs."""
    with Installation.create(server.dsn) as created:
        yield created


@pytest.fixture(scope="module")
def admin(own: Installation) -> Iterator[psycopg.Connection]:
    with own.admin_connection() as connection:
        connection.execute("update keepfact.settings set frozen_at = clock_timestamp()")
        yield connection


@pytest.fixture(scope="module")
def store(own: Installation) -> Iterator[Store]:
    opened = Store(own.dsns)
    yield opened
    opened.close()


@pytest.fixture
def world() -> Iterator[OutsideWorld]:
    with outside_world() as opened:
        yield opened


Hire = Callable[..., Worker]


@pytest.fixture
def hire(store: Store, world: OutsideWorld) -> Iterator[Hire]:
    """Workers with every door, and the steady program unless another is given."""
    client = Outside(world.url, world.url, 10)

    def hire(at: Store = store, program: Program = steady.decide, seams: Seams | None = None) -> Worker:
        release = Release({FIRST_BUNDLE: Bundle(program)})
        return Worker("w", at, client, seams or Seams(None), Unheard(""), frozenset(DOORS), release)

    yield hire
    client.close()


def _submitted(run: Driver, contract: str = "resume") -> Driver:
    assert run.do("submit", contract=contract, budget_cents=400) == Done()
    return run


def _keys(world: OutsideWorld, path: str) -> list[str]:
    return [request.headers["Idempotency-Key"] for request in world.requests if request.path == path]


def test_a_worker_whose_store_loses_every_first_answer_does_nothing_twice(
    run: Driver, hire: Hire, store: Store, world: OutsideWorld
) -> None:
    _submitted(run)
    assert hire(at=Forgetful(store)).take_up()
    assert run.events == [
        "admitted", "granted", "intended", "answered", "published", "intended", "answered", "published", "ended",
    ]  # fmt: skip
    assert world.paths() == [MODEL, TOOL]


SEAMS = range(20)


@pytest.mark.parametrize("number", SEAMS)
def test_a_worker_told_to_stop_anywhere_hands_back_what_another_then_finishes(
    run: Driver, hire: Hire, world: OutsideWorld, number: int
) -> None:
    _submitted(run)
    first = hire(seams=Watched(lambda count, name: first.drain() if count == number else None))
    first.take_up()
    assert run.view["lease_left_seconds"] is None
    assert run.view["state"] in ("queued", "succeeded")
    hire().take_up()
    assert (run.view["state"], run.view["unresolved"]) == ("succeeded", 0)
    assert world.paths() == [MODEL, TOOL]


def _dying_at(number: int) -> Watched:
    def die(count: int, name: str) -> None:
        if count == number:
            raise DyingError(name)

    return Watched(die)


@pytest.mark.parametrize(("tool", "sendings"), [("pay", 2), ("mail", 1)])
@pytest.mark.parametrize("number", SEAMS)
def test_when_a_worker_dies_anywhere_another_finishes_and_no_tool_acts_twice(
    run: Driver, hire: Hire, world: OutsideWorld, number: int, tool: str, sendings: int
) -> None:
    """A tool that recognises the id may be sent it once more; the other is asked, and tells the truth."""
    _wants(world, tool)
    _submitted(run)
    with suppress(DyingError):
        hire(seams=_dying_at(number)).take_up()
    run.lapsed()
    world.answers[_operation(run)] = (
        (200, {"status": "confirmed", "cost_cents": 11})
        if _keys(world, f"/tools/{tool}")
        else (200, {"status": "not_found"})
    )
    hire().take_up()
    assert run.view["state"] in ("succeeded", "unknown")
    assert run.view["delivered"] == {"version": 2, "partial": run.view["state"] == "unknown"}
    assert run.call("operation:1")["state"] == "confirmed"
    assert all(call["kind"] == "attempt" for call in run.view["calls"] if call["state"] == "unknown")
    assert _keys(world, f"/tools/{tool}") in ([run.id_of("operation:1")] * count for count in range(1, sendings + 1))


def test_a_lost_answer_is_looked_up_before_the_program_goes_on(run: Driver, hire: Hire, world: OutsideWorld) -> None:
    _wants(world, "mail")
    world.answers["/tools/mail"] = cut
    world.answers[_operation(_submitted(run))] = (200, {"status": "confirmed", "cost_cents": 11})
    hire().take_up()
    assert (run.view["state"], run.view["known_cents"]) == ("succeeded", 14)
    assert len(_keys(world, "/tools/mail")) == 1


def test_what_stays_ambiguous_seals_the_run_as_unknown(run: Driver, hire: Hire, world: OutsideWorld) -> None:
    _wants(world, "mail")
    world.answers["/tools/mail"] = cut
    world.answers[_operation(_submitted(run))] = (200, {"status": "ambiguous"})
    hire().take_up()
    assert (run.view["state"], run.view["sealed_for"]) == ("unknown", "failed")


def test_a_worker_that_is_asked_to_stop_and_told_to_cancel_at_once_winds_the_run_up(run: Driver, hire: Hire) -> None:
    def stop_and_cancel(count: int, name: str) -> None:
        if name == "releasing":
            assert run.do("cancel") == Done()
        first.drain()

    first = hire(seams=Watched(stop_and_cancel))
    _submitted(run)
    first.take_up()
    assert run.view["state"] == "cancelled"


def test_a_run_that_kills_its_workers_is_settled_and_not_tried_for_ever(run: Driver, hire: Hire) -> None:
    def kill(progress: Progress) -> Decision:
        raise DyingError

    _submitted(run)
    for _ in range(2):
        with pytest.raises(DyingError):
            hire(program=kill).take_up()
        run.lapsed()
    assert hire(program=kill).take_up()
    assert run.view["state"] == "interrupted"
    assert not hire(program=kill).take_up()


def test_a_wake_that_this_release_would_not_have_waited_for_is_refused_visibly_and_keeps_nobody_waiting(
    run: Driver, hire: Hire
) -> None:
    _submitted(run)
    hire(program=lambda progress: WaitFor("calls", "callback", 60)).take_up()
    assert run.do("deliver", wait="calls", kind="callback", number=1, digest="news") == Done()
    other = hire(program=_at_a_loss)
    assert not other.take_up()
    assert (run.view["state"], run.view["waits"][0]["state"]) == ("waiting_external", "accepted")
    after = _submitted(Driver(run.store, run.admin))
    assert other.take_up()
    assert after.view["error"] == "KeyError: 'nothing like it'"
    assert run.do("cancel") == Done()
    assert settle(run.store, run.run) == Done()


def _at_a_loss(progress: Progress) -> Decision:
    raise KeyError("nothing like it")


def test_a_grant_whose_lease_is_over_before_anybody_hears_of_it_is_let_go(run: Driver, hire: Hire) -> None:
    """The answer to the claim was lost for longer than the lease is long."""
    _submitted(run)
    late = Late(run)
    assert hire(at=late).take_up()
    assert run.events == ["admitted", "granted"]
    assert hire().take_up()
    assert run.view["state"] == "succeeded"


class Late(Forgetful):
    """Its answers to claims come when the lease is over."""

    def __init__(self, run: Driver) -> None:
        super().__init__(run.store)
        self._run = run

    def perform(self, command: str, **fields: Any) -> Outcome:
        outcome = super().perform(command, **fields)
        if command == "claim" and isinstance(outcome, Lost):
            self._run.lapsed()
        return outcome


def _operation(run: Driver) -> str:
    """The path at which the operation is looked up."""
    return f"/operations/{quote(run.id_of('operation:1'), safe='')}"


def _wants(world: OutsideWorld, tool: str) -> None:
    """The model wants this tool."""
    plan = json.loads(json.dumps(PLAN))
    plan["choices"][0]["message"]["tool_calls"][0]["function"]["name"] = tool
    world.answers |= {MODEL: (200, plan), f"/tools/{tool}": (200, RECEIPT)}
