"""What a step did, from the worst to nothing; and of many violations of a rule the worst is told."""

from keepfact.conformance.harm import Harm, harm_of
from keepfact.conformance.judge import Violation
from keepfact.conformance.story import tell_violation, worst_of
from keepfact.spec.vocabulary import EventType, Observation, Reason, Refused, RunState, Step

from ..spec.steps import over, run, succeed

ENDED = over(run(), RunState.INTERRUPTED, EventType.ENDED)
LATE = Step(Observation((ENDED,)), succeed(), Refused(Reason.NOT_RUNNING), Observation((ENDED,)))
OVERWRITTEN = Step(
    Observation((ENDED,)),
    succeed(),
    Refused(Reason.NOT_RUNNING),
    Observation((over(run(), RunState.SUCCEEDED, EventType.ENDED),)),
)


def test_another_end_is_worse_than_another_reason() -> None:
    assert harm_of(OVERWRITTEN) is Harm.END
    assert harm_of(LATE, "it was refused (sealed)") is Harm.REASON
    assert harm_of(LATE, "it was done") is Harm.ANSWER
    assert harm_of(LATE) is Harm.ANSWER


def test_of_a_rule_that_was_broken_often_the_worst_is_told_and_not_the_first() -> None:
    first, second = (Violation("FENCE.8", step, "refused", "seen") for step in (LATE, OVERWRITTEN))
    assert worst_of([first, second]) == [second]
    assert worst_of([first, first]) == [first]


def test_a_late_answer_is_told_with_the_refusal_that_the_model_expects() -> None:
    story = tell_violation(Violation("FENCE.8", LATE, "refused", "seen"))
    assert (story.model, story.harm) == ("it was refused (sealed)", Harm.REASON)
