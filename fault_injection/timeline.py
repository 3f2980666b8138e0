"""The marks of one trace: what a reader sees on its timeline, in the order in which it happened."""

from collections.abc import Iterable

from keepfact.conformance.evidence import EvidenceWriter, MarkRecord
from keepfact.spec.vocabulary import EventType, RunView

from .world.ledger import Endpoint, Entry, Happened, now

_SHAPES = {
    Happened.ARRIVED: "request",
    Happened.ACTED: "commit",
    Happened.ANSWERED: "answer",
    Happened.REFUSED: "refused",
    Happened.CUT: "answer",
}
_ENDS = {EventType.SEALED, EventType.ENDED}


class Timeline:
    """Collects marks, and writes them in order of time when the trace is over."""

    def __init__(self, trace: str) -> None:
        self._trace = trace
        self._begun_at = now()
        self._marks: list[tuple[float, str, str, str]] = []

    def begin(self) -> None:
        """Count time from here; what was marked before counts as the beginning."""
        self._begun_at = now()

    def mark(self, lane: str, shape: str, text: str, at: float | None = None) -> None:
        """Something happened just now, or at that wall time."""
        self._marks.append((now() if at is None else at, lane, shape, text))

    def mark_commits(self, old: RunView | None, new: RunView | None) -> None:
        """Events that became visible since the last look; when exactly they were committed nobody outside can say."""
        known = len(old.history) if old else 0
        for event in new.history[known:] if new else ():
            about = f" {event.concerns}" if event.concerns else ""
            text = f"event {event.number} by {event.entry_point}: {event.type}{about}"
            self.mark("database", "end" if event.type in _ENDS else "commit", text)

    def mark_outside(self, entries: Iterable[Entry]) -> None:
        """What the world's ledger says, at the times it says."""
        for entry in entries:
            lane = "model" if entry.endpoint is Endpoint.MODEL else "tool"
            shape = "evidence" if entry.endpoint is Endpoint.LOOKUP else _SHAPES[entry.happened]
            self.mark(lane, shape, _told(entry), entry.at)

    def write(self, evidence: EvidenceWriter) -> None:
        """Put the marks into the evidence."""
        for at, lane, shape, text in sorted(self._marks, key=lambda mark: mark[0]):
            at_ms = max(0, round((at - self._begun_at) * 1000))
            evidence.write(MarkRecord(trace=self._trace, lane=lane, at_ms=at_ms, shape=shape, text=text))


def _told(entry: Entry) -> str:
    what = f"{entry.endpoint} {entry.happened} {entry.key or 'without a key'}"
    cost = f", {entry.cost_cents} cents" if entry.happened is Happened.ACTED else ""
    return f"{what}{cost}{': ' if entry.says else ''}{entry.says}"
