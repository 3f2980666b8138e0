"""A person approves one operation, as it was shown and as things stood; the approval is used once, or void."""

import pytest

from keepfact.impl.outcomes import Done, Outcome, Refused

from . import stages as at
from . import stages_of_people as people
from .driving import Driver
from .stages import Stage


def _wait_of(run: Driver, name: str = "p") -> dict[str, object]:
    found: dict[str, object] = next(wait for wait in run.view["waits"] if wait["wait"] == name)
    return found


def _shown(run: Driver, name: str) -> dict[str, object]:
    shown = _wait_of(run, name)["shown"]
    assert isinstance(shown, dict)
    return shown


def test_what_is_shown_is_taken_down_with_what_is_in_force(alone: Driver) -> None:
    people.requested(alone)
    assert (alone.view["state"], alone.view["lease_left_seconds"]) == ("waiting_approval", None)
    assert _shown(alone, "p") == {
        "call": alone.id_of("pay"), "digest": "d", "risk": "low", "basis": "the plan", "differs": [],
        "in_force": {"resource": 1, "plan": 1, "policy": 1, "permitted": True},
    }  # fmt: skip


@pytest.mark.parametrize("approved", [True, False])
def test_a_decision_and_the_wake_are_one_commit(alone: Driver, approved: bool) -> None:
    people.requested(alone)
    assert alone.do("decide", wait="p", approved=approved, digest="d") == Done()
    assert (_wait_of(alone)["approved"], _wait_of(alone)["state"]) == (approved, "accepted")
    assert alone.events[-1] == "decided"


@pytest.mark.parametrize("stage", [people.approved_asleep, people.approved, people.used, people.approved_and_over])
def test_the_same_decision_again_is_a_read(alone: Driver, stage: Stage) -> None:
    before = stage(alone).view
    assert alone.do("decide", wait="p", approved=True, digest="d") == Done()
    assert alone.view == before


def test_denying_needs_no_permission(alone: Driver) -> None:
    people.drifted("permission", people.requested)(alone)
    assert alone.do("decide", wait="p", approved=False, digest="d") == Done()


def test_an_approval_is_used_by_its_operation_and_by_no_second_one(alone: Driver) -> None:
    people.used(alone)
    assert _wait_of(alone)["used_by"] == alone.id_of("pay")
    assert alone.do("intend", **{**_pay(), "call": "pay-again"}) == Refused("not_approved")


def test_an_operation_that_nobody_was_asked_about_needs_no_approval(alone: Driver) -> None:
    people.approved(alone)
    assert alone.do("intend", call="other", kind="operation") == Done()


@pytest.mark.parametrize("what", ["resource", "plan", "policy"])
def test_what_has_drifted_is_asked_about_again_and_the_request_says_what(alone: Driver, what: str) -> None:
    at.done(_asked_again(people.drifted(what)(alone)))
    assert _shown(alone, "q")["differs"] == [what]
    in_force = _shown(alone, "q")["in_force"]
    assert isinstance(in_force, dict)
    assert in_force[what] == 2


def test_a_permission_that_was_withdrawn_is_named_too(alone: Driver) -> None:
    at.done(_asked_again(people.drifted("permission")(alone)))
    assert _shown(alone, "q")["differs"] == ["permitted"]


def test_everything_that_differs_is_named_in_order(alone: Driver) -> None:
    people.drifted("policy")(alone).drifts("resource")
    asked = {"digest": "e", "risk": "high", "basis": "another plan"}
    assert alone.do("request_approval", wait="q", call="pay", seconds=60, **asked) == Done()
    assert _shown(alone, "q")["differs"] == ["digest", "risk", "basis", "resource", "policy"]


def test_a_second_request_compares_itself_with_the_one_before_it(alone: Driver) -> None:
    people.asked_again(alone)
    alone.drifts("policy")
    at.done(_asked_again(alone, "r"))
    assert _shown(alone, "r")["differs"] == ["policy"]


def test_an_approval_that_is_over_may_be_asked_for_again(alone: Driver) -> None:
    at.done(_asked_again(people.approved_and_over(alone)))
    assert _shown(alone, "q")["differs"] == []


def test_the_second_approval_is_the_one_that_counts(alone: Driver) -> None:
    people.asked_again(alone)
    assert alone.do("intend", **_pay()) == Refused("not_approved")
    assert alone.do("intend", **{**_pay(), "approval": "q"}) == Done()
    assert (_wait_of(alone)["used_by"], _wait_of(alone, "q")["used_by"]) == (None, alone.id_of("pay"))


def test_an_approved_operation_is_sent_again_under_its_approval(alone: Driver) -> None:
    people.used_and_lost(alone)
    assert alone.do("send_again", call="pay") == Done()
    assert (alone.call("pay")["sends"], alone.call("pay")["state"]) == (2, "open")


def test_time_runs_on_after_the_decision(alone: Driver) -> None:
    people.approved_asleep(alone).later(59)
    assert _wait_of(alone)["left_seconds"] == 1
    assert alone.granted("wake", wait="p", worker="w", digest="d").do("intend", **_pay()) == Done()


def _pay() -> dict[str, str]:
    return {"call": "pay", "kind": "operation", "digest": "d", "approval": "p"}


def _asked_again(run: Driver, wait: str = "q") -> Outcome:
    return run.do("request_approval", wait=wait, call="pay", digest="d", risk="low", basis="the plan", seconds=60)
