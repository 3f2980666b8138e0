"""Every rule accepts what is right, rejects what is wrong, and is silent where it does not apply."""

from dataclasses import replace
from typing import Any

import pytest

from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Asked, Done, Fence, Observation, Reason, RunState, Step

from .cases import CASES
from .steps import LOST, Case, refused

ACCEPTED = [case for case in CASES if case.verdict]
ASKED = [case for case in CASES if isinstance(case.step.cause, Asked)]
DONE = [case for case in ACCEPTED if isinstance(case.step.outcome, Done)]
MEANWHILE: dict[str, dict[str, Any]] = {
    "nothing came of it": {},
    "another worker has it": {"fence": Fence(9)},
    "its lease lapsed": {"lease_left_seconds": 0},
    "it was given back": {"state": RunState.QUEUED, "lease_left_seconds": None},
    "it failed": {"state": RunState.FAILED, "lease_left_seconds": None},
}
SPEAKS_OF_ANSWERS = [
    *("ENTRY.1", "ENTRY.4", "ENTRY.5", "ENTRY.6", "FENCE.2", "FENCE.3", "FENCE.4", "FENCE.7", "FENCE.8"),
    *("HISTORY.7", "EFFECT.3", "EFFECT.5", "EFFECT.6", "EFFECT.9", "COST.1", "COST.4", "COST.5", "COST.6", "COST.7"),
    *("SETTLE.1", "SETTLE.2", "SETTLE.6", "SETTLE.8", "SETTLE.9"),
    *("HISTORY.6", "HISTORY.8", "HISTORY.9", "HISTORY.10"),
    *("CONTINUE.1", "CONTINUE.2", "CONTINUE.3", "CONTINUE.4", "CONTINUE.5", "CONTINUE.6", "CONTINUE.7"),
    *("CONTINUE.8", "CONTINUE.9", "CONTINUE.10"),
    *(f"APPROVAL.{number}" for number in range(1, 8)),
    *(f"VERSION.{number}" for number in range(1, 9)),
    *(f"TENANT.{number}" for number in range(1, 4)),
    *("FENCE.5", "EFFECT.7", "EFFECT.8", "EFFECT.10", "EFFECT.11", "EFFECT.12", "EFFECT.13", "SETTLE.7", "SETTLE.10"),
    *("CANCEL.1", "CANCEL.2", "CANCEL.3", "CANCEL.4", "CANCEL.5"),
    *("WAKE.1", "WAKE.2", "WAKE.3", "WAKE.4", "WAKE.5", "WAKE.6", "WAKE.7", "WAKE.8", "WAKE.9", "WAKE.10", "WAKE.11"),
    "WAKE.12",
]
CONFLICT = refused(Reason.COMMAND_ID_CONFLICT)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_rule_judges_rightly(case: Case) -> None:
    assert BOOK.rule(case.rule).holds(case.step) is case.verdict


@pytest.mark.parametrize("rule", [rule.id for rule in BOOK.rules])
def test_a_rule_is_seen_to_accept_to_reject_and_to_be_silent(rule: str) -> None:
    assert {case.verdict for case in CASES if case.rule == rule} == {True, False, None}


def test_no_two_cases_say_the_same() -> None:
    said = [str(case) for case in CASES]
    assert sorted(set(said)) == sorted(said)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_rules_can_be_put_to_any_step(case: Case) -> None:
    empty = Observation()
    for step in (case.step, replace(case.step, before=empty), replace(case.step, after=empty)):
        assert {rule.holds(step) for rule in BOOK.rules} <= {True, False, None}


@pytest.mark.parametrize("case", ACCEPTED, ids=str)
def test_what_one_rule_accepts_no_other_rejects(case: Case) -> None:
    assert rejected_by(case.step) == []


@pytest.mark.parametrize("meanwhile", MEANWHILE)
def test_repeating_what_was_done_is_right_whatever_has_become_of_the_run(meanwhile: str) -> None:
    for case in DONE:
        runs = tuple(replace(run, **MEANWHILE[meanwhile]) for run in case.step.after.runs)
        repeated = replace(case.step, before=Observation(runs), repeats=case.step.outcome)
        assert rejected_by(unchanged(repeated)) == [], case


@pytest.mark.parametrize("outcome", [LOST, CONFLICT], ids=["it never arrived", "another command has its id"])
def test_a_command_may_come_to_nothing(outcome: Any) -> None:
    for case in ASKED:
        assert rejected_by(unchanged(replace(case.step, outcome=outcome, repeats=None))) == [], case


@pytest.mark.parametrize("rule", SPEAKS_OF_ANSWERS)
def test_a_command_that_may_never_have_arrived_proves_nothing(rule: str) -> None:
    unheard = [unchanged(replace(case.step, outcome=LOST)) for case in ASKED if case.rule == rule]
    assert {BOOK.rule(rule).holds(step) for step in unheard} == {None}


def unchanged(step: Step) -> Step:
    return replace(step, after=step.before, truth_before=step.truth)


def rejected_by(step: Step) -> list[str]:
    return [rule.id for rule in BOOK.rules if rule.holds(step) is False]
