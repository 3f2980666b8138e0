"""What a perfect system does when it does what it is asked."""

from dataclasses import replace

import pytest

from keepfact.model.view import view
from keepfact.spec.chain import event_digest
from keepfact.spec.vocabulary import (
    ENDS,
    NO_FENCE,
    CallState,
    Claim,
    CommandId,
    Delivered,
    Done,
    EntryPoint,
    EventType,
    Evidence,
    Fence,
    LeaseGrant,
    Observe,
    Reason,
    Refused,
    RunId,
    RunState,
    WorkerId,
)

from .play import (
    AGAIN,
    ASK,
    CLAIM,
    LEASE_SECONDS,
    OBSERVE,
    PAY,
    RECOVER,
    RUN,
    SUBMIT,
    Play,
    ask,
    fail,
    in_flight,
    intend,
    mark_unknown,
    publish,
    queued,
    reconcile,
    record,
    release,
    renew,
    running,
    sealed,
    succeed,
    unknown,
)

CONFIRMED, NOT_FOUND, AMBIGUOUS = Evidence.CONFIRMED, Evidence.NOT_FOUND, Evidence.AMBIGUOUS


def told(play: Play) -> list[tuple[str, str, int | None, str | None]]:
    """What the history says: type, entry point, fence, the call it concerns."""
    return [(event.type, event.entry_point, event.fence, event.concerns) for event in play.run.history]


def last(play: Play, number: int = 1) -> list[str]:
    return [event.type for event in play.run.history[-number:]]


def test_an_admission_waits_in_the_queue() -> None:
    play = queued()
    assert (play.run.state, play.run.fence, play.run.lease_left_seconds) == (RunState.QUEUED, NO_FENCE, None)
    assert told(play) == [("admitted", "submit", None, None)]


def test_a_claim_hands_out_the_next_fence_and_a_full_lease() -> None:
    play = queued()
    assert play.ask(CLAIM) == Done(LeaseGrant(Fence(1), LEASE_SECONDS))
    assert (play.run.state, play.run.worker, play.run.lease_left_seconds) == (RunState.RUNNING, "worker", LEASE_SECONDS)
    play.do(release())
    assert play.ask(CLAIM) == Done(LeaseGrant(Fence(2), LEASE_SECONDS))
    assert told(play)[1:] == [
        ("granted", "work", 1, None),
        ("released", "work", 1, None),
        ("granted", "work", 2, None),
    ]


def test_a_release_keeps_the_fence_and_nothing_else_of_the_lease() -> None:
    play = running().do(release())
    assert (play.run.state, play.run.fence) == (RunState.QUEUED, 1)
    assert (play.run.worker, play.run.lease_left_seconds) == (None, None)


def test_a_renewal_is_a_full_lease_from_now_and_no_event() -> None:
    play = running().wait(LEASE_SECONDS - 1).do(renew())
    assert play.run.lease_left_seconds == LEASE_SECONDS
    assert last(play) == ["granted"]


def test_a_lease_runs_down_to_0_and_not_further() -> None:
    play = running().wait(10)
    assert play.run.lease_left_seconds == LEASE_SECONDS - 10
    assert play.wait(100).run.lease_left_seconds == 0


def test_an_intent_holds_its_ceiling() -> None:
    play = in_flight()
    assert (play.call().state, play.call().fence) == (CallState.OPEN, 1)
    assert (play.run.known_cents, play.run.held_cents, play.run.unresolved) == (0, 4, 1)
    assert told(play)[-1] == ("intended", "work", 1, PAY)


def test_the_same_intent_again_is_done_and_is_no_event() -> None:
    play = in_flight()
    before = play.run
    assert play.ask(intend()) == Done()
    assert play.run == before


def test_a_dispatch_may_spend_the_budget_to_the_last_cent() -> None:
    assert in_flight().ask(intend(ASK, ceiling=6)) == Done()


@pytest.mark.parametrize(
    ("cost", "known", "held", "unresolved", "over"),
    [(3, 3, 0, 0, False), (0, 0, 0, 0, False), (4, 4, 0, 0, False), (9, 9, 0, 0, True), (None, 0, 4, 1, False)],
)
def test_an_answer_is_recorded_with_what_it_cost(
    cost: int | None, known: int, held: int, unresolved: int, over: bool
) -> None:
    play = in_flight().do(record(cost=cost))
    assert (play.call().state, play.call().answer, play.call().cost_cents) == (CallState.CONFIRMED, "answer", cost)
    assert (play.run.known_cents, play.run.held_cents, play.run.unresolved) == (known, held, unresolved)
    assert play.call().is_over_ceiling is over
    assert told(play)[-1] == ("answered", "work", 1, PAY)


def test_a_lost_answer_is_unknown_and_stays_held() -> None:
    play = unknown()
    assert (play.call().state, play.run.held_cents, play.run.unresolved) == (CallState.UNKNOWN, 4, 1)
    assert told(play)[-1] == ("lost", "work", 1, PAY)


def test_a_lost_attempt_may_be_asked_again_and_stays_held() -> None:
    play = running().do(ask(), mark_unknown(ASK), ask(AGAIN, supersedes=ASK))
    assert (play.call(AGAIN).supersedes, play.call(ASK).state) == (ASK, CallState.UNKNOWN)
    assert play.run.held_cents == 8


def test_an_attempt_that_never_arrived_may_be_asked_again() -> None:
    play = running().do(ask(), mark_unknown(ASK), reconcile(NOT_FOUND, call=ASK), ask(AGAIN, supersedes=ASK))
    assert play.run.held_cents == 4


def test_a_success_with_a_body_and_nothing_unresolved_ends_the_run() -> None:
    play = running().do(publish(qualified=False), publish(), succeed())
    assert (play.run.state, play.run.sealed_for, play.run.delivered) == (RunState.SUCCEEDED, None, Delivered(2, False))
    assert [publication.version for publication in play.run.publications] == [1, 2]
    assert last(play, 3) == ["published", "published", "ended"]


def test_a_success_with_something_unresolved_waits_for_evidence() -> None:
    play = unknown().do(publish(), succeed())
    assert (play.run.state, play.run.sealed_for) == (RunState.UNKNOWN, RunState.SUCCEEDED)
    assert play.run.delivered == Delivered(1, partial=True)
    assert last(play) == ["sealed"]
    play.do(reconcile(CONFIRMED, 3))
    assert (play.run.state, play.run.delivered) == (RunState.SUCCEEDED, Delivered(1, partial=False))


def test_a_failure_leaves_what_is_in_flight_unknown_in_order_of_intent() -> None:
    play = running().do(intend(), ask(), fail())
    assert (play.run.state, play.run.sealed_for) == (RunState.UNKNOWN, RunState.FAILED)
    assert told(play)[-3:] == [("lost", "work", 1, PAY), ("lost", "work", 1, ASK), ("sealed", "work", 1, None)]
    assert running().do(fail()).run.state is RunState.FAILED


def test_recovery_settles_under_its_own_name_and_the_last_fence() -> None:
    play = sealed()
    assert (play.run.state, play.run.sealed_for, play.run.fence) == (RunState.UNKNOWN, RunState.INTERRUPTED, 1)
    assert (play.run.worker, play.run.lease_left_seconds) == (None, None)
    assert told(play)[-2:] == [("lost", "recover", 1, PAY), ("sealed", "recover", 1, None)]
    assert running().wait().do(RECOVER).run.state is RunState.INTERRUPTED


@pytest.mark.parametrize(
    ("evidence", "cost", "state", "known"),
    [
        (CONFIRMED, 3, CallState.CONFIRMED, 3),
        (CONFIRMED, 0, CallState.CONFIRMED, 0),
        (NOT_FOUND, None, CallState.NOT_FOUND, 0),
    ],
)
def test_the_last_evidence_ends_a_sealed_run(
    evidence: Evidence, cost: int | None, state: CallState, known: int
) -> None:
    play = sealed().do(reconcile(evidence, cost))
    assert (play.call().state, play.run.known_cents, play.run.held_cents) == (state, known, 0)
    assert (play.run.state, play.run.sealed_for) == (RunState.INTERRUPTED, None)
    assert told(play)[-2:] == [("reconciled", "reconcile", None, PAY), ("ended", "reconcile", None, None)]


@pytest.mark.parametrize(("evidence", "state"), [(AMBIGUOUS, CallState.UNKNOWN), (CONFIRMED, CallState.CONFIRMED)])
def test_evidence_without_an_amount_is_recorded_and_ends_nothing(evidence: Evidence, state: CallState) -> None:
    play = sealed().do(reconcile(evidence))
    assert (play.call().state, play.run.held_cents, play.run.state) == (state, 4, RunState.UNKNOWN)
    assert last(play) == ["reconciled"]


def test_a_bill_may_come_after_an_answer_without_an_amount() -> None:
    play = in_flight().do(record(cost=None), reconcile(CONFIRMED, 9))
    assert (play.call().answer, play.call().cost_cents, play.call().is_over_ceiling) == ("answer", 9, True)


def test_evidence_may_come_while_the_run_goes_on() -> None:
    assert unknown().do(reconcile(NOT_FOUND)).run.state is RunState.RUNNING


def test_looking_changes_nothing_and_is_not_remembered() -> None:
    play = running()
    before = play.state
    assert play.ask(OBSERVE) == Done()
    assert play.state is before


def test_looking_needs_no_id_of_its_own() -> None:
    play = queued()
    claim = Claim(CommandId("mine"), RUN, WorkerId("worker"))
    play.do(claim)
    assert play.ask(Observe(CommandId("mine"), RUN)) == Done()


def test_a_command_done_twice_under_one_id_gives_the_first_answer() -> None:
    play = queued()
    claim = Claim(CommandId("mine"), RUN, WorkerId("worker"))
    first = play.ask(claim)
    play.do(release())
    before = play.state
    assert play.ask(claim) == first == Done(LeaseGrant(Fence(1), LEASE_SECONDS))
    assert play.state is before


def test_a_refused_command_is_a_new_question_when_asked_again() -> None:
    play = running()
    claim = Claim(CommandId("mine"), RUN, WorkerId("other"))
    assert play.ask(claim) == Refused(Reason.LEASE_LIVE)
    play.do(release())
    assert play.ask(claim) == Done(LeaseGrant(Fence(2), LEASE_SECONDS))


def test_the_history_is_numbered_and_chained() -> None:
    history = sealed().do(reconcile(CONFIRMED, 3)).run.history
    assert [event.number for event in history] == list(range(1, len(history) + 1))
    assert [event.previous_digest for event in history] == [None, *(event.digest for event in history[:-1])]
    assert all(event.digest == event_digest(event) and event.principal for event in history)


def test_runs_are_shown_in_the_order_asked_and_unknown_ones_left_out() -> None:
    play = queued().do(replace(SUBMIT, command_id=CommandId("other"), run=RunId("other")))
    shown = view(play.state, [RunId("other"), RunId("nobody"), RUN])
    assert [run.run for run in shown.runs] == ["other", RUN]
    assert [run.run for run in view(play.state).runs] == [RUN, "other"]


def test_what_is_shown_is_what_is_held() -> None:
    play = sealed()
    (shown,) = view(play.state).runs
    for name in ("state", "fence", "known_cents", "held_cents", "unresolved", "sealed_for", "delivered", "history"):
        assert getattr(shown, name) == getattr(play.run, name)
    (call,) = shown.calls
    assert (call.state, call.ceiling_cents, call.over_ceiling) == (CallState.UNKNOWN, 4, False)


def test_only_an_end_is_an_end() -> None:
    assert sealed().run.is_sealed
    assert sealed().run.state not in ENDS
    assert not running().run.is_sealed


def test_every_door_writes_only_its_own_events() -> None:
    told_by: dict[EntryPoint, set[EventType]] = {}
    for play in (sealed().do(reconcile(CONFIRMED, 3)), unknown().do(publish(), succeed()), running().do(release())):
        for event in play.run.history:
            told_by.setdefault(event.entry_point, set()).add(event.type)
    assert told_by[EntryPoint.SUBMIT] == {EventType.ADMITTED}
    assert told_by[EntryPoint.RECOVER] == {EventType.LOST, EventType.SEALED}
    assert told_by[EntryPoint.RECONCILE] == {EventType.RECONCILED, EventType.ENDED}
