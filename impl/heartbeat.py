"""A process that renews a worker's lease, whatever keeps the worker busy, and pretends nothing.

A thread would not do: a call into C that holds the interpreter's lock, a sort or a regular expression, can outlast a
lease. It renews only while the step that the worker has begun is within the time stated for it, and it ends with the
worker, however that ends: its input closes.

Each line of its input is a JSON object. The first names the store; `hold` begins a lease, `until` is the end stated for
the step under way, `drop` ends the lease. The process says first that it is `ready`; then each `ask` is answered by a
line: when the lease `expires`, on the monotonic clock of this host, and whether a renewal was `refused`.
"""

import json
import logging
import math
import os
import signal
import sys
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from .outcomes import Done, Lost, Outcome, Refused

if TYPE_CHECKING:
    from .store import Store

log = logging.getLogger("keepfact.heartbeat")

LOADING_SECONDS = 1.0
"""How long a lease is held at most before the driver is loaded with which it is renewed."""


@dataclass
class Held:
    """A lease. Times are monotonic, in seconds; `due` is when to renew it."""

    run: str
    fence: int
    lease_seconds: float
    interval_seconds: float
    expires: float
    until: float
    due: float = 0.0
    is_refused: bool = False

    def is_to_be_renewed(self, now: float) -> bool:
        """It is time, and the worker's step is within its own."""
        return not self.is_refused and self.due <= now < self.until

    def learn(self, outcome: Outcome, asked_at: float) -> None:
        """What a renewal has told."""
        match outcome:
            case Done():
                self.expires, self.due = asked_at + self.lease_seconds, asked_at + self.interval_seconds
            case Lost():
                self.due = time.monotonic() + self.interval_seconds / 4
            case Refused():
                self.is_refused = True


class Renewing:
    """One thread listens to the worker, another renews; each new word wakes the other.

    `open_store` loads the driver of the database, which costs more than all else here: not before a lease is held for
    so long that it may have to be renewed.
    """

    def __init__(self, open_store: "Callable[[], Store]") -> None:
        self._open_store = open_store
        self._worker = os.getppid()
        self._held: Held | None = None
        self._news = threading.Condition()

    def hear(self, message: dict[str, Any]) -> None:
        """Take a word of the worker."""
        with self._news:
            if "hold" in message:
                self._held = Held(**message["hold"])
                self._held.due = time.monotonic() + self._held.interval_seconds
            elif "drop" in message:
                self._held = None
            elif "until" in message and self._held is not None:
                self._held.until = message["until"]
            self._news.notify()

    def answer(self) -> dict[str, Any]:
        """What is known of the lease."""
        with self._news:
            if self._held is None:
                return {"expires": 0.0, "refused": False}
            return {"expires": self._held.expires, "refused": self._held.is_refused}

    def renew(self) -> None:
        """Whenever it is time, until the worker has gone. A process that cannot renew any more is none."""
        try:
            self._renew()
        except BaseException:
            log.exception("renewing has ended")
            os._exit(1)

    def _renew(self) -> None:
        with self._news:
            self._wait_until_held_for_a_while()
        store = self._open_store()
        while True:
            with self._news:
                held = self._wait_until_due()
            if os.getppid() != self._worker:
                os._exit(0)  # somebody else still holds our input open
            asked_at = time.monotonic()
            outcome = store.perform("renew", command_id=str(uuid.uuid4()), run=held.run, fence=held.fence)
            with self._news:
                held.learn(outcome, asked_at)

    def _wait_until_held_for_a_while(self) -> None:
        while (now := time.monotonic()) < (loading_at := self._loading_at()):
            self._news.wait(None if loading_at == math.inf else loading_at - now)

    def _loading_at(self) -> float:
        if self._held is None:
            return math.inf
        held_since = self._held.due - self._held.interval_seconds
        return held_since + min(LOADING_SECONDS, self._held.interval_seconds / 4)

    def _wait_until_due(self) -> Held:
        while True:
            now, held = time.monotonic(), self._held
            if held is not None and held.is_to_be_renewed(now):
                return held
            is_waiting = held is not None and not held.is_refused and now < held.due
            self._news.wait(held.due - now if held is not None and is_waiting else None)


def main() -> None:
    """Serve the worker that has started this process."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # meant for the worker, which still needs its lease while it drains
    logging.basicConfig(level=os.environ.get("KEEPFACT_LOG", "WARNING"), format="%(name)s: %(message)s")
    renewing: Renewing | None = None
    for line in sys.stdin:
        message = json.loads(line)
        if renewing is None:
            renewing = Renewing(partial(_store, message))
            threading.Thread(target=renewing.renew, daemon=True).start()
            _say({"ready": True})
        elif "ask" in message:
            _say(renewing.answer())
        else:
            renewing.hear(message)
    os._exit(0)  # a renewal that is under way is not waited for


def _say(said: dict[str, Any]) -> None:
    """A worker that was killed meanwhile hears nothing, and then there is nobody left to renew for."""
    try:
        print(json.dumps(said), flush=True)
    except BrokenPipeError:
        os._exit(0)


def _store(message: dict[str, Any]) -> "Store":
    from .store import Identity, Store

    store = Store({"work": message["dsn"]})
    return store if message["identity"] is None else store.speaking_for(Identity(*message["identity"]))


if __name__ == "__main__":
    main()
