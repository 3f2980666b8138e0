"""Recovery and reconciliation as they are run: over many runs, and with a tool that is asked."""

from collections.abc import Iterator
from urllib.parse import quote

import psycopg
import pytest

from keepfact.impl import reconcile, recovery
from keepfact.impl.connect import with_parts
from keepfact.impl.installation import Installation
from keepfact.impl.outcomes import Done, Lost, Refused
from keepfact.impl.outside import Outside
from keepfact.impl.store import Store

from .driving import Driver
from .outside_world import OutsideWorld, outside_world


@pytest.fixture
def world() -> Iterator[OutsideWorld]:
    with outside_world() as opened:
        yield opened


@pytest.fixture
def client(world: OutsideWorld) -> Iterator[Outside]:
    opened = Outside(world.url, world.url, 60)
    yield opened
    opened.close()


def _lost_operation(run: Driver, call: str = "operation") -> str:
    """A run sealed for want of evidence on one operation."""
    run.claimed().with_call(call, kind="operation").do("fail")
    return run.id_of(call)


def _path_of(call: str) -> str:
    """Where the tool is asked about a call."""
    return f"/operations/{quote(call, safe='')}"


def test_a_sweep_settles_what_has_lapsed_and_leaves_the_rest(store: Store, admin: psycopg.Connection) -> None:
    queued, lapsed = Driver(store, admin).submitted(), Driver(store, admin).claimed().lapsed()
    live = Driver(store, admin).claimed()
    swept = recovery.sweep(store)
    assert swept[lapsed.run] == Done()
    assert not {queued.run, live.run} & set(swept)
    assert (queued.view["state"], live.view["state"], lapsed.view["state"]) == ("queued", "running", "interrupted")


def test_settling_again_changes_nothing(run: Driver) -> None:
    run.claimed().lapsed()
    assert recovery.settle(run.store, run.run) == Done()
    before = run.view
    assert recovery.settle(run.store, run.run) == Refused("sealed")
    assert run.view == before


def test_a_settlement_that_cannot_reach_the_store_is_lost(installation: Installation) -> None:
    nowhere = Store({"recover": with_parts(installation.dsns["recover"], host="127.0.0.1", port="1")})
    assert recovery.settle(nowhere, "run") == Lost()
    nowhere.close()


@pytest.mark.parametrize(("finding", "state", "known", "held"), [
    ({"status": "confirmed", "cost_cents": 7}, "failed", 7, 0),
    ({"status": "not_found"}, "failed", 0, 0),
    ({"status": "not_found", "cost_cents": 7}, "failed", 0, 0),
    ({"status": "ambiguous"}, "unknown", 0, 10),
    ({"status": "confirmed"}, "unknown", 0, 10),
])  # fmt: skip
def test_what_the_tool_says_is_recorded(
    run: Driver, world: OutsideWorld, client: Outside, finding: object, state: str, known: int, held: int
) -> None:
    call = _lost_operation(run)
    world.answers[_path_of(call)] = (200, finding)
    assert reconcile.look_up(run.store, client, run.run) == {call: Done()}
    assert (run.view["state"], run.view["known_cents"], run.view["held_cents"]) == (state, known, held)
    assert world.paths() == [_path_of(call)]  # it was asked about, and nothing was sent again


def test_a_tool_that_does_not_say_proves_nothing(run: Driver, world: OutsideWorld, client: Outside) -> None:
    call = _lost_operation(run)
    world.answers[_path_of(call)] = (500, {})
    before = run.view
    assert reconcile.look_up(run.store, client, run.run) == {}
    assert run.view == before


def test_attempts_and_resolved_operations_are_not_looked_up(run: Driver, world: OutsideWorld, client: Outside) -> None:
    run.claimed().with_call("attempt").with_call("done", kind="operation").with_call("open", kind="operation")
    run.do("record_answer", call="done", answer="yes", cost_cents=1)
    run.do("mark_unknown", call="attempt")
    assert reconcile.look_up(run.store, client, run.run) == {}
    assert world.paths() == []


def test_an_operation_answered_without_an_amount_is_looked_up(
    run: Driver, world: OutsideWorld, client: Outside
) -> None:
    run.claimed().with_call("free", kind="operation").do("record_answer", call="free", answer="yes", cost_cents=None)
    world.answers[_path_of(run.id_of("free"))] = (200, {"status": "confirmed", "cost_cents": 0})
    assert reconcile.look_up(run.store, client, run.run) == {run.id_of("free"): Done()}
    assert (run.view["held_cents"], run.call("free")["answer"]) == (0, "yes")
