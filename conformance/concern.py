"""Which walks concern a rule: those on which the perfect model lets it have something to say."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from keepfact.model.paths import Walk, taken
from keepfact.spec.book import BOOK
from keepfact.spec.chapter import Rule
from keepfact.spec.vocabulary import Step


def nearest_first(walks: Sequence[Walk], rules: Iterable[str]) -> list[Walk]:
    """The walks, first those that end in what these rules speak of, then those that pass it.

    Within these, each kind of last step comes once before any comes twice, and short walks come first. Without rules
    the walks stay in their order.
    """
    asked = [BOOK.rule(rule) for rule in rules]
    return _in_turns(sorted(walks, key=lambda walk: _distance(walk, asked)), asked) if asked else list(walks)


def _distance(walk: Walk, rules: Sequence[Rule]) -> tuple[int, int, int]:
    steps = _steps(walk)
    return (*_concern(steps, rules), len(steps))


def _concern(steps: Sequence[Step], rules: Sequence[Rule]) -> tuple[int, int]:
    """How many of the rules speak of the last step, and of any; negative, since the most comes first."""
    ends = sum(_speaks(rule, steps[-1]) for rule in rules)
    passes = sum(any(_speaks(rule, step) for step in steps) for rule in rules)
    return -ends, -passes


def _in_turns(walks: Sequence[Walk], rules: Sequence[Rule]) -> list[Walk]:
    """Some rules speak of nearly everything, but what shows a defect is mostly one kind of step."""
    met: Counter[object] = Counter()
    turns = list[tuple[tuple[int, int], int]]()
    for walk in walks:
        steps = _steps(walk)
        concern = _concern(steps, rules)
        kind = concern, type(steps[-1].cause)
        turns.append((concern, met[kind]))
        met[kind] += 1
    order = sorted(range(len(walks)), key=turns.__getitem__)
    return [walks[number] for number in order]


def _speaks(rule: Rule, step: Step) -> bool:
    return rule.is_about(type(step.cause)) and rule.holds(step) is not None


@cache
def _steps(walk: Walk) -> tuple[Step, ...]:
    """Whoever asks about one rule asks about others, too."""
    return tuple(taken(walk))
