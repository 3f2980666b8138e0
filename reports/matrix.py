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
    """All rules; parts that tested none have no column: first those of all commands, then experiments as they ran."""
    ran = [finding.name for finding in summary.experiments]
    named = dict.fromkeys(part for rule in summary.rules for part, times in rule.record.exercised.items() if times)
    parts = tuple(sorted(named, key=lambda part: ran.index(part) if part in ran else -1))
    rows = tuple(Row(rule, tuple(rule.record.exercised.get(part, 0) for part in parts)) for rule in summary.rules)
    tested = tuple(sum(bool(row.times[place]) for row in rows) for place in range(len(parts)))
    return Matrix(parts, frozenset(ran), rows, tested)


def short(number: int) -> str:
    """At most four characters: `950`, `18k`, `1.2M`; nothing for 0."""
    if number < 1000:
        return str(number) if number else ""
    if number < 999_500:
        return f"{number / 1000:.1f}k" if number < 9_950 else f"{number / 1000:.0f}k"
    return f"{number / 1e6:.1f}M" if number < 9_950_000 else f"{number / 1e6:.0f}M"
