"""The time of day as a worker reads it, which can be made wrong: in its process Python's clock is another one.

Nothing else of it is changed; how long something takes it still measures by the clock of the host. Each worker answers
on a socket of its own: told how far its clock is to be ahead, or nothing, it says what its clock shows.
"""

import socket
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from keepfact.conformance.errors import KeepfactError

SOCKET, AHEAD = "KEEPFACT_CLOCK_SOCKET", "KEEPFACT_CLOCK_AHEAD_SECONDS"
ANSWER_SECONDS = 20.0


class Clocks:
    """Those of the workers of one system, as their harness holds them."""

    def __init__(self) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="keepfact-clocks-")
        self._sockets: dict[str, Path] = {}
        self._ahead: dict[str, int] = {}

    def settings_of(self, worker: str) -> dict[str, str]:
        """What the environment of a worker must say that is about to start."""
        self._sockets[worker] = Path(self._directory.name, str(len(self._sockets)))
        return {SOCKET: str(self._sockets[worker]), AHEAD: str(self._ahead.pop(worker, 0))}

    def skew(self, worker: str, ahead_seconds: int) -> None:
        """Have it go ahead: now, or from its start on."""
        if worker in self._sockets:
            self._ask(worker, str(ahead_seconds))
        else:
            self._ahead[worker] = ahead_seconds

    def read(self, worker: str) -> float:
        """What it shows, in Unix seconds."""
        return float(self._ask(worker, ""))

    def close(self) -> None:
        self._directory.cleanup()

    def _ask(self, worker: str, said: str) -> str:
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(ANSWER_SECONDS)
                connection.connect(str(self._sockets[worker]))
                connection.sendall(said.encode() + b"\n")
                answer = connection.makefile().readline()
        except OSError as error:
            raise KeepfactError(f"expected worker {worker} to say what its clock shows, but {error}.") from error
        return answer


def serve_if_asked(environment: Mapping[str, str]) -> None:
    """In the process of a worker: from here on its clock goes as it is told."""
    if SOCKET not in environment:
        return
    clock = _Clock(float(environment[AHEAD]))
    time.time, time.time_ns = clock.seconds, clock.nanoseconds
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(environment[SOCKET])
    listener.listen()
    threading.Thread(target=clock.serve, args=(listener,), daemon=True).start()


class _Clock:
    def __init__(self, ahead_seconds: float) -> None:
        self._ahead, self._seconds, self._nanoseconds = ahead_seconds, time.time, time.time_ns

    def seconds(self) -> float:
        return self._seconds() + self._ahead

    def nanoseconds(self) -> int:
        return self._nanoseconds() + int(self._ahead * 1e9)

    def serve(self, listener: socket.socket) -> None:
        while True:
            connection, _ = listener.accept()
            with connection:
                if said := connection.makefile().readline().strip():
                    self._ahead = float(said)
                connection.sendall(f"{time.time()}\n".encode())
