"""Two evidences, one beside the other: what got better or worse, and what is covered that was not, or no more."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.verdicts import Verdict
from keepfact.spec.book import BOOK, Book

from .reading import Standing
from .summary import Summary, summarize


class Trend(StrEnum):
    """Covered is what holds or is violated: there somebody has looked."""

    WORSE = "worse"
    NO_LONGER_COVERED = "no longer covered"
    BETTER = "better"
    NEWLY_COVERED = "newly covered"
    REWORDED = "reworded"


IS_WORSE = frozenset({Trend.WORSE, Trend.NO_LONGER_COVERED})
"""What holds no more because nobody looks any more is no progress either."""


@dataclass(frozen=True, slots=True)
class Change:
    """A rule, or a part of the run, of which the two say otherwise. None: it is not there at all."""

    name: str
    before: Verdict | None
    after: Verdict | None
    trend: Trend


def compare(before: Path, after: Path, book: Book = BOOK) -> tuple[Change, ...]:
    """All changes, the worst first. Raises KeepfactError if either evidence is not whole."""
    old, new = _whole(before, book), _whole(after, book)
    changes = [*_of_rules(old, new), *_of_parts(old, new)]
    return tuple(sorted(changes, key=lambda change: list(Trend).index(change.trend)))


def _whole(directory: Path, book: Book) -> Summary:
    summary = summarize(directory, book)
    if summary.standing is not Standing.COMPLETE:
        raise KeepfactError(
            f"expected evidence that is whole in {directory}, but {summary.answer} "
            "There is nothing to compare; `keepfact audit` tells more."
        )
    return summary


def _of_rules(old: Summary, new: Summary) -> Iterator[Change]:
    before = {finding.record.rule: finding for finding in old.rules}
    after = {finding.record.rule: finding for finding in new.rules}
    for rule in before | after:
        was, now = before.get(rule), after.get(rule)
        if was and now and was.record.digest != now.record.digest:
            yield Change(rule, was.verdict, now.verdict, Trend.REWORDED)
        else:
            yield from _change(rule, was.verdict if was else None, now.verdict if now else None)


def _of_parts(old: Summary, new: Summary) -> Iterator[Change]:
    for part in old.parts | new.parts:
        yield from _change(part, old.parts.get(part), new.parts.get(part))


def _change(name: str, before: Verdict | None, after: Verdict | None) -> Iterator[Change]:
    if before is not after:
        yield Change(name, before, after, _trend(before, after))


def _trend(before: Verdict | None, after: Verdict | None) -> Trend:
    was_covered, is_covered = before in _COVERED, after in _COVERED
    if after is Verdict.VIOLATED:
        return Trend.WORSE
    if was_covered != is_covered:
        return Trend.NEWLY_COVERED if is_covered else Trend.NO_LONGER_COVERED
    if was_covered:
        return Trend.BETTER
    return Trend.WORSE if _UNCOVERED.index(after) > _UNCOVERED.index(before) else Trend.BETTER


_COVERED = {Verdict.HOLDS, Verdict.VIOLATED}
_UNCOVERED = (Verdict.NOT_APPLICABLE, None, Verdict.NOT_EXERCISED, Verdict.INCONCLUSIVE)
"""What nobody has looked at, from what need not be looked at to what was looked at in vain."""
