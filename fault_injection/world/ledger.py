"""The ledger of truth, as it is written and read: judges read it, systems never.

Append-only NDJSON, one line an entry, on disk before the next thing happens.
"""

import errno
import hashlib
import json
import os
import time
from pathlib import Path

from keepfact.conformance.ledger import ENDED, ENDPOINTS, ENTRIES, Endpoint, Entry, Happened, truth_of

__all__ = [
    "ENDED",
    "ENDPOINTS",
    "Endpoint",
    "Entry",
    "Happened",
    "Ledger",
    "LedgerReader",
    "digest_of",
    "now",
    "truth_of",
]


class Ledger:
    """Writes a new ledger. Each entry is one unbuffered write, and whole: a line that does not fit is taken back."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644)

    def write(self, entry: Entry) -> None:
        """Raises OSError if there is no room: then what it tells of must not happen."""
        line = ENTRIES.dump_json(entry, exclude_defaults=True) + b"\n"
        written = os.write(self._file, line)
        if written < len(line):
            os.ftruncate(self._file, os.fstat(self._file).st_size - written)
            raise OSError(errno.ENOSPC, "expected room for a line of the ledger, but there is none left")


class LedgerReader:
    """Reads a ledger that may still be growing; a line that is not complete yet is left for the next time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._entries: list[Entry] = []

    def entries(self) -> tuple[Entry, ...]:
        """Everything so far, in order."""
        with self._path.open("rb") as file:
            file.seek(self._offset)
            complete = file.read().rpartition(b"\n")
        self._offset += len(complete[0]) + len(complete[1])
        self._entries += [ENTRIES.validate_json(line) for line in complete[0].splitlines()]
        return tuple(self._entries)


def digest_of(body: object) -> str:
    """SHA-256, in hex, of a JSON body in its canonical form: sorted names, no blanks, ASCII."""
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def now() -> float:
    """Wall time: the world and the experiment are two processes, and share no other clock."""
    return round(time.time(), 6)
