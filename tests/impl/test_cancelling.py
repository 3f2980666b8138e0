"""A request to stop: nothing new from its commit on, for the children too, and an end only when all is classified."""

import pytest

from keepfact.impl.outcomes import Done

from . import stages as at
from .driving import Driver
from .stages import Stage, child_of


def test_a_running_run_keeps_its_lease_to_wind_up(alone: Driver) -> None:
    at.cancelling(alone)
    assert (alone.view["state"], alone.view["worker"], alone.view["lease_left_seconds"]) == ("cancelling", "w", 30)
    assert alone.events[-1] == "cancel_requested"


def test_calls_in_flight_are_told_and_others_not(alone: Driver) -> None:
    at.open_call(alone).with_call("b")
    at.done(alone.do("mark_unknown", call="a"))
    at.done(alone.do("cancel"))
    assert (alone.call("a")["told_to_stop"], alone.call("b")["told_to_stop"]) == (False, True)


@pytest.mark.parametrize("stage", [at.waiting, at.accepted, at.waiting_for_timer])
def test_what_it_waited_for_is_closed(alone: Driver, stage: Stage) -> None:
    at.done(stage(alone).do("cancel"))
    assert [wait["state"] for wait in alone.view["waits"]] == ["closed"]
    assert alone.view["state"] == "cancelling"


def test_a_wake_that_was_consumed_stays_so(alone: Driver) -> None:
    at.done(at.woken(alone).do("cancel"))
    assert [wait["state"] for wait in alone.view["waits"]] == ["consumed"]


def test_a_worker_winds_up_and_stops(alone: Driver) -> None:
    at.open_call(alone).with_call("b")
    at.done(alone.do("cancel"))
    assert alone.do("renew") == Done()
    assert alone.do("record_answer", call="a", answer="yes", cost_cents=3) == Done()
    assert alone.do("mark_unknown", call="b") == Done()
    assert alone.do("stop") == Done()
    assert (alone.view["state"], alone.view["sealed_for"], alone.events[-1]) == ("unknown", "cancelled", "sealed")
    assert alone.do("reconcile", call="b", evidence="not_found", cost_cents=None) == Done()
    assert (alone.view["state"], alone.view["sealed_for"]) == ("cancelled", None)


def test_a_run_with_nothing_open_is_cancelled_when_it_stops(alone: Driver) -> None:
    at.done(at.cancelling(alone).do("stop"))
    assert (alone.view["state"], alone.view["worker"], alone.events[-1]) == ("cancelled", None, "ended")


@pytest.mark.parametrize("contract", ["settle", "resume"])
def test_a_run_that_nobody_holds_is_ended_by_recovery_under_either_contract(alone: Driver, contract: str) -> None:
    alone.submitted(contract=contract)
    at.done(alone.do("cancel"))
    assert [found["run"] for found in alone.store.lost_runs()] == [alone.run]
    assert alone.do("recover") == Done()
    assert (alone.view["state"], alone.view["deaths"]) == ("cancelled", 0)


@pytest.mark.parametrize("contract", ["settle", "resume"])
def test_a_lost_worker_of_a_cancelled_run_is_not_replaced(alone: Driver, contract: str) -> None:
    alone.claimed(contract=contract).with_call()
    at.done(alone.do("cancel"))
    assert alone.lapsed().do("recover", worker="w") == Done()
    assert (alone.view["state"], alone.view["sealed_for"], alone.view["fence"]) == ("unknown", "cancelled", 1)
    assert alone.events[-2:] == ["lost", "sealed"]


def test_children_and_theirs_are_asked_to_stop_in_one_commit(alone: Driver) -> None:
    child = child_of(at.spawned(alone)).granted("claim", worker="w")
    grandchild = child_of(child)
    at.done(child.do("spawn", spawn="s", child=grandchild.run, budget_cents=1))
    at.done(alone.do("cancel"))
    told = [run.view["history"][-1] for run in (alone, child, grandchild)]
    assert [event["type"] for event in told] == ["cancel_requested"] * 3
    assert len({event["payload"]["at"] for event in told}) == 1
    assert grandchild.do("recover") == Done()
    assert (grandchild.view["state"], child.view["state"]) == ("cancelled", "cancelling")


def test_a_child_that_is_over_or_was_asked_already_is_left_alone_and_so_are_its_children(alone: Driver) -> None:
    over = child_of(at.spawned(alone)).granted("claim", worker="w")
    orphan = child_of(over)
    at.done(over.do("spawn", spawn="s", child=orphan.run, budget_cents=1))
    at.done(over.do("fail"))
    asked = Driver(alone.store, alone.admin, f"{alone.run}-asked")
    at.done(alone.do("spawn", spawn="t", child=asked.run, budget_cents=1))
    at.done(asked.do("cancel"))
    before = [run.view for run in (over, orphan, asked)]
    at.done(alone.do("cancel"))
    assert [run.view for run in (over, orphan, asked)] == before


def test_many_generations_are_asked_at_once(alone: Driver) -> None:
    family = [at.running(alone)]
    for _ in range(20):
        child = child_of(family[-1])
        at.done(family[-1].do("spawn", spawn="s", child=child.run, budget_cents=1))
        family.append(child.granted("claim", worker="w"))
    at.done(alone.do("cancel"))
    assert {run["state"] for run in alone.store.observe([run.run for run in family])} == {"cancelling"}


def test_a_child_is_a_run_of_its_own(alone: Driver) -> None:
    child = child_of(at.resuming(alone))
    at.done(alone.do("spawn", spawn="s", child=child.run, budget_cents=7))
    shown = {name: child.view[name] for name in ("state", "contract", "bundle", "parent", "budget_cents", "fence")}
    assert shown == {
        "state": "queued",
        "contract": "resume",
        "bundle": "bundle-1",
        "parent": alone.run,
        "budget_cents": 7,
        "fence": 0,
    }
    assert alone.view["children"] == [{"spawn": "s", "child": child.run}]
    assert alone.view["budget_cents"] == 100


def test_the_same_spawn_again_is_done_and_bears_nobody(alone: Driver) -> None:
    before = at.spawned(alone).view
    assert alone.do("spawn", spawn="s", child=child_of(alone).run, budget_cents=99) == Done()
    assert (alone.view, child_of(alone).view["budget_cents"]) == (before, 10)


@pytest.mark.parametrize("end", ["fail", "recover"])
def test_a_parent_that_is_over_leaves_its_children_alone(alone: Driver, end: str) -> None:
    before = child_of(at.spawned(alone)).view
    if end == "recover":
        alone.lapsed()
    at.done(alone.do(end))
    assert child_of(alone).view == before
