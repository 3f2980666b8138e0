"""What stands in a ledger of truth: what arrived at servers outside, what acted, what it cost and who heard of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

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


ENTRIES = TypeAdapter(Entry)
ENDPOINTS = {CallKind.ATTEMPT: Endpoint.MODEL, CallKind.OPERATION: Endpoint.TOOL}
"""Where requests of each kind arrive."""

_KINDS = {endpoint: kind for kind, endpoint in ENDPOINTS.items()}


def truth_of(entries: Iterable[Entry], run: RunId) -> Truth:
    """What really happened to one run's calls. Requests without a key stand together under the empty id."""
    calls: dict[CallId, CallTruth] = {}
    for entry in entries:
        if entry.belongs_to(run) and entry.endpoint in _KINDS:
            call = CallId(entry.key or "")
            nothing_yet = CallTruth(call, _KINDS[entry.endpoint], requests=0, acts=0, cost_cents=0)
            calls[call] = _with(calls.get(call, nothing_yet), entry)
    return Truth(tuple(calls.values()))


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
