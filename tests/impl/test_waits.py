"""A run waits without lease and worker; what comes early, twice, out of order or late is kept; one wake, one grant."""

import pytest

from keepfact.impl.outcomes import Done, Refused

from . import stages as at
from .driving import Driver
from .stages import Stage, arrives, child_of, then, waiting_for


def _wait_of(run: Driver, name: str = "w") -> dict[str, object]:
    found: dict[str, object] = next(wait for wait in run.view["waits"] if wait["wait"] == name)
    return found


def _arrivals(run: Driver) -> list[tuple[str, int, bool]]:
    return [(one["wait"], one["number"], one["is_late"]) for one in run.view["arrivals"]]


def _came(run: Driver, number: int = 1, kind: str = "callback", digest: str = "came") -> object:
    return run.do("deliver", wait="w", kind=kind, number=number, digest=digest)


def test_a_waiting_run_stands_at_a_checkpoint_and_nobody_holds_it(alone: Driver) -> None:
    at.then(at.lost_call, waiting_for("callback"))(alone)
    assert (alone.view["state"], alone.view["worker"], alone.view["lease_left_seconds"]) == (
        "waiting_external", None, None,
    )  # fmt: skip
    assert _wait_of(alone)["checkpoint"] == {
        "format": 1, "bundle": "bundle-1", "digest": "d", "history_number": 4, "budget_left_cents": 90,
    }  # fmt: skip
    assert (_wait_of(alone)["state"], _wait_of(alone)["left_seconds"]) == ("waiting", 60)


def test_a_wake_is_consumed_by_one_grant_under_the_next_fence(alone: Driver) -> None:
    at.woken(alone)
    assert (alone.view["state"], alone.view["fence"], alone.view["lease_left_seconds"]) == ("running", 2, 30)
    assert _wait_of(alone)["state"] == "consumed"
    granted = alone.view["history"][-1]
    assert (granted["type"], granted["entry_point"], granted["concerns"]) == ("granted", "wake", "w")


def test_what_came_early_wakes_at_once(alone: Driver) -> None:
    at.then(at.arrived_early, waiting_for("callback"))(alone)
    assert _wait_of(alone)["state"] == "accepted"


def test_a_part_that_came_early_counts(alone: Driver) -> None:
    at.then(at.running, arrives(2), waiting_for("callback", arrivals=2))(alone)
    assert _wait_of(alone)["state"] == "waiting"
    assert _came(alone, 1) == Done()
    assert _wait_of(alone)["state"] == "accepted"


def test_parts_may_come_in_any_order_and_the_last_one_wakes(alone: Driver) -> None:
    at.waiting_for_two_with_one(alone)
    assert _wait_of(alone)["state"] == "waiting"
    assert _came(alone, 1) == Done()
    assert (_arrivals(alone), _wait_of(alone)["state"]) == ([("w", 1, False), ("w", 2, False)], "accepted")


def test_more_than_was_asked_for_came_early_and_is_kept(alone: Driver) -> None:
    at.then(at.running, arrives(1), arrives(7), waiting_for("callback"))(alone)
    assert (_arrivals(alone), _wait_of(alone)["state"]) == ([("w", 1, False), ("w", 7, False)], "accepted")


@pytest.mark.parametrize("stage", [at.accepted, at.arrived_early, at.woken, at.accepted_and_settled])
def test_the_same_arrival_again_changes_nothing(alone: Driver, stage: Stage) -> None:
    before = stage(alone).view
    assert _came(alone) == Done()
    assert alone.view == before


@pytest.mark.parametrize(
    "stage", [at.woken, at.closed, at.expired, then(at.expired, ("recover", {})), then(at.woken, ("fail", {}))]
)
def test_what_comes_too_late_is_kept_and_wakes_nobody(alone: Driver, stage: Stage) -> None:
    before = stage(alone).view
    assert _came(alone, 2, digest="late") == Done()
    assert _arrivals(alone)[-1] == ("w", 2, True)
    assert alone.events[-1] == "arrived_late"
    assert (alone.view["state"], alone.view["fence"], alone.view["waits"]) == (
        before["state"], before["fence"], before["waits"],
    )  # fmt: skip
    assert _came(alone, 2, digest="other") == Refused("arrival_conflict")


def test_to_a_run_that_is_over_everything_comes_late_also_what_it_never_waited_for(alone: Driver) -> None:
    at.ended(alone)
    assert _came(alone) == Done()
    assert (_arrivals(alone), alone.view["state"]) == ([("w", 1, True)], "succeeded")


def test_a_late_arrival_does_not_complete_anything(alone: Driver) -> None:
    at.expires(at.waiting_for_two_with_one)(alone)
    assert _came(alone, 1) == Done()
    assert _wait_of(alone)["state"] == "waiting"


def test_a_timer_wakes_when_it_is_due_and_never_expires(alone: Driver) -> None:
    at.timer_due(alone).later(10_000)
    assert alone.store.due_deliveries() == [{"run": alone.run, "wait": "w", "kind": "timer", "child": None}]
    assert _came(alone, kind="timer") == Done()
    assert alone.store.due_deliveries() == []
    assert alone.granted("wake", wait="w", worker="w", digest="d").view["state"] == "running"


def test_a_child_that_has_ended_wakes_its_parent(alone: Driver) -> None:
    at.child_ended(alone)
    child = child_of(alone).run
    assert alone.store.due_deliveries() == [{"run": alone.run, "wait": "w", "kind": "child", "child": child}]
    assert _came(alone, kind="child") == Done()
    assert alone.granted("wake", wait="w", worker="w", digest="d").fence == 2


def test_a_child_that_ends_too_late_wakes_nobody_and_is_not_listed(alone: Driver) -> None:
    at.expires(at.child_ended)(alone)
    assert alone.store.due_deliveries() == []
    assert _came(alone, kind="child") == Done()
    assert (_arrivals(alone), _wait_of(alone)["state"]) == ([("w", 1, True)], "waiting")


def test_accepted_wakes_are_listed_for_those_who_support_the_bundle_in_time(alone: Driver) -> None:
    at.accepted(alone)
    wake = {"run": alone.run, "wait": "w", "digest": "d", "format": 1}
    assert alone.store.accepted_wakes(["bundle-0", "bundle-1"]) == [wake]
    assert alone.store.accepted_wakes(["bundle-2"]) == []
    alone.later(60)
    assert alone.store.accepted_wakes(["bundle-1"]) == []


def test_a_run_may_wait_again_under_another_name(alone: Driver) -> None:
    at.then(at.woken, ("wait", {"wait": "v", "kind": "timer", "digest": "e", "seconds": 0}))(alone)
    assert [(wait["wait"], wait["state"]) for wait in alone.view["waits"]] == [("w", "consumed"), ("v", "waiting")]
    assert _wait_of(alone, "v")["checkpoint"] == {
        "format": 1, "bundle": "bundle-1", "digest": "e", "history_number": 5, "budget_left_cents": 100,
    }  # fmt: skip


@pytest.mark.parametrize("stage", [at.expired, at.accepted_expired, at.accepted_and_dearer])
@pytest.mark.parametrize("contract", ["settle", "resume"])
def test_a_run_that_nothing_can_wake_any_more_is_recovered_to_its_end(
    alone: Driver, stage: Stage, contract: str
) -> None:
    stage(alone)
    alone.admin.execute("update keepfact.runs set contract = %s where run = %s", [contract, alone.run])
    assert [found["run"] for found in alone.store.lost_runs()] == [alone.run]
    assert alone.do("recover") == Done()
    assert (alone.view["state"], _wait_of(alone)["state"]) == ("interrupted", "closed")
    assert alone.store.lost_runs() == []
