"""Reads evidence line by line, as somebody who doubts it, and goes on where others give up."""

import hashlib
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from keepfact.conformance.evidence import Footer, Header, Record
from keepfact.conformance.evidence.digests import DIGESTS, LENGTH, line_digest
from keepfact.conformance.evidence.directory import EVIDENCE, record_on, what_is_wrong

from .finding import FINDINGS_MAX, Finding

LINE_BYTES_MAX = 256 * 1024 * 1024
"""No run writes longer ones; whoever reads must not be made to hold more."""

AHEAD = 100
"""So far is looked for a line that does not stand where it was written."""


class Lines:
    """The records of a directory, each once, with what is wrong with their lines. `footer` is known in the end."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._whole = hashlib.sha256()
        self._counts: Counter[str] = Counter()
        self.findings: list[Finding] = []
        self.footer: Footer | None = None

    def __iter__(self) -> Iterator[tuple[int, Record]]:
        """Every record that can be read, with the number of its line."""
        with ExitStack() as opened:
            try:
                lines = opened.enter_context((self._directory / EVIDENCE).open("rb"))
                written = _Written(opened.enter_context((self._directory / DIGESTS).open("rb")))
            except OSError as error:
                self._find(0, f"{error.filename}: {error.strerror}")
                return
            yield from self._read(lines, written)

    def find(self, line: int, what: str) -> None:
        """Note something that is wrong with a line."""
        self._find(line, what)

    def find_in(self, file: str, line: int | None, what: str) -> None:
        """Note something that is wrong with a line of another file."""
        if len(self.findings) < FINDINGS_MAX:
            self.findings.append(Finding(file, line, what))

    def _read(self, lines: BinaryIO, written: "_Written") -> Iterator[tuple[int, Record]]:
        number = 0
        for number, line in enumerate(iter(lambda: lines.readline(LINE_BYTES_MAX), b""), 1):
            for said in written.unlike(line) if len(self.findings) < FINDINGS_MAX else ():
                self._find(number, said)
            record = self._record(number, line)
            if record is not None:
                self._place(number, record)
                yield number, record
            self._whole.update(line)
        if left := written.left():
            self._find(number + 1, f"{left} lines that were written are missing here")
        if self.footer is None:
            self._find(number + 1, "there is no footer: the run was cut off, or its end was taken away")

    def _record(self, number: int, line: bytes) -> Record | None:
        if not line.endswith(b"\n"):
            self._find(number, "the line is not complete")
            return None
        try:
            return record_on(line)
        except ValueError as error:
            self._find(number, f"it is no record as this version knows them: {what_is_wrong(error)[:200]}")
            return None

    def _place(self, number: int, record: Record) -> None:
        """Header first, footer last, and what the footer says of all that stands before it."""
        if isinstance(record, Header) != (number == 1):
            self._find(number, "the header stands on the first line, and nowhere else")
        if self.footer is not None:
            self._find(number, "it stands after the footer")
        elif isinstance(record, Footer):
            self.footer = record
            if record.digest != self._whole.hexdigest():
                self._find(number, "its digest is not that of the lines before it: one of them is another than it was")
            if record.counts != self._counts:
                self._find(number, f"it counts {_told(record.counts)}, and there are {_told(self._counts)}")
        self._counts[record.kind] += 1

    def _find(self, line: int, what: str) -> None:
        self.find_in(EVIDENCE, line or None, what)


class _Written:
    """The digests of the lines as they were written, one after the other."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._next: deque[str] = deque()
        self._number = 0
        self._passed: dict[str, int] = {}

    def unlike(self, line: bytes) -> Iterator[str]:
        """What is to be said of a line that is not the one that was written next."""
        digest = line_digest(line)
        self._fill()
        if self._next and self._next[0] == digest:
            self._take()
        elif digest in self._passed:
            yield f"it was line {self._passed.pop(digest)} when it was written"
        elif digest in self._next:
            first = self._number + 1
            while self._next[0] != digest:
                self._pass()
            self._take()
            last = self._number - 1
            gone = f"line {first} is" if first == last else f"lines {first} to {last} are"
            yield f"it was line {self._number} when it was written: {gone} not before it any more"
        else:
            yield "it is not the line that was written: it was changed, or put in"
            self._pass()

    def left(self) -> int:
        """How many more lines were written."""
        return len(self._next) + sum(1 for _ in self._file)

    def _pass(self) -> None:
        digest = self._take()
        self._passed[digest] = self._number

    def _take(self) -> str:
        if not self._next:
            return ""
        self._number += 1
        return self._next.popleft()

    def _fill(self) -> None:
        wanted = AHEAD - len(self._next)
        if wanted > AHEAD // 2:
            lines = islice(iter(lambda: self._file.readline(10 * LENGTH), b""), wanted)
            self._next.extend(line.rstrip(b"\n").decode("ascii", "replace") for line in lines)


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items())) or "nothing"
