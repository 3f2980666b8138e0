"""A process that renews a worker's lease, whatever keeps the worker busy, and pretends nothing.

A thread would not do: a call into C that holds the interpreter's lock, a sort or a regular expression, can outlast a
lease. It renews only while the step that the worker has begun is within the time stated for it, and it ends with the
worker, however that ends: its input closes.

Its input is lines. The first is a JSON object that names the store, and where Python finds our modules. `hold` begins a
lease, `until` is the end stated for the step under way, `drop` ends the lease. The process says first that it is
`ready`; then each `ask` is answered by a line: when the lease expires, and whether a renewal was refused (1 or 0). The
times are of the monotonic clock of this host, in seconds.

Each worker starts one, and few hold a lease for so long that it has to renew. So until then it imports next to nothing,
not even `site`, and is started as a file, which is why it names no module of ours before.
"""

import os
import signal
import sys
import threading
import time

TYPE_CHECKING = False  # as typing has it, which would have to be imported
if TYPE_CHECKING:
    from collections.abc import Callable

LOADING_SECONDS = 1.0
"""How long a lease is held at most before the driver is loaded with which it is renewed."""


class Held:
    """A lease. `due` is when to renew it; `name` is the run and its fence, as JSON."""

    def __init__(self, words: str) -> None:
        lease_seconds, interval_seconds, expires, until, self.name = words.split(" ", 4)
        self.lease_seconds, self.interval_seconds = float(lease_seconds), float(interval_seconds)
        self.expires, self.until = float(expires), float(until)
        self.due = time.monotonic() + self.interval_seconds
        self.is_refused = False

    def is_to_be_renewed(self, now: float) -> bool:
        """It is time, and the worker's step is within its own."""
        return not self.is_refused and self.due <= now < self.until

    def learn(self, answer: str, asked_at: float) -> None:
        """What a renewal has told."""
        match answer:
            case "Done":
                self.expires, self.due = asked_at + self.lease_seconds, asked_at + self.interval_seconds
            case "Lost":
                self.due = time.monotonic() + self.interval_seconds / 4
            case "Refused":
                self.is_refused = True


class Renewing:
    """One thread listens to the worker, another renews; each new word wakes the other.

    `greeting` is the first line. The driver of the database costs more than all else here, and is not loaded before a
    lease is held for so long that it may have to be renewed.
    """

    def __init__(self, greeting: str) -> None:
        self._greeting = greeting
        self._worker = os.getppid()
        self._held: Held | None = None
        self._news = threading.Condition()

    def hear(self, line: str) -> None:
        """Take a word of the worker."""
        word, _, rest = line.partition(" ")
        with self._news:
            if word == "hold":
                self._held = Held(rest)
            elif word == "drop":
                self._held = None
            elif word == "until" and self._held is not None:
                self._held.until = float(rest)
            self._news.notify()

    def answer(self) -> str:
        """What is known of the lease."""
        with self._news:
            if self._held is None:
                return "0.0 0"
            return f"{self._held.expires} {int(self._held.is_refused)}"

    def renew(self) -> None:
        """Whenever it is time, until the worker has gone. A process that cannot renew any more is none."""
        try:
            self._renew()
        except BaseException:
            import logging

            logging.getLogger("keepfact.heartbeat").exception("renewing has ended")
            os._exit(1)

    def _renew(self) -> None:
        with self._news:
            self._wait_until_held_for_a_while()
        perform = _opened(self._greeting)
        while True:
            with self._news:
                held = self._wait_until_due()
            if os.getppid() != self._worker:
                os._exit(0)  # somebody else still holds our input open
            asked_at = time.monotonic()
            answer = perform(held.name)
            with self._news:
                held.learn(answer, asked_at)

    def _wait_until_held_for_a_while(self) -> None:
        while (loading_at := self._loading_at()) is None or time.monotonic() < loading_at:
            self._news.wait(None if loading_at is None else max(0.0, loading_at - time.monotonic()))

    def _loading_at(self) -> float | None:
        if self._held is None:
            return None
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
    renewing: Renewing | None = None
    for line in map(str.rstrip, sys.stdin):
        if renewing is None:
            renewing = Renewing(line)
            threading.Thread(target=renewing.renew, daemon=True).start()
            _say("ready")
        elif line == "ask":
            _say(renewing.answer())
        else:
            renewing.hear(line)
    os._exit(0)  # a renewal that is under way is not waited for


def _say(said: str) -> None:
    """A worker that was killed meanwhile hears nothing, and then there is nobody left to renew for."""
    try:
        print(said, flush=True)
    except BrokenPipeError:
        os._exit(0)


def _opened(greeting: str) -> "Callable[[str], str]":
    """The driver loaded and the store opened: what renews the lease of that name, and says how that ended."""
    import json
    import logging
    import uuid

    told = json.loads(greeting)
    sys.path[:] = told["path"]
    from keepfact.impl.store import Identity, Store

    logging.basicConfig(level=os.environ.get("KEEPFACT_LOG", "WARNING"), format="%(name)s: %(message)s")
    store = Store({"work": told["dsn"]})
    if told["identity"] is not None:
        store = store.speaking_for(Identity(*told["identity"]))

    def renew(name: str) -> str:
        run, fence = json.loads(name)
        return type(store.perform("renew", command_id=str(uuid.uuid4()), run=run, fence=fence)).__name__

    return renew


if __name__ == "__main__":
    main()
