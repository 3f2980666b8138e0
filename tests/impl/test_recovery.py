"""Recovery and reconciliation as they are run: over many runs, and with a tool that is asked."""

import sys
import threading
from collections.abc import Callable, Iterator
from typing import NoReturn
from urllib.parse import quote

import psycopg
import pytest

from keepfact.impl import reconcile, recovery
from keepfact.impl.bell import Bell
from keepfact.impl.connect import with_parts
from keepfact.impl.installation import Installation
from keepfact.impl.outcomes import Done, Lost, Refused
from keepfact.impl.outside import Outside
from keepfact.impl.patience import Patience
from keepfact.impl.seams import Seams
from keepfact.impl.store import Store

from .driving import PATIENCE_SECONDS, Driver, wait_until
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


def test_recovery_of_one_run_leaves_the_others_to_whoever_sweeps(store: Store, admin: psycopg.Connection) -> None:
    one, other = Driver(store, admin).claimed().lapsed(), Driver(store, admin).claimed().lapsed()
    recovery.Recovery(store, frozenset({"recover"})).of_one(one.run, Seams(None))
    assert (one.view["state"], other.view["state"]) == ("interrupted", "running")


def test_recovery_of_one_run_asks_the_tools_about_it_alone(
    store: Store, admin: psycopg.Connection, world: OutsideWorld, client: Outside
) -> None:
    one, other = Driver(store, admin), Driver(store, admin)
    asked, _ = _lost_operation(one), _lost_operation(other)
    world.answers[_path_of(asked)] = (200, {"status": "not_found"})
    recovery.Recovery(store, frozenset({"recover", "reconcile", "observe"}), client).of_one(one.run, Seams(None))
    assert (one.view["state"], other.view["state"]) == ("failed", "unknown")
    assert world.paths() == [_path_of(asked)]


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


def _knows(world: OutsideWorld, run: Driver, finding: object) -> None:
    world.answers[f"/operations/{quote(run.id_of('operation'), safe='')}"] = (200, finding)


@pytest.mark.parametrize("finding", [{"status": "ambiguous"}, {"status": "confirmed"}])
def test_what_is_known_is_not_written_down_at_every_look(
    run: Driver, world: OutsideWorld, client: Outside, finding: object
) -> None:
    _lost_operation(run)
    _knows(world, run, finding)
    reconcile.look_up(run.store, client, run.run)
    before = run.view
    assert reconcile.look_up(run.store, client, run.run) == {}
    assert run.view == before
    assert len(world.paths()) == 2


def test_evidence_about_an_earlier_request_is_none_about_a_later_one(run: Driver) -> None:
    run.claimed().with_call("operation", kind="operation", recognises=True, sends_max=2)
    run.do("mark_unknown", call="operation")
    run.store.perform("send_again", command_id=f"again-{run.run}", run=run.run, fence=1, call=run.id_of("operation"))
    run.do("mark_unknown", call="operation")
    found = {"call": "operation", "evidence": "not_found", "cost_cents": None}
    assert run.do("reconcile", **found, sends=1) == Refused("stale_evidence")
    assert run.do("reconcile", **found, sends=2) == Done()


class Broken(Outside):
    """A client that goes wrong in a way that nobody foresaw."""

    def look_up(self, call: str) -> NoReturn:
        raise ZeroDivisionError(call)


def test_a_lookup_that_goes_wrong_says_nothing_and_ends_nothing(run: Driver) -> None:
    _lost_operation(run)
    before = run.view
    assert reconcile.look_up(run.store, Broken("", "", 1), run.run) == {}
    assert run.view == before


def test_a_run_whose_recovery_goes_wrong_keeps_no_other_waiting(
    store: Store, admin: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Driver(store, admin).claimed(), Driver(store, admin).claimed()
    second.lapsed()
    settle = recovery.settle
    monkeypatch.setattr(recovery, "settle", lambda store, run: 1 // 0 if run == first.run else settle(store, run))
    swept = recovery.sweep(store)
    assert first.run not in swept
    assert swept[second.run] == Done()


def test_a_run_at_work_is_looked_up_by_its_worker_alone(
    store: Store, admin: psycopg.Connection, world: OutsideWorld, client: Outside
) -> None:
    at_work, sealed = Driver(store, admin).claimed().with_call("operation", kind="operation"), Driver(store, admin)
    at_work.do("mark_unknown", call="operation")
    _lost_operation(sealed)
    for run in (at_work, sealed):
        _knows(world, run, {"status": "not_found"})
    looked_up = recovery.look_up_all(store, client)
    assert looked_up[sealed.id_of("operation")] == Done()
    assert at_work.id_of("operation") not in looked_up


def test_a_tool_that_does_not_know_is_asked_less_and_less_often() -> None:
    now = 0.0
    patience = Patience(lambda: now)
    asked = []
    for now in range(100):  # the loop moves the clock
        if patience.is_due("run"):
            patience.tried("run")
            asked.append(now)
    assert asked == [0, 1, 3, 7, 15, 31, 63]
    patience.keep(())
    assert patience.is_due("run")


def test_a_tool_that_is_slow_to_say_keeps_no_lost_run_waiting(
    store: Store, admin: psycopg.Connection, world: OutsideWorld, client: Outside
) -> None:
    unknown = Driver(store, admin)
    _lost_operation(unknown)
    _knows(world, unknown, {"status": "not_found"})
    held = world.held(f"/operations/{quote(unknown.id_of('operation'), safe='')}")
    at_work = recovery.Recovery(store, frozenset({"recover", "reconcile", "observe"}), client)
    thread = threading.Thread(target=at_work.run)
    thread.start()
    held.wait_until_reached()
    lost = Driver(store, admin).claimed().lapsed()
    wait_until(lambda: lost.view["state"] == "interrupted")
    held.let_go()
    wait_until(lambda: unknown.view["state"] == "failed")
    at_work.stop()
    thread.join()


def test_a_bell_may_be_rung_at_every_moment_of_waiting_for_it() -> None:
    """As a signal handler would, which runs in the thread that waits."""

    def trace(frame: object, event: str, argument: object) -> Callable[..., object]:
        bell.set()
        return trace

    bell = Bell()
    sys.settrace(trace)
    try:
        assert bell.wait(PATIENCE_SECONDS)
    finally:
        sys.settrace(None)
