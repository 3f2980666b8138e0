"""A rule that says which causes it is about has nothing to say of any other, in whatever step these stand.

Nor has a rule of changes anything to say where nothing changed.
"""

from dataclasses import MISSING, fields, replace
from enum import EnumType
from typing import Any, get_args, get_type_hints

import pytest

from keepfact.spec.book import BOOK
from keepfact.spec.chapter import Rule
from keepfact.spec.vocabulary import Asked, Cause, Done, Evidence, Lost, Reason, Refused, RunId, Step

from .cases import CASES
from .steps import DONE, RUN, Case

CLAIMING = [rule for rule in BOOK.rules if rule.about is not None]


def example(cause: type) -> Any:
    """One of the class, about RUN if it is about a run."""
    types = get_type_hints(cause)
    return cause(**{field.name: _of(types[field.name]) for field in fields(cause) if field.default is MISSING})


def _of(wanted: Any) -> Any:
    """Any value of that type. Ids, which are NewTypes, can be anything that they are made of."""
    if wanted is RunId:
        return RUN
    if isinstance(wanted, EnumType):
        return next(iter(wanted))
    made_of = getattr(wanted, "__supertype__", wanted)
    return {str: "anything", int: 1, bool: True}.get(made_of)


CAUSES = {cause: example(cause) for cause in get_args(Cause)}


def exchanged(step: Step, cause: Any) -> Step:
    """The same step, as if this had been its cause. Nobody is answered who did not ask."""
    outcome = (step.outcome or DONE) if isinstance(cause, Asked) else None
    return replace(step, cause=cause, outcome=outcome, repeats=step.repeats if outcome else None)


@pytest.mark.parametrize("rule", CLAIMING, ids=lambda rule: rule.id)
def test_a_rule_is_silent_about_every_other_cause(rule: Rule) -> None:
    others = [case for case in CASES if not rule.is_about(type(case.step.cause))]
    assert [str(case) for case in others if rule.holds(case.step) is not None] == []


@pytest.mark.parametrize("rule", CLAIMING, ids=lambda rule: rule.id)
def test_a_rule_stays_silent_when_another_cause_takes_the_place(rule: Rule) -> None:
    steps = [case.step for case in CASES if case.rule == rule.id]
    steps += [replace(step, outcome=Lost(), repeats=None) for step in steps if step.outcome]
    others = [cause for name, cause in CAUSES.items() if not rule.is_about(name)]
    heard = {
        type(cause).__name__ for cause in others for step in steps if rule.holds(exchanged(step, cause)) is not None
    }
    assert heard == set()


@pytest.mark.parametrize("case", [case for case in CASES if case.verdict is not None], ids=str)
def test_a_rule_is_about_what_it_judges(case: Case) -> None:
    assert BOOK.rule(case.rule).is_about(type(case.step.cause))


ANSWERS = (DONE, Done(evidence=Evidence.CONFIRMED), Lost(), *map(Refused, Reason))
IDLE = [
    Step(shown, case.step.cause, outcome, shown, case.step.truth, case.step.truth, session=case.step.session)
    for case in CASES
    for shown in (case.step.before, case.step.after)
    for outcome in (case.step.outcome, *(ANSWERS if isinstance(case.step.cause, Asked) else ()))
]


@pytest.mark.parametrize("rule", [rule for rule in BOOK.rules if rule.of_changes], ids=lambda rule: rule.id)
def test_a_rule_of_changes_is_silent_where_nothing_changed(rule: Rule) -> None:
    assert [step for step in IDLE if rule.holds(step) is not None] == []
