"""Which walks concern a rule: those on which the perfect model lets it have something to say."""

from collections.abc import Iterable, Sequence
from functools import cache

from keepfact.model.tours import Walk, taken
from keepfact.spec.book import BOOK
from keepfact.spec.chapter import Rule
from keepfact.spec.vocabulary import Step


def nearest_first(walks: Sequence[Walk], rules: Iterable[str]) -> list[Walk]:
    """The walks, first those that end in what these rules speak of, then those that pass it, and short ones first.

    Without rules they stay in their order.
    """
    asked = [BOOK.rule(rule) for rule in rules]
    return sorted(walks, key=lambda walk: _distance(walk, asked)) if asked else list(walks)


def _distance(walk: Walk, rules: Sequence[Rule]) -> tuple[int, int, int]:
    steps = _steps(walk)
    ends = sum(_speaks(rule, steps[-1]) for rule in rules)
    passes = sum(any(_speaks(rule, step) for step in steps) for rule in rules)
    return -ends, -passes, len(steps)


def _speaks(rule: Rule, step: Step) -> bool:
    return rule.is_about(type(step.cause)) and rule.holds(step) is not None


@cache
def _steps(walk: Walk) -> tuple[Step, ...]:
    """Whoever asks about one rule asks about others, too."""
    return tuple(taken(walk))
