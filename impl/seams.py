"""The places where a worker or a recovery can be held: it says where it is, and goes on when it is told to.

Without KEEPFACT_SEAMS in the environment a seam does nothing. With it, it names a Unix socket that listens; the process
writes the name of each seam as a line and waits for the line `go`. When the other side closes the socket, it ends at
once, whatever it is doing: it must never outlive the test that holds it.
"""

import os
import socket
import threading
from collections.abc import Mapping
from queue import SimpleQueue
from typing import NoReturn

EXIT_CODE = 75


class Seams:
    """Seams around every durable write and every send.

    Before a write the name begins with a word in -ing (`recording answer of attempt`), after it with the past form.
    """

    def __init__(self, socket_path: str | None) -> None:
        self._permits: SimpleQueue[None] = SimpleQueue()
        self._connection: socket.socket | None = None
        if socket_path:
            self._connection = socket.socket(socket.AF_UNIX)
            self._connection.connect(socket_path)
            threading.Thread(target=self._listen, args=(self._connection,), daemon=True).start()

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> "Seams":
        """The seams that the environment asks for."""
        return cls(environment.get("KEEPFACT_SEAMS"))

    def reach(self, name: str) -> None:
        """Say that the seam was reached; return when told to go on."""
        if self._connection is None:
            return
        try:
            self._connection.sendall(name.encode() + b"\n")
        except OSError:
            _die()
        self._permits.get()

    def _listen(self, connection: socket.socket) -> None:
        """In a thread of its own, so that the end is noticed also while the worker waits for something else."""
        try:
            with connection.makefile("r") as lines:
                for line in lines:
                    if line.strip() == "go":
                        self._permits.put(None)
        finally:
            _die()


def _die() -> NoReturn:
    os._exit(EXIT_CODE)
