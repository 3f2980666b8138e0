"""The ledger of truth: what arrived at the world's servers, what acted, what it cost and who heard of it.

Append-only NDJSON, one line an entry, on disk before the next thing happens. Judges read it, systems never.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import TypeAdapter

from keepfact.spec.vocabulary import CallId, CallKind, CallTruth, RunId, Truth


class Endpoint(StrEnum):
    """Where a request can arrive."""

    MODEL = "model"
    TOOL = "tool"
    LOOKUP = "lookup"


class Happened(StrEnum):
    """What became of a request. `refused`: answered, and certain not to act. `cut`: no answer was heard."""

    ARRIVED = "arrived"
    ACTED = "acted"
    ANSWERED = "answered"
    REFUSED = "refused"
    CUT = "cut"


ENDED = frozenset({Happened.ANSWERED, Happened.REFUSED, Happened.CUT})
"""What ends a request: each has exactly one of these."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line. `request` numbers what arrived, from 1; `at` is wall time in seconds; `says` is for people."""

    at: float
    request: int
    endpoint: Endpoint
    happened: Happened
    run: str | None
    key: str | None
    fence: str | None
    digest: str
    cost_cents: int = 0
    status: int | None = None
    says: str = ""
    headers: dict[str, str] | None = None

    def belongs_to(self, run: RunId) -> bool:
        """It came over the run's own address, or, over no run's, under a key that names the run."""
        return self.run == run if self.run is not None else (self.key or "").startswith(f"{run}:")


_ENTRIES = TypeAdapter(Entry)
ENDPOINTS = {CallKind.ATTEMPT: Endpoint.MODEL, CallKind.OPERATION: Endpoint.TOOL}
"""Where requests of each kind arrive."""

_KINDS = {endpoint: kind for kind, endpoint in ENDPOINTS.items()}


class Ledger:
    """Writes a new ledger. Each entry is one unbuffered write."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644)

    def write(self, entry: Entry) -> None:
        os.write(self._file, _ENTRIES.dump_json(entry, exclude_defaults=True) + b"\n")


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
        self._entries += [_ENTRIES.validate_json(line) for line in complete[0].splitlines()]
        return tuple(self._entries)


def truth_of(entries: Iterable[Entry], run: RunId) -> Truth:
    """What really happened to one run's calls. Requests without a key stand together under the empty id."""
    calls: dict[CallId, CallTruth] = {}
    for entry in entries:
        if entry.belongs_to(run) and entry.endpoint in _KINDS:
            call = CallId(entry.key or "")
            nothing_yet = CallTruth(call, _KINDS[entry.endpoint], requests=0, acts=0, cost_cents=0)
            calls[call] = _with(calls.get(call, nothing_yet), entry)
    return Truth(tuple(calls.values()))


def digest_of(body: object) -> str:
    """SHA-256, in hex, of a JSON body in its canonical form: sorted names, no blanks, ASCII."""
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def now() -> float:
    """Wall time: the world and the experiment are two processes, and share no other clock."""
    return round(time.time(), 6)


def _with(call: CallTruth, entry: Entry) -> CallTruth:
    arrived = entry.happened is Happened.ARRIVED
    acted = entry.happened is Happened.ACTED
    return CallTruth(
        call.call,
        call.kind,
        requests=call.requests + arrived,
        acts=call.acts + acted,
        cost_cents=call.cost_cents + entry.cost_cents * acted,
    )
