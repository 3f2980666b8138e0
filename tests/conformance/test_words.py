"""Everything that can be asked, answered or seen has plain words, and nothing of our classes shows through."""

import re
from dataclasses import replace
from enum import Enum
from typing import Any, get_args

import pytest

from keepfact.conformance.judge import Violation
from keepfact.conformance.recorder import Move
from keepfact.conformance.story import tell, tell_path
from keepfact.conformance.words import cause_in_words, differences_in_words, outcome_in_words, seen_in_words
from keepfact.spec.vocabulary import (
    TENANT,
    Act,
    Asking,
    CallId,
    CallKind,
    CallState,
    CallView,
    Cause,
    Claim,
    CommandId,
    Contract,
    Delivered,
    Done,
    EntryPoint,
    EventType,
    EventView,
    Evidence,
    Fail,
    Fence,
    InForce,
    Intend,
    LeaseGrant,
    LookedUp,
    Lost,
    MarkUnknown,
    Observation,
    Observe,
    Outcome,
    PublicationView,
    Publish,
    Reason,
    Reconcile,
    RecordAnswer,
    Recover,
    Refused,
    Release,
    Renew,
    RunId,
    RunState,
    RunView,
    Session,
    Spine,
    Step,
    Submit,
    Succeed,
    TenantId,
    Tick,
    WorkerId,
    WorkerRan,
)

from .met import BY_THEMSELVES, met

RUN = RunId("run-1")
CLAIM = Claim(CommandId("1"), RUN, WorkerId("w1"))
EVENT = EventView(1, EventType.ADMITTED, EntryPoint.SUBMIT, "submitter")
CALL = CallView(CallId("pay"), CallKind.OPERATION, "d", 5, Fence(1), CallState.OPEN)
VIEW = RunView(RUN, Contract.SETTLE, RunState.QUEUED, Fence(0), 5, history=(EVENT,), calls=(CALL,))
CLASSES = {
    cls.__name__ for cls in (*get_args(Cause), *get_args(Outcome), LeaseGrant, RunView, CallView, EventView, Step)
}


def is_plain(text: str) -> bool:
    """No name of a class, no repr, no `None`."""
    return not re.search(rf"\b({'|'.join(CLASSES)}|None|True|False)\(|<|\bNone\b|=", text)


COMMAND, FENCE, PAY = CommandId("1"), Fence(7), CallId("pay")
CAUSES: list[Cause] = [
    Observe(COMMAND, RUN),
    Submit(COMMAND, RUN, Contract.SETTLE, 1),
    CLAIM,
    Renew(COMMAND, RUN, FENCE),
    Release(COMMAND, RUN, FENCE),
    Intend(COMMAND, RUN, FENCE, PAY, CallKind.OPERATION, "digest-of-it", 2),
    Intend(COMMAND, RUN, FENCE, PAY, CallKind.ATTEMPT, "digest-of-it", 2, CallId("before")),
    RecordAnswer(COMMAND, RUN, FENCE, PAY, "body", 3),
    RecordAnswer(COMMAND, RUN, FENCE, PAY, "body", None),
    MarkUnknown(COMMAND, RUN, FENCE, PAY),
    Publish(COMMAND, RUN, FENCE, "body", qualified=True),
    Publish(COMMAND, RUN, FENCE, "body", qualified=False),
    Succeed(COMMAND, RUN, FENCE),
    Fail(COMMAND, RUN, FENCE),
    Recover(COMMAND, RUN),
    *[Reconcile(COMMAND, RUN, PAY, evidence, None) for evidence in Evidence],
    Tick(30),
    Act(RUN, PAY, 1),
    WorkerRan(RUN),
    LookedUp(RUN),
]


def test_every_command_and_happening_has_words() -> None:
    assert {*met(), *BY_THEMSELVES} == set(get_args(Cause))
    for steps in met().values():
        for step in steps:
            assert is_plain(cause_in_words(step.cause)), step.cause
            assert step.outcome is None or is_plain(outcome_in_words(step.outcome)), step.outcome


def test_every_cause_has_words_of_its_own() -> None:
    assert {type(cause) for cause in CAUSES} == {*get_args(Spine), Tick, Act, WorkerRan, LookedUp}
    said = [cause_in_words(cause) for cause in CAUSES]
    assert len(set(said)) == len(said)
    assert all(map(is_plain, said))


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: type(cause).__name__)
def test_what_decides_about_a_cause_is_in_its_words(cause: Any) -> None:
    """Fence, worker, evidence, amounts and call: a reader must see why it went as it went."""
    said = cause_in_words(cause)
    for name in ("fence", "worker", "evidence", "call", "kind", "digest", "contract", "supersedes", "seconds"):
        value = getattr(cause, name, None)
        assert value is None or str(value.value if isinstance(value, Enum) else value) in said
    for name in ("budget_cents", "ceiling_cents", "cost_cents"):
        cents = getattr(cause, name, None)
        assert cents is None or re.search(rf"\b{cents} cents?\b", said)


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (Done(), "was done"),
        (Done(LeaseGrant(Fence(3), 30)), "was done and handed out fence 3"),
        (Lost(), "was never answered"),
        *[(Refused(reason), f"was refused ({reason.value})") for reason in Reason],
    ],
)
def test_every_outcome_has_words(outcome: Outcome, said: str) -> None:
    assert outcome_in_words(outcome) == said


@pytest.mark.parametrize(("number", "said"), [(0, "0 seconds"), (1, "1 second of"), (2, "2 seconds")])
def test_one_is_not_many(number: int, said: str) -> None:
    assert cause_in_words(Tick(number)).startswith(said)


def test_what_was_seen_is_the_answer_and_what_became_of_the_run() -> None:
    before, after = Observation((VIEW,)), Observation((replace(VIEW, state=RunState.RUNNING),))
    assert seen_in_words(Step(before, CLAIM, Done(), before)) == "it was done; nothing the system shows had changed"
    moved = seen_in_words(Step(before, CLAIM, Lost(), after))
    assert moved == "it was never answered; then the run was running, with no new event in its history"
    assert seen_in_words(Step(before, CLAIM, None, Observation())) == "the run was gone"
    assert seen_in_words(Step(Observation(), CLAIM, None, before)).endswith("queued, with admitted in its history")


DIFFERENCES = [
    (replace(VIEW, state=RunState.UNKNOWN), "run-1, state: expected queued, seen unknown"),
    (replace(VIEW, worker=WorkerId("w1")), "run-1, worker: expected nothing, seen w1"),
    (replace(VIEW, delivered=Delivered(1, True)), "run-1, delivered: expected nothing, seen something"),
    (replace(VIEW, calls=()), "run-1, calls 1: expected something, seen nothing"),
    (replace(VIEW, calls=(replace(CALL, cost_cents=0),)), "run-1, calls 1, cost cents: expected nothing, seen 0"),
    (replace(VIEW, history=(EVENT, EVENT)), "run-1, history 2: expected nothing, seen something"),
    (replace(VIEW, publications=(PublicationView(1, "b", True),)), "run-1, publications 1: expected nothing, seen"),
]


@pytest.mark.parametrize(("shown", "said"), DIFFERENCES)
def test_where_prediction_and_observation_part_is_said_field_by_field(shown: RunView, said: str) -> None:
    (line,) = differences_in_words(Observation((VIEW,)), Observation((shown,)))
    assert line.startswith(said)
    assert is_plain(line)


def test_a_run_that_is_missing_or_too_much_is_said() -> None:
    whole, empty = Observation((VIEW,)), Observation()
    assert differences_in_words(whole, whole) == []
    assert differences_in_words(whole, empty) == ["run-1: expected something, seen nothing"]
    assert differences_in_words(empty, whole) == ["run-1: expected nothing, seen something"]


def test_a_story_has_a_line_for_each_move_and_says_what_became_of_answers() -> None:
    steps = (
        Step(Observation(), CLAIM, Lost(), Observation()),
        Step(Observation(), CLAIM, Lost(), Observation(), repeats=Lost()),
        Step(Observation(), CLAIM, Refused(Reason.NO_SUCH_RUN), Observation()),
        Step(Observation(), Tick(30), None, Observation()),
    )
    moves = (Move(CLAIM, "never sent"), Move(CLAIM, "withheld"), Move(CLAIM), Move(Tick(30)))
    violations = tuple(Violation(rule, steps[-1], "peace", "war") for rule in ("FENCE.1", "FENCE.2"))
    first, second = tell("trace-1", steps, moves, violations, "replay_fence_1.py")
    assert first.lines == (
        "Worker w1 claims run-1: cut on its way, it never arrived",
        "Worker w1 claims run-1, sent again under the same command id: the answer was cut on its way back",
        "Worker w1 claims run-1: it was refused (no_such_run)",
        "30 seconds of the store's clock pass",
    )
    assert (first.rule, first.expected, first.seen, first.replay) == ("FENCE.1", "peace", "war", "replay_fence_1.py")
    assert (second.rule, second.lines) == ("FENCE.2", first.lines)


def test_who_asks_is_told_where_it_is_not_the_one_whose_door_it_is() -> None:
    somebody = Asking(Session(TENANT, "somebody", EntryPoint.OBSERVE), CLAIM)
    assert cause_in_words(somebody) == "somebody asks at the door to observe: worker w1 claims run-1"
    stranger = Asking(Session(TenantId("stranger"), "visitor", EntryPoint.WORK), CLAIM)
    assert cause_in_words(stranger).startswith("visitor of tenant stranger asks at the door to work: ")
    (told,) = tell(
        "trace", (Step(Observation(), CLAIM, Lost(), Observation()),), (Move(stranger),),
        (Violation("TENANT.1", Step(Observation(), CLAIM, Lost(), Observation()), "peace", "war"),), None,
    )  # fmt: skip
    assert told.lines[0].startswith("Visitor of tenant stranger asks")


def test_what_is_kept_beside_runs_is_compared_in_words() -> None:
    (line,) = differences_in_words(Observation(), Observation(in_force=InForce(resource=2)))
    assert line == "in force, resource: expected 1, seen 2"


def test_a_counterexample_of_the_model_is_told_without_a_replay() -> None:
    step = Step(Observation(), CLAIM, Done(), Observation((VIEW,)))
    story = tell_path("ENTRY.4", "Nobody may.", (step, step))
    assert (story.trace, story.expected, story.replay, len(story.lines)) == ("model", "Nobody may.", None, 2)
    assert all(is_plain(line) for line in story.lines)


def test_a_missing_amount_is_not_told_as_an_amount() -> None:
    said = cause_in_words(Reconcile(COMMAND, RUN, PAY, Evidence.CONFIRMED, None))
    assert said == "evidence comes in on pay: confirmed, with no amount"
