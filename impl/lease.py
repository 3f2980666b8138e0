"""A lease as its holder knows it: kept alive by a heartbeat, and given up before the store would say so."""

import threading
import time
import uuid
from types import TracebackType
from typing import Self

from .outcomes import Done, Grant, Lost, Refused
from .store import Store


class Lease:
    """A granted lease, renewed from a thread of its own while the context lasts.

    What it knows is only a hint, for not sending what could not be recorded; whether a write counts, the store says.
    """

    def __init__(self, store: Store, grant: Grant, asked_at: float, heartbeat_seconds: float | None) -> None:
        """`asked_at` is this host's monotonic time before the lease was asked for, so never later than its start."""
        self.grant = grant
        self._store = store
        self._expires = asked_at + grant.lease_seconds
        self._interval = heartbeat_seconds or grant.lease_seconds / 3
        self._refused = threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    @property
    def is_live(self) -> bool:
        """As far as this host can tell."""
        return not self._refused.is_set() and time.monotonic() < self._expires

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()

    def _beat(self) -> None:
        pause = self._interval
        while not self._over.wait(pause):
            before = time.monotonic()
            outcome = self._store.perform(
                "renew", command_id=str(uuid.uuid4()), run=self.grant.run, fence=self.grant.fence
            )
            match outcome:
                case Done():
                    self._expires, pause = before + self.grant.lease_seconds, self._interval
                case Lost():
                    pause = self._interval / 4
                case Refused():
                    self._refused.set()
                    return
