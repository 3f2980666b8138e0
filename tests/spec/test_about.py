"""A rule that says which causes it is about has nothing to say of any other."""

import pytest

from keepfact.spec.book import BOOK
from keepfact.spec.chapter import Rule

from .cases import CASES
from .steps import Case

CLAIMING = [rule for rule in BOOK.rules if rule.about is not None]


@pytest.mark.parametrize("rule", CLAIMING, ids=lambda rule: rule.id)
def test_a_rule_is_silent_about_every_other_cause(rule: Rule) -> None:
    others = [case for case in CASES if not rule.is_about(type(case.step.cause))]
    assert [str(case) for case in others if rule.holds(case.step) is not None] == []


@pytest.mark.parametrize("case", [case for case in CASES if case.verdict is not None], ids=str)
def test_a_rule_is_about_what_it_judges(case: Case) -> None:
    assert BOOK.rule(case.rule).is_about(type(case.step.cause))
