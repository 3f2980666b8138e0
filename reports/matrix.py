"""Which rule was put to the test where, and how often: rules down, parts of the run across."""

from dataclasses import dataclass

from .rules import RuleFinding
from .summary import Summary


@dataclass(frozen=True, slots=True)
class Row:
    """One rule; `times` has one number a part."""

    finding: RuleFinding
    times: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """`experiments` are those of the parts that are experiments; `tested` counts the rules that each part tested."""

    parts: tuple[str, ...]
    experiments: frozenset[str]
    rows: tuple[Row, ...]
    tested: tuple[int, ...]


def matrix(summary: Summary) -> Matrix:
    """All rules. Parts that tested none have no column: first the model and what is done command by
    command, then experiments as they ran.
    """
    ran = [finding.name for finding in summary.experiments]
    times = {rule.record.rule: _times(summary, rule) for rule in summary.rules}
    named = dict.fromkeys(part for parts in times.values() for part, number in parts.items() if number)
    first = [*_OF_COMMANDS, *(part for part in named if part not in ran), *ran]
    parts = tuple(sorted(named, key=first.index))
    rows = tuple(Row(rule, tuple(times[rule.record.rule].get(part, 0) for part in parts)) for rule in summary.rules)
    tested = tuple(sum(bool(row.times[place]) for row in rows) for place in range(len(parts)))
    return Matrix(parts, frozenset(ran), rows, tested)


_OF_COMMANDS = ("model", "lockstep", "meetings")


def _times(summary: Summary, rule: RuleFinding) -> dict[str, int]:
    """What counts for the rule's verdict, and on how many edges of the model it spoke."""
    edges = sum(scope.checked.get(rule.record.rule, 0) for scope in summary.scopes)
    return {"model": edges} | rule.record.exercised


def short(number: int) -> str:
    """At most four characters: `950`, `18k`, `1.2M`; nothing for 0."""
    if number < 1000:
        return str(number) if number else ""
    if number < 999_500:
        return f"{number / 1000:.1f}k" if number < 9_950 else f"{number / 1000:.0f}k"
    return f"{number / 1e6:.1f}M" if number < 9_950_000 else f"{number / 1e6:.0f}M"
