"""A lease as its holder knows it: kept alive by a heartbeat, and given up before the store would say so."""

import json
import logging
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from .outcomes import Grant
from .store import Identity

log = logging.getLogger("keepfact.worker")

REPLY_SECONDS = 5.0
"""A process on this host that has not answered by then is taken for dead."""


class Heartbeat:
    """The process that renews leases for this one, one at a time. It is started once, and again only if it has died.

    Nothing waits for it to start, and it opens nothing before the first renewal.
    """

    def __init__(self, dsn: str, identity: Identity | None = None) -> None:
        """`dsn` is that of the entry point of work."""
        self._greeting = json.dumps({"path": sys.path, "dsn": dsn, "identity": identity})
        self._process: subprocess.Popen[bytes] | None = None
        self._is_ready = False
        self._unread = b""

    @property
    def pid(self) -> int | None:
        """None while there is no process."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the process, unless there is one."""
        if self._process is None:
            command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("heartbeat.py"))]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            assert self._process.stdin is not None
            os.set_blocking(self._process.stdin.fileno(), False)  # a stopped one must not stop us
            self._is_ready, self._unread = False, b""
            self.say(self._greeting)

    def is_ready(self, patience_seconds: float = 0.0) -> bool:
        """It has started, which on a busy host can take as long as a short lease; waited for so long."""
        if self._process is None or self._is_ready:
            return self._process is not None
        assert self._process.stdout is not None
        try:
            self._line(self._process.stdout, time.monotonic() + patience_seconds)  # the first it says
        except TimeoutError:
            return False
        except (OSError, EOFError) as error:
            self._remove(error)
            return False
        self._is_ready = True
        return True

    def say(self, line: str) -> None:
        """Tell it something, if it is there."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        try:
            os.write(self._process.stdin.fileno(), line.encode() + b"\n")
        except OSError as error:
            self._remove(error)

    def ask(self, patience_seconds: float) -> tuple[float, bool] | None:
        """When the lease expires, and whether a renewal was refused; None if none has started, or if it does not answer
        in time, and then it is removed.
        """
        deadline = time.monotonic() + patience_seconds
        if self.is_ready(patience_seconds):
            self.say("ask")
        if self._process is None or not self._is_ready:
            return None
        assert self._process.stdout is not None
        try:
            expires, refused = self._line(self._process.stdout, deadline).split()
            return float(expires), refused == b"1"
        except (OSError, EOFError, ValueError) as error:
            self._remove(error)
            return None

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _line(self, stream: IO[bytes], deadline: float) -> bytes:
        while b"\n" not in self._unread:
            if not select.select([stream], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError("it does not answer")
            received = os.read(stream.fileno(), 4096)
            if not received:
                raise EOFError("it has ended")
            self._unread += received
        line, self._unread = self._unread.split(b"\n", 1)
        return line

    def _remove(self, error: Exception) -> None:
        log.warning("the heartbeat is gone: %s", error)
        self.close()


class Lease:
    """A granted lease, renewed by the heartbeat while the context lasts and its holder gets on.

    What it knows is only a hint, for not sending what could not be recorded; whether a write counts, the store says.
    """

    def __init__(
        self,
        heartbeat: Heartbeat,
        grant: Grant,
        asked_at: float,
        step_seconds: float,
        heartbeat_seconds: float | None = None,
    ) -> None:
        """`asked_at` is this host's monotonic time before the lease was asked for, so never later than its start.

        A step that takes longer than `step_seconds` is not covered: beyond that the lease is not renewed. Without
        `heartbeat_seconds` it is renewed three times in its length.
        """
        self.grant = grant
        self._heartbeat = heartbeat
        self._expires = asked_at + grant.lease_seconds
        self._step_seconds = step_seconds
        self._interval_seconds = heartbeat_seconds or grant.lease_seconds / 3
        self._is_refused = False

    def begin_step(self) -> None:
        """The holder gets on: from now it may take the length of a step again."""
        self._heartbeat.say(f"until {time.monotonic() + self._step_seconds}")

    @property
    def is_live(self) -> bool:
        """As far as this host can tell."""
        if not self._is_refused and self._heartbeat.is_ready():
            known = self._heartbeat.ask(max(REPLY_SECONDS, self._expires - time.monotonic()))
            if known is not None:
                self._expires, self._is_refused = known
        return not self._is_refused and time.monotonic() < self._expires

    def __enter__(self) -> Self:
        self._heartbeat.start()
        times = (self.grant.lease_seconds, self._interval_seconds, self._expires, time.monotonic() + self._step_seconds)
        name = json.dumps([self.grant.run, self.grant.fence])
        self._heartbeat.say(f"hold {' '.join(map(str, times))} {name}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._heartbeat.say("drop")
