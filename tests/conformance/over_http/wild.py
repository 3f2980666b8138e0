"""Servers on real sockets that do not do as the protocol says, each in a thread of the test."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

SYSTEM = json.dumps({"name": "wild", "lease_seconds": 30, "contracts": ["settle"], "versions": {"wild": "1"}}).encode()
NOTHING_SHOWN = b"{}"

Act = Callable[[socket.socket], bool]
"""Does something to whoever asked; whether the connection goes on."""


def answering(body: bytes, status: str = "200 OK", *more: str, media_type: str = "application/json") -> Act:
    """A whole answer."""
    head = "\r\n".join([f"HTTP/1.1 {status}", f"content-type: {media_type}", f"content-length: {len(body)}", *more])

    def act(asker: socket.socket) -> bool:
        asker.sendall(f"{head}\r\n\r\n".encode() + body)
        return True

    return act


def sending(*pieces: bytes, again: int = 1) -> Act:
    """These bytes, so many times over, and then an end."""

    def act(asker: socket.socket) -> bool:
        for _ in range(again):
            for piece in pieces:
                asker.sendall(piece)
        return False

    return act


def trickling(head: bytes) -> Act:
    """A beginning, and then one byte now and then, for as long as anybody listens."""

    def act(asker: socket.socket) -> bool:
        asker.sendall(head)
        asker.settimeout(0.02)
        while True:
            with suppress(TimeoutError):
                if not asker.recv(1):
                    return False
            asker.sendall(b"x")

    return act


def hanging(asker: socket.socket) -> bool:
    """Takes what is asked, and never says anything."""
    asker.recv(1)
    return False


class Wild:
    """`acts` says what is done when a path is asked; /system and /observe are answered well unless it says otherwise.

    `asked` are the paths in the order in which they were asked.
    """

    def __init__(self, **acts: Act) -> None:
        fine = answering(b"", "204 No Content")
        self._acts = {
            "system": answering(SYSTEM), "observe": answering(NOTHING_SHOWN), "begin": fine, "tick": fine,
            "close": fine, **acts,
        }  # fmt: skip
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._askers: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.asked: list[str] = []

    def change(self, **acts: Act) -> None:
        """Does something else from now on."""
        self._acts.update(acts)

    def stop(self) -> None:
        """Listens no more, and cuts whoever is there."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)
        self.cut()

    def cut(self) -> None:
        """Cuts whoever is there."""
        for asker in self._askers:
            with suppress(OSError):
                asker.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                asker, _ = self._listener.accept()
                self._askers.append(asker)
                threading.Thread(target=self._serve, args=(asker,), daemon=True).start()

    def _serve(self, asker: socket.socket) -> None:
        with asker, suppress(OSError):
            goes_on = True
            while goes_on and (path := _read(asker)):
                self.asked.append(path)
                goes_on = self._acts[path.lstrip("/")](asker)
            asker.shutdown(socket.SHUT_RDWR)


@contextmanager
def wild(**acts: Act) -> Iterator[Wild]:
    """A server that does so, for a while."""
    server = Wild(**acts)
    try:
        yield server
    finally:
        server.stop()


def _read(asker: socket.socket) -> str | None:
    """The path of one whole request; None at the end."""
    head = b""
    while b"\r\n\r\n" not in head:
        if not (more := asker.recv(65_536)):
            return None
        head += more
    head, _, body = head.partition(b"\r\n\r\n")
    lines = head.decode().lower().split("\r\n")
    length = next((int(line.partition(":")[2]) for line in lines if line.startswith("content-length:")), 0)
    while len(body) < length:
        body += asker.recv(65_536)
    return head.decode().split()[1]
