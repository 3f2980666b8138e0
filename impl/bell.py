"""A bell that is rung once, to end something: also from a signal handler, and waited for from several threads."""

from contextlib import suppress
from queue import Empty, SimpleQueue


class Bell:
    """What threading.Event offers of this, without its lock.

    A handler runs in the main thread between two instructions of it. If those were inside of Event.wait, then set would
    wait for a lock that its own thread holds, for ever; a SimpleQueue may be put to from anywhere.
    """

    def __init__(self) -> None:
        self._has_rung = False
        self._rings: SimpleQueue[None] = SimpleQueue()

    def set(self) -> None:
        """Ring."""
        self._has_rung = True
        self._rings.put(None)

    def is_set(self) -> bool:
        return self._has_rung

    def wait(self, seconds: float) -> bool:
        """Return when it rings, at the latest after so many seconds; whether it has rung."""
        if not self._has_rung:
            with suppress(Empty):
                self._rings.get(timeout=seconds)
                self._rings.put(None)  # for whoever waits beside us
        return self._has_rung
