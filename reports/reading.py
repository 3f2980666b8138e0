"""Reading an evidence directory once, and whether what was read is what was written.

However long a run was, little of it is kept: what reports tell of, and of pictures those that can be worth drawing.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from keepfact.conformance.evidence import (
    EvidenceReader,
    ExpectationRecord,
    Footer,
    Header,
    MarkRecord,
    MeetingRecord,
    PartRecord,
    Record,
    ShownRecord,
    StepRecord,
    StoryRecord,
)
from keepfact.conformance.evidence.directory import EVIDENCE, record_on

TRACES_MAX, MARKS_MAX = 300, 1000
"""So many traces of each part of a run, beside those that stories tell of, keep so many of their marks."""


class Standing(StrEnum):
    """Complete: the footer is there and fits. Cut off: there is none. Altered: it does not fit what stands before."""

    COMPLETE = "complete"
    CUT_OFF = "cut_off"
    ALTERED = "altered"


@dataclass(frozen=True, slots=True)
class Reading:
    """What reports tell of. Steps, meetings and expectations are only counted: verdicts sum them up.

    `traces_left_out` have marks that are not kept. `digest` is SHA-256 of the whole file, in hex.
    """

    header: Header
    footer: Footer | None
    standing: Standing
    records: tuple[Record, ...]
    steps: int
    traces_left_out: int
    digest: str


def read(directory: Path) -> Reading:
    """Read every record once; raises EvidenceError when there is no header or a line is no record."""
    reader = EvidenceReader(directory)
    header = reader.header()
    kept, counts, footer = _Kept(_told_of(directory)), Counter[str](), None
    for record in reader:
        counts[record.kind] += 1
        if isinstance(record, Footer):
            footer = record
        kept.take(record)
    before_last_line, whole = _digests(directory)
    standing = Standing.CUT_OFF
    if footer is not None:
        standing = Standing.COMPLETE if footer.digest == before_last_line else Standing.ALTERED
    return Reading(header, footer, standing, tuple(kept.records), counts["step"], len(kept.left_out), whole)


class _Kept:
    """What is kept of the records, as they come."""

    def __init__(self, told_of: frozenset[str]) -> None:
        self.records: list[Record] = []
        self.left_out: set[str] = set()
        self._told_of = told_of
        self._marks: Counter[str] = Counter()

    def take(self, record: Record) -> None:
        match record:
            case StepRecord() | ShownRecord() | MeetingRecord() | ExpectationRecord():
                pass
            case MarkRecord():
                self._take_mark(record)
            case PartRecord():
                self._marks.clear()
                self.records.append(record)
            case _:
                self.records.append(record)

    def _take_mark(self, mark: MarkRecord) -> None:
        is_wanted = mark.trace in self._told_of or mark.trace in self._marks or len(self._marks) < TRACES_MAX
        if is_wanted:
            self._marks[mark.trace] += 1
        if is_wanted and self._marks[mark.trace] <= MARKS_MAX:
            self.records.append(mark)
        else:
            self.left_out.add(mark.trace)


def _told_of(directory: Path) -> frozenset[str]:
    """The traces that stories tell of, which come after their marks."""
    return frozenset(record.trace for record in _beginning_with(directory, b'{"kind":"story",'))


def _beginning_with(directory: Path, start: bytes) -> Iterator[StoryRecord]:
    with (directory / EVIDENCE).open("rb") as lines:
        for line in lines:
            if not line.startswith(start):
                continue
            try:
                record = record_on(line)
            except ValueError:
                continue  # whoever reads all lines says what is wrong with this one
            if isinstance(record, StoryRecord):
                yield record


def _digests(directory: Path) -> tuple[str, str]:
    """Of all lines but the last, and of all. Whatever stands after the footer makes it part of the former."""
    digest, before, last = hashlib.sha256(), hashlib.sha256(), b""
    with (directory / EVIDENCE).open("rb") as lines:
        for line in lines:
            before.update(last)
            digest.update(line)
            last = line
    return before.hexdigest(), digest.hexdigest()
