"""The recorder: what was asked, answered and seen, which commands are repeats, and what can be done again."""

from keepfact.conformance.judge import Judge
from keepfact.conformance.recorder import Move, Recorder
from keepfact.conformance.systems.reference import Reference
from keepfact.spec.vocabulary import (
    NOTHING,
    Act,
    CallId,
    CallKind,
    CallTruth,
    Claim,
    CommandId,
    Contract,
    Done,
    Fence,
    Lost,
    Observe,
    Outcome,
    Refused,
    Renew,
    RunId,
    Submit,
    Tick,
    Truth,
    WorkerId,
)

RUN = RunId("run-1")
SUBMIT = Submit(CommandId("1"), RUN, Contract.SETTLE, 5)
CLAIM = Claim(CommandId("2"), RUN, WorkerId("w1"))


def recorder() -> Recorder:
    return Recorder(Reference(), Judge({Contract.SETTLE}), None, "trace")


def repeats(recorder: Recorder) -> Outcome | None:
    """What the latest command was answered before."""
    return recorder.steps[-1].repeats


def test_a_step_begins_where_the_one_before_ended() -> None:
    recording = recorder()
    recording.perform(SUBMIT)
    recording.happen(Tick(5))
    recording.perform(CLAIM)
    first, second, third = recording.steps
    assert first.before.runs == ()
    assert (first.after, second.after) == (second.before, third.before)
    assert recording.observation == third.after


def test_a_command_that_was_done_is_a_repeat_when_it_comes_again() -> None:
    recording = recorder()
    recording.perform(SUBMIT)
    first = recording.perform(CLAIM)
    assert repeats(recording) is None
    assert recording.perform(CLAIM) == first
    assert repeats(recording) == first
    recording.happen(Tick(30))
    recording.perform(CLAIM)
    assert repeats(recording) == first  # however late


def test_a_command_that_was_refused_is_a_new_question_when_it_comes_again() -> None:
    recording = recorder()
    assert isinstance(recording.perform(CLAIM), Refused)
    recording.perform(SUBMIT)
    assert isinstance(recording.perform(CLAIM), Done)
    assert repeats(recording) is None


def test_a_command_whose_answer_was_lost_is_a_repeat_and_nobody_knows_of_what() -> None:
    recording = recorder()
    recording.perform(SUBMIT, withheld=True)
    answer = recording.perform(SUBMIT)
    assert repeats(recording) == Lost()
    recording.perform(SUBMIT)
    assert repeats(recording) == answer == Done()


def test_an_answer_that_is_lost_later_does_not_make_a_known_one_unknown() -> None:
    recording = recorder()
    recording.perform(SUBMIT)
    recording.perform(SUBMIT, withheld=True)
    recording.perform(SUBMIT)
    assert repeats(recording) == Done()


def test_another_command_under_the_same_id_repeats_nothing() -> None:
    recording = recorder()
    recording.perform(SUBMIT)
    recording.perform(Claim(SUBMIT.command_id, RUN, WorkerId("w1")))
    assert repeats(recording) is None


def test_of_two_commands_under_one_id_that_were_lost_the_one_that_was_done_is_repeated() -> None:
    recording = recorder()
    recording.perform(SUBMIT)
    recording.lose(Renew(CLAIM.command_id, RUN, Fence(1)))
    granted = recording.perform(CLAIM)
    assert isinstance(granted, Done)
    recording.perform(CLAIM)
    assert repeats(recording) == granted


def test_an_answer_that_is_withheld_was_given_and_what_was_never_sent_did_not_happen() -> None:
    recording = recorder()
    assert recording.lose(SUBMIT) == Lost()
    assert recording.observation.runs == ()
    assert recording.perform(SUBMIT, withheld=True) == Lost()
    assert recording.observation.run(RUN) is not None


def test_time_moves_the_clock_of_the_system() -> None:
    recording = recorder()
    recording.perform(SUBMIT)
    recording.perform(CLAIM)
    recording.happen(Tick(29))
    assert recording.observation.runs[0].lease_left_seconds == 1


def test_every_run_that_was_ever_asked_about_is_watched_in_that_order() -> None:
    recording = recorder()
    other = RunId("run-2")
    recording.perform(Observe(CommandId("0"), other))
    recording.perform(SUBMIT)
    recording.perform(Submit(CommandId("3"), other, Contract.SETTLE, 5))
    assert [run.run for run in recording.observation.runs] == [other, RUN]


def test_the_truth_before_and_after_stands_in_each_step() -> None:
    acted = Truth((CallTruth(CallId("c"), CallKind.OPERATION, 1, 1, 2),))
    truth = NOTHING
    recording = Recorder(Reference(), Judge({Contract.SETTLE}), None, "trace", lambda: truth)
    recording.happen(Tick(1))
    truth = acted
    recording.happen(Act(RUN, CallId("c"), 2))
    recording.happen(Tick(1))
    told = [(step.truth_before, step.truth) for step in recording.steps]
    assert told == [(NOTHING, NOTHING), (NOTHING, acted), (acted, acted)]


def test_the_moves_can_be_made_again_and_lead_to_the_same_steps() -> None:
    recording = recorder()
    recording.perform(SUBMIT, withheld=True)
    recording.lose(CLAIM)
    recording.perform(CLAIM)
    recording.happen(Tick(7))
    assert recording.moves == [Move(SUBMIT, "withheld"), Move(CLAIM, "never sent"), Move(CLAIM), Move(Tick(7))]
