"""The judge: what it counts, what it takes note of, and that a rule that crashes never passes."""

from dataclasses import replace

import pytest

from keepfact.conformance.judge import Judge, Violation
from keepfact.spec.chapter import BOTH, RESUME, SETTLE, Chapter, Rule
from keepfact.spec.vocabulary import (
    Capability,
    Claim,
    CommandId,
    Contract,
    Done,
    Observation,
    Reason,
    Refused,
    RunId,
    Step,
    Tick,
    WorkerId,
)

EMPTY = Observation()
CLAIMED = Step(EMPTY, Claim(CommandId("1"), RunId("r"), WorkerId("w")), Done(), EMPTY)
REFUSED = replace(CLAIMED, outcome=Refused(Reason.NO_SUCH_RUN))
TICKED = Step(EMPTY, Tick(1), None, EMPTY)

chapter = Chapter("TOY", "Rules for this test")


@chapter.rule(1)
def claims_are_refused(step: Step) -> bool | None:
    """Every claim is refused."""
    return None if isinstance(step.cause, Tick) else isinstance(step.outcome, Refused)


@chapter.rule(2)
def nobody_can_read_this(step: Step) -> bool | None:
    """This rule is broken itself."""
    raise LookupError(f"no idea about {type(step.cause).__name__}")


def _rule(number: int) -> Rule:
    return next(rule for rule in chapter.rules if rule.number == number)


def test_a_broken_rule_is_told_with_what_it_expects_and_what_was_seen() -> None:
    judge = Judge(BOTH, [_rule(1)])
    (broken,) = judge.see(CLAIMED, "trace-1", [TICKED, CLAIMED])
    assert (broken.rule, broken.expected) == ("TOY.1", "Every claim is refused.")
    assert broken.seen == "it was done; nothing the system shows had changed"
    assert (broken.part, broken.trace, broken.steps) == ("lockstep", "trace-1", (TICKED, CLAIMED))
    assert judge.violations == [broken]


def test_a_rule_counts_for_the_part_in_which_it_spoke_and_not_when_it_was_silent() -> None:
    judge = Judge(BOTH, [_rule(1)])
    judge.see(TICKED)
    judge.see(REFUSED)
    judge.part = "an experiment"
    judge.see(REFUSED)
    judge.see(REFUSED)
    assert judge.spoken["TOY.1"] == {"lockstep": 1, "an experiment": 2}
    assert judge.violations == []


def test_a_rule_that_crashes_is_noted_and_counts_as_nothing() -> None:
    judge = Judge(BOTH, [_rule(2), _rule(1)])
    assert judge.see(REFUSED) == ()
    assert judge.crashes == {"TOY.2": "LookupError: no idea about Claim"}
    assert judge.spoken["TOY.2"] == {}
    assert judge.spoken["TOY.1"] == {"lockstep": 1}


def test_rules_of_other_contracts_are_not_asked() -> None:
    for_resume = replace(_rule(1), contracts=frozenset({Contract.RESUME}))
    judge = Judge({Contract.SETTLE}, [for_resume])
    assert judge.see(CLAIMED) == ()
    assert not judge.spoken["TOY.1"]


def test_rules_about_what_the_system_does_not_declare_are_not_asked() -> None:
    about_waits = replace(_rule(1), needs=frozenset({Capability.WAITS}))
    judge = Judge(BOTH, [about_waits], {Capability.CANCELLING})
    assert judge.see(CLAIMED) == ()
    assert not judge.spoken["TOY.1"]
    assert judge.again().see(CLAIMED) == ()


def test_rules_about_one_of_several_things_are_asked_where_one_of_them_is_declared() -> None:
    about_either = replace(_rule(1), needs=frozenset({Capability.WAITS, Capability.CANCELLING}))
    judge = Judge(BOTH, [about_either], {Capability.CANCELLING})
    assert [broken.rule for broken in judge.see(CLAIMED)] == ["TOY.1"]


def test_a_rule_is_asked_only_about_its_causes() -> None:
    judge = Judge(BOTH, [replace(_rule(2), about=Tick)])
    assert judge.see(CLAIMED) == ()
    assert judge.crashes == {}
    judge.see(TICKED)
    assert judge.crashes == {"TOY.2": "LookupError: no idea about Tick"}


@pytest.mark.parametrize(
    ("contracts", "needs", "applies"),
    [
        (BOTH, frozenset(), True),
        (SETTLE, frozenset(), True),
        (RESUME, frozenset(), False),
        (BOTH, frozenset({Capability.WAITS}), True),
        (BOTH, frozenset({Capability.WAITS, Capability.CHILDREN}), True),
        (BOTH, frozenset({Capability.CHILDREN}), False),
        (RESUME, frozenset({Capability.WAITS}), False),
    ],
)
def test_a_rule_applies_to_systems_with_its_contract_and_one_of_its_needs(
    contracts: frozenset[Contract], needs: frozenset[Capability], applies: bool
) -> None:
    rule = replace(_rule(1), contracts=contracts, needs=needs)
    assert rule.applies_to(SETTLE, frozenset({Capability.WAITS})) is applies


def test_rules_about_the_world_outside_are_not_asked_while_the_harness_plays_it() -> None:
    judge = Judge(BOTH, [replace(_rule(1), needs_world=True)])
    assert judge.see(CLAIMED) == ()
    judge.part = "an experiment"
    assert [broken.rule for broken in judge.see(CLAIMED)] == ["TOY.1"]


def test_trying_again_counts_nothing() -> None:
    judge = Judge(BOTH, [_rule(1), _rule(2)])
    assert [broken.rule for broken in judge.again().see(CLAIMED)] == ["TOY.1"]
    assert (judge.violations, judge.crashes, dict(judge.spoken)) == ([], {}, {})


def test_a_conviction_counts_for_the_part_under_way() -> None:
    judge = Judge(BOTH, [_rule(1)])
    judge.part = "an experiment"
    judge.convict(Violation("TOY.1", CLAIMED, "peace", "war"))
    assert judge.spoken["TOY.1"] == {"an experiment": 1}
    assert [(broken.rule, broken.part) for broken in judge.violations] == [("TOY.1", "an experiment")]
