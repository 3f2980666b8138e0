"""A trial: lost answers fork worlds and observations prune them, and the outside never lies."""

from dataclasses import replace

import pytest

from keepfact.conformance.judge import MODEL, Judge
from keepfact.conformance.recorder import Move
from keepfact.conformance.system import System
from keepfact.conformance.systems import open_system
from keepfact.conformance.trial import RuleBrokenError, Trial
from keepfact.spec.vocabulary import (
    Act,
    Asking,
    CallId,
    CallKind,
    CallState,
    Cause,
    Claim,
    CommandId,
    Contract,
    Done,
    EntryPoint,
    Evidence,
    Fence,
    Grant,
    Intend,
    Lost,
    MarkUnknown,
    Observation,
    Publish,
    Reason,
    Reconcile,
    RecordAnswer,
    Recover,
    Refused,
    Replay,
    RunId,
    SendAgain,
    Session,
    SourceId,
    Submit,
    TenantId,
    Tick,
    UserId,
    WorkerId,
)

RUN, CALL = RunId("run-1"), CallId("call-1")
SUBMIT = Submit(CommandId("1"), RUN, Contract.SETTLE, 5)
CLAIM = Claim(CommandId("2"), RUN, WorkerId("w1"))
INTEND = Intend(CommandId("3"), RUN, Fence(1), CALL, CallKind.OPERATION, "a", 2)
ACT = Act(RUN, CALL, 2)
LOSE = MarkUnknown(CommandId("4"), RUN, Fence(1), CALL)
SEND_AGAIN = SendAgain(CommandId("5"), RUN, Fence(1), CALL)


def trial(name: str = "reference", *made: Cause) -> Trial:
    system: System = open_system(name)
    begun = Trial(system, Judge(system.contracts), None, "trace")
    for cause in made:
        begun.make(Move(cause))
    return begun


def reconcile(evidence: Evidence, cents: int | None = None) -> Reconcile:
    return Reconcile(CommandId("r"), RUN, CALL, evidence, cents)


def record(cents: int | None) -> RecordAnswer:
    return RecordAnswer(CommandId("a"), RUN, Fence(1), CALL, "answer", cents)


def test_an_answer_that_was_heard_leaves_one_world() -> None:
    assert len(trial("reference", SUBMIT, CLAIM, INTEND).worlds) == 1


@pytest.mark.parametrize(("fate", "is_there"), [("withheld", True), ("never sent", False)])
def test_whether_an_unheard_command_happened_is_seen_by_looking(fate: str, is_there: bool) -> None:
    begun = trial()
    assert begun.make(Move(SUBMIT, fate)) == Lost()
    assert bool(begun.recorder.observation.runs) is is_there
    assert {bool(world.runs) for world in begun.worlds} == {is_there}


def test_what_no_look_can_tell_stays_open_until_an_answer_tells_it() -> None:
    """To an intent that stands already a repeat under a new id adds an answer and nothing that anybody can see."""
    again = Intend(CommandId("4"), RUN, Fence(1), CALL, CallKind.OPERATION, "a", 2)
    begun = trial("reference", SUBMIT, CLAIM, INTEND)
    begun.make(Move(again, "never sent"))
    assert len(begun.worlds) == 2
    other = Publish(again.command_id, RUN, Fence(1), "body", True)
    begun.make(Move(other))  # under the same id: done, so the other was never there
    assert len(begun.worlds) == 1


def test_a_system_that_did_what_nobody_asked_is_in_no_world() -> None:
    begun = trial("reference", SUBMIT)
    begun.recorder._system.perform(CLAIM)
    with pytest.raises(RuleBrokenError):
        begun.make(Move(Tick(1)))


def test_what_only_the_model_sees_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = trial("reference", SUBMIT)
    monkeypatch.setattr(begun.recorder._judge, "see", lambda *_: ())
    monkeypatch.setattr(begun.recorder._system, "observe", lambda runs: Observation())
    with pytest.raises(RuleBrokenError) as broken:
        begun.make(Move(CLAIM))
    (violation,) = broken.value.failure.violations
    assert (violation.rule, violation.seen) == (MODEL, "run-1: expected something, seen nothing")
    assert begun._judge.violations[0].rule == MODEL


def test_an_answer_that_the_model_does_not_give_is_told_as_one() -> None:
    begun = trial("toys:ForbidsEverything")
    failure = begun.run_through((Move(SUBMIT), Move(CLAIM)))
    assert failure is not None
    assert (failure.rules, failure.breaks_a_rule) == ((MODEL,), False)
    assert failure.moves == (Move(SUBMIT),)
    assert failure.violations[0].expected == "it was done"


def test_what_was_sent_again_to_a_tool_that_recognises_it_may_arrive_again() -> None:
    begun = trial("reference", SUBMIT, CLAIM, replace(INTEND, recognises=True, sends_max=2), ACT, LOSE)
    assert not begun.is_honest(ACT)
    begun.make(Move(SEND_AGAIN))
    assert begun.is_honest(ACT)
    begun.make(Move(ACT))
    assert not begun.is_honest(ACT)
    (true,) = begun.truth.calls
    assert (true.requests, true.acts, true.cost_cents) == (2, 1, 2)


def test_what_a_tool_did_not_find_does_not_act_until_it_is_sent_again() -> None:
    begun = trial("reference", SUBMIT, CLAIM, replace(INTEND, sends_max=2), LOSE, reconcile(Evidence.NOT_FOUND))
    assert not begun.is_honest(ACT)
    begun.make(Move(SEND_AGAIN))
    assert begun.is_honest(ACT)


def test_what_each_system_decides_for_itself_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = trial("reference", SUBMIT)
    begun._judge._rules = ()
    decided = Done(decision="something of its own")
    monkeypatch.setattr(begun.recorder._system, "perform", lambda command: decided)
    assert begun.make(Move(Replay(CommandId("3"), RUN, "this host"))) == decided


def test_what_is_kept_beside_runs_is_compared_if_it_is_declared() -> None:
    begun = trial("reference", SUBMIT)
    begun.recorder._system.perform(Grant(CommandId("unasked"), SourceId("fund"), UserId("reader")))
    with pytest.raises(RuleBrokenError) as broken:
        begun.make(Move(Tick(1)))
    assert any(violation.rule != MODEL or "readers" in violation.seen for violation in broken.value.failure.violations)
    spine = trial("toys:SpineOnly", SUBMIT)
    spine.recorder._system.perform(Grant(CommandId("unasked"), SourceId("fund"), UserId("reader")))
    spine._judge._rules = ()
    spine.make(Move(Tick(1)))


def test_somebody_else_may_ask_and_is_told_apart() -> None:
    begun = trial("reference", SUBMIT)
    stranger = Asking(Session(TenantId("stranger"), "stranger", EntryPoint.WORK), CLAIM)
    assert begun.make(Move(stranger)) == Refused(Reason.NO_SUCH_RUN)
    assert begun.recorder.moves[-1].cause == stranger
    assert begun.recorder.steps[-1].session == stranger.session
    assert begun.recorder.steps[-1].cause == CLAIM


def test_a_trial_begins_where_nothing_has_been() -> None:
    system: System = open_system("reference")
    for _ in range(2):
        judge = Judge(system.contracts, capabilities=())
        assert Trial(system, judge, None, "trace").make(Move(SUBMIT)) == Done()


def test_a_failure_holds_every_move_and_step_up_to_it() -> None:
    failure = trial("toys:TakesLapsedRuns").run_through(
        (Move(SUBMIT), Move(CLAIM), Move(Tick(30)), Move(Claim(CommandId("9"), RUN, WorkerId("w2"))), Move(Tick(1)))
    )
    assert failure is not None
    assert "ENTRY.4" in failure.rules
    assert failure.breaks_a_rule
    assert len(failure.moves) == len(failure.steps) == 4


def test_a_call_acts_once_after_its_intent_and_not_when_it_is_known_never_to() -> None:
    begun = trial("reference", SUBMIT, CLAIM)
    assert not begun.is_honest(ACT)
    begun.make(Move(INTEND))
    assert begun.is_honest(ACT)
    begun.make(Move(ACT))
    assert not begun.is_honest(ACT)
    other = trial(
        "reference", SUBMIT, CLAIM, INTEND, Tick(30), Recover(CommandId("rec"), RUN), reconcile(Evidence.NOT_FOUND)
    )
    assert not other.is_honest(ACT)


def test_answers_and_evidence_are_true_or_not_given() -> None:
    begun = trial("reference", SUBMIT, CLAIM, INTEND)
    assert not begun.is_honest(record(2))
    assert not begun.is_honest(reconcile(Evidence.CONFIRMED, 2))
    assert begun.is_honest(reconcile(Evidence.NOT_FOUND))
    begun.make(Move(ACT))
    assert begun.is_honest(record(2))
    assert begun.is_honest(record(None))
    assert not begun.is_honest(record(1))
    assert begun.is_honest(reconcile(Evidence.CONFIRMED, 2))
    assert begun.is_honest(reconcile(Evidence.CONFIRMED))
    assert not begun.is_honest(reconcile(Evidence.CONFIRMED, 0))
    assert not begun.is_honest(reconcile(Evidence.NOT_FOUND))
    assert begun.is_honest(reconcile(Evidence.AMBIGUOUS))


def test_evidence_may_err_where_an_answer_refutes_it_and_is_refused() -> None:
    begun = trial("reference", SUBMIT, CLAIM, INTEND, ACT, record(None))
    assert begun.is_honest(reconcile(Evidence.NOT_FOUND))
    assert isinstance(begun.make(Move(reconcile(Evidence.NOT_FOUND))), Refused)


def test_dishonest_moves_are_left_out_when_moves_are_made_again() -> None:
    begun = trial()
    assert begun.run_through((Move(SUBMIT), Move(ACT), Move(CLAIM), Move(record(2)), Move(INTEND), Move(ACT))) is None
    assert [move.cause for move in begun.recorder.moves] == [SUBMIT, CLAIM, INTEND, ACT]
    run = begun.run(RUN)
    assert run is not None
    assert run.calls[0].state is CallState.OPEN
