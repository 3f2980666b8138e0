"""The socket at which a worker of an experiment stops at each of its seams and waits for leave to go on."""

import socket
from pathlib import Path
from types import TracebackType
from typing import Self

from keepfact.conformance.abilities import Process

from .processes import ended
from .waiting import NotReachedError, is_readable, wait_until_readable


class Seams:
    """Listens for one worker. The worker is frozen between `next` and `go`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen(1)
        self._worker: socket.socket | None = None
        self._unread = b""

    def accept(self, process: Process) -> None:
        """Wait until the worker has connected. Raises NotReachedError if it ended instead."""
        with ended(process) as end:
            wait_until_readable(f"worker {process.pid} connects to its seams", self._listener, end)
        if not is_readable(self._listener):
            raise NotReachedError(f"expected worker {process.pid} to connect to its seams, but it ended before.")
        self._worker, _ = self._listener.accept()

    def next(self) -> str | None:
        """Wait for the name of the next seam. None: the worker has gone without reaching another."""
        while b"\n" not in self._unread:
            wait_until_readable("the worker reaches its next seam or ends", self._connected)
            received = self._receive()
            if not received:
                return None
            self._unread += received
        line, self._unread = self._unread.split(b"\n", 1)
        return line.decode()

    def go(self) -> None:
        """Let the worker go on to its next seam."""
        try:
            self._connected.sendall(b"go\n")
        except BrokenPipeError as error:
            raise NotReachedError("expected the worker to wait at its seam, but it has gone.") from error

    def has_news(self) -> bool:
        """The worker has reached another seam, or has gone."""
        return bool(self._unread) or is_readable(self._connected)

    def close(self) -> None:
        if self._worker is not None:
            self._worker.close()
        self._listener.close()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def _connected(self) -> socket.socket:
        if self._worker is None:
            raise RuntimeError("expected a worker at the seams; call accept first.")
        return self._worker

    def _receive(self) -> bytes:
        try:
            return self._connected.recv(4096)
        except ConnectionResetError:
            return b""  # killed with an unread `go`: the kernel says so by a reset
