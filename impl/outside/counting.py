"""How many requests have gone out, reads included."""

import threading
from collections import Counter
from collections.abc import Mapping
from typing import Literal

Kind = Literal["model", "tool", "lookup", "session"]
"""`session`: what a protocol needs around a call, and what no call is sent with."""


class Sent:
    """Counts the requests on the wire, by kind and id of the call; to be read from any thread."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[Kind, str]] = Counter()
        self._lock = threading.Lock()

    def add(self, kind: Kind, call: str) -> None:
        """One more has left, or may have."""
        with self._lock:
            self._counts[kind, call] += 1

    @property
    def counts(self) -> Mapping[tuple[Kind, str], int]:
        """As it stands now."""
        with self._lock:
            return dict(self._counts)

    def of(self, call: str) -> int:
        """All the requests about one call."""
        return sum(count for (_, counted), count in self.counts.items() if counted == call)
