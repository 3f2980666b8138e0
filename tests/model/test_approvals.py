"""Approvals: bound to what was shown, decided once, checked again at dispatch, used once."""

import pytest

from keepfact.spec.vocabulary import (
    CallState,
    Done,
    Drift,
    Drifted,
    InForce,
    Reason,
    Refused,
    RunState,
    Shown,
    WaitState,
    WaitView,
)

from .beyond import (
    ASKED,
    ASKED_ANEW,
    SECONDS,
    approved,
    asked,
    decide,
    denied,
    intend_as_approved,
    request_approval,
    wake,
)
from .play import ASK, PAY, RECOVER, Play, intend, mark_unknown, running


def stands(play: Play, wait: str = ASKED) -> WaitView:
    view = play.run.wait(wait)
    assert view is not None
    return view


def differs(play: Play) -> tuple[str, ...]:
    shown = stands(play, ASKED_ANEW).shown
    assert shown is not None
    return shown.differs


def test_a_person_is_shown_what_the_approval_is_bound_to() -> None:
    play = asked()
    assert stands(play).shown == Shown(PAY, "arguments", "high", "role", InForce())
    assert (play.run.state, play.run.lease_left_seconds) == (RunState.WAITING_APPROVAL, None)


@pytest.mark.parametrize("approved_", [True, False])
def test_a_decision_and_its_wake_are_one_commit(approved_: bool) -> None:
    play = asked().do(decide(approved_))
    assert (stands(play).approved, stands(play).state) == (approved_, WaitState.ACCEPTED)
    event = play.run.history[-1]
    assert (event.type, event.entry_point, event.concerns) == ("decided", "decide", ASKED)
    assert play.do(wake(ASKED, digest="arguments")).run.state is RunState.RUNNING


def test_the_same_decision_again_is_a_read() -> None:
    play = asked().do(decide())
    before = play.run
    assert play.ask(decide()) == Done()
    assert play.run == before
    assert approved().ask(decide()) == Done()


def test_an_approved_operation_uses_its_approval_in_the_commit_of_its_intent() -> None:
    play = approved().do(intend_as_approved())
    assert (stands(play).used_by, play.call().state) == (PAY, CallState.OPEN)


def test_an_intent_that_is_refused_uses_nothing() -> None:
    play = approved()
    assert play.ask(intend_as_approved(digest="other arguments")) == Refused(Reason.DRIFTED)
    assert stands(play).used_by is None
    assert play.ask(intend_as_approved()) == Done()


def test_what_nobody_was_asked_about_needs_no_approval() -> None:
    assert approved().ask(intend(ASK, fence=2)) == Done()
    assert denied().ask(intend(ASK, fence=2)) == Done()


@pytest.mark.parametrize("what", [Drift.RESOURCE, Drift.PLAN, Drift.POLICY])
def test_after_a_drift_a_person_is_asked_anew_and_shown_the_difference(what: Drift) -> None:
    play = approved().meet(Drifted(what))
    assert play.ask(intend_as_approved()) == Refused(Reason.DRIFTED)
    play.do(request_approval(ASKED_ANEW, fence=2))
    assert differs(play) == (what.value,)
    play.do(decide(wait=ASKED_ANEW), wake(ASKED_ANEW, digest="arguments"))
    assert play.ask(intend_as_approved(fence=3)) == Refused(Reason.NOT_APPROVED)  # by the earlier request
    play.do(intend_as_approved(wait=ASKED_ANEW, fence=3))
    assert (stands(play).used_by, stands(play, ASKED_ANEW).used_by) == (None, PAY)


def test_every_difference_is_shown() -> None:
    play = approved().meet(Drifted(Drift.PERMISSION), Drifted(Drift.PLAN))
    play.do(request_approval(ASKED_ANEW, digest="other arguments", risk="low", fence=2))
    assert differs(play) == ("digest", "risk", "plan", "permitted")


def test_a_denial_may_be_given_without_permission_to_approve() -> None:
    play = asked().meet(Drifted(Drift.PERMISSION))
    assert play.ask(decide()) == Refused(Reason.NOT_PERMITTED)
    assert play.ask(decide(approved=False)) == Done()


def test_an_approval_expires_also_when_it_is_decided() -> None:
    play = asked().do(decide()).wait(SECONDS)
    assert play.ask(wake(ASKED, digest="arguments")) == Refused(Reason.EXPIRED)
    assert play.do(RECOVER).run.state is RunState.INTERRUPTED


def test_a_worker_that_dies_with_an_approval_does_not_make_the_person_be_asked_again() -> None:
    play = approved()
    assert play.ask(request_approval(ASKED_ANEW, fence=2)) == Refused(Reason.ALREADY_APPROVED)
    assert stands(play.wait(30)).approved


def test_a_payment_of_unknown_fate_is_not_asked_about_again() -> None:
    play = approved().do(intend_as_approved(), mark_unknown(fence=2))
    assert play.ask(request_approval(ASKED_ANEW, fence=2)) == Refused(Reason.CALL_ID_CONFLICT)


def test_drifts_are_seen_by_everybody() -> None:
    play = running().meet(*map(Drifted, Drift))
    assert play.state.in_force == InForce(2, 2, 2, permitted=False)
