"""What the commands of one run do, beyond being done: what then holds, and what the history says."""

import pytest

from keepfact.impl.outcomes import Done

from . import stages as at
from .driving import Driver


def test_each_grant_has_a_higher_fence_than_the_one_before(run: Driver) -> None:
    run.claimed()
    run.do("release")
    again = run.do("claim", worker="w")
    assert isinstance(again, Done)
    assert again.grant is not None
    assert (run.fence, again.grant.fence) == (1, 2)
    assert again.grant.lease_seconds == run.view["lease_left_seconds"] == 30
    assert run.events == ["admitted", "granted", "released", "granted"]


def test_a_renewed_lease_is_full_again_and_the_history_does_not_grow(run: Driver) -> None:
    run.claimed()
    run.admin.execute("update keepfact.settings set frozen_at = frozen_at + interval '29.5 seconds'")
    assert run.view["lease_left_seconds"] == 1
    assert run.do("renew") == Done()
    assert run.view["lease_left_seconds"] == 30
    assert run.events == ["admitted", "granted"]


def test_the_same_intent_again_is_done_and_changes_nothing(run: Driver) -> None:
    run.claimed().with_call()
    before = run.view
    assert run.do("intend", call="a", ceiling_cents=99) == Done()
    assert run.view == before


def test_a_new_attempt_may_supersede_a_lost_one_and_one_not_found(run: Driver) -> None:
    at.lost_call(run)
    assert run.do("intend", call="b", supersedes="a") == Done()
    run.do("reconcile", call="a", evidence="not_found", cost_cents=None)
    assert run.do("intend", call="c", supersedes="a") == Done()
    assert run.call("b")["supersedes"] == run.call("c")["supersedes"] == run.id_of("a")


def test_the_budget_may_be_used_up_to_the_last_cent(run: Driver) -> None:
    assert at.answered_call(run).do("intend", call="b", ceiling_cents=97) == Done()
    assert (run.view["known_cents"], run.view["held_cents"], run.view["unresolved"]) == (3, 97, 1)


@pytest.mark.parametrize(
    ("cost_cents", "known", "held", "over"), [(0, 0, 0, False), (None, 0, 10, False), (11, 11, 0, True)]
)
def test_an_amount_is_recorded_in_full_and_a_missing_one_is_not_zero(
    run: Driver, cost_cents: int | None, known: int, held: int, over: bool
) -> None:
    at.open_call(run).do("record_answer", call="a", answer="yes", cost_cents=cost_cents)
    assert (run.view["known_cents"], run.view["held_cents"]) == (known, held)
    assert (run.call()["state"], run.call()["answer"], run.call()["over_ceiling"]) == ("confirmed", "yes", over)


def test_success_with_a_cost_unresolved_waits_for_evidence(run: Driver) -> None:
    at.lost_call(run).do("publish", body="b", qualified=True)
    assert run.do("succeed") == Done()
    assert (run.view["state"], run.view["sealed_for"], run.events[-1]) == ("unknown", "succeeded", "sealed")
    assert run.do("reconcile", call="a", evidence="confirmed", cost_cents=4) == Done()
    assert (run.view["state"], run.view["sealed_for"]) == ("succeeded", None)
    assert run.events[-2:] == ["reconciled", "ended"]


def test_ambiguous_evidence_is_recorded_and_resolves_nothing(run: Driver) -> None:
    at.sealed_as_unknown(run)
    for _ in range(2):
        assert run.do("reconcile", call="a", evidence="ambiguous", cost_cents=None) == Done()
    assert (run.view["state"], run.view["held_cents"], run.call()["state"]) == ("unknown", 10, "unknown")
    assert run.events[-2:] == ["reconciled", "reconciled"]


def test_a_definite_not_found_ends_the_hold_at_zero(run: Driver) -> None:
    at.sealed_as_unknown(run)
    assert run.do("reconcile", call="a", evidence="not_found", cost_cents=None) == Done()
    assert (run.view["state"], run.view["known_cents"], run.view["held_cents"]) == ("failed", 0, 0)
    assert (run.call()["state"], run.call()["cost_cents"]) == ("not_found", None)


@pytest.mark.parametrize(("command", "end"), [("fail", "failed"), ("recover", "interrupted")])
def test_what_was_in_flight_is_lost_in_order_of_intent_before_the_run_is_sealed(
    run: Driver, command: str, end: str
) -> None:
    run.claimed().with_call("z").with_call("a")
    if command == "recover":
        run.lapsed()
    assert run.do(command) == Done()
    assert [(event["type"], event["concerns"]) for event in run.view["history"][-3:]] == [
        ("lost", run.id_of("z")),
        ("lost", run.id_of("a")),
        ("sealed", None),
    ]
    assert (run.view["state"], run.view["sealed_for"]) == ("unknown", end)
    assert (run.view["worker"], run.view["lease_left_seconds"], run.view["fence"]) == (None, None, 1)


def test_a_run_delivers_its_last_qualified_version_and_only_once_it_is_sealed(run: Driver) -> None:
    at.published(run).do("publish", body="draft", qualified=False)
    assert run.view["delivered"] is None
    run.lapsed().do("recover")
    assert run.view["delivered"] == {"version": 1, "partial": True}


def test_without_a_qualified_version_nothing_is_delivered(run: Driver) -> None:
    at.drafted(run).lapsed().do("recover")
    assert (run.view["state"], run.view["delivered"]) == ("interrupted", None)
