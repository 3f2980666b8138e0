"""A client of the protocol written by hand: it sends just the messages it is told to, as drivers elsewhere do."""

import base64
import hashlib
import hmac
import socket
import struct
from types import TracebackType
from typing import Self

PATIENCE_SECONDS = 20.0
ROUNDS = 4096


class Raw:
    """A session. `said` is what the server has said since it was last asked for: the type and body of each message."""

    def __init__(self, address: tuple[str, int], parts: dict[str, str], **parameters: str) -> None:
        self.socket = socket.create_connection(address, PATIENCE_SECONDS)
        self.socket.sendall(startup(user=parts["user"], database=parts["dbname"], **parameters))
        self._unread = b""
        self._log_in(parts["password"])
        self.until(b"Z")

    def ask(self, *messages: bytes) -> list[tuple[bytes, bytes]]:
        """Send these at once, and wait until the server is ready."""
        self.socket.sendall(b"".join(messages))
        return self.until(b"Z")

    def until(self, type_: bytes) -> list[tuple[bytes, bytes]]:
        """What the server says, up to a message of that type."""
        heard = [self._next()]
        while heard[-1][0] != type_:
            heard.append(self._next())
        return heard

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _next(self) -> tuple[bytes, bytes]:
        head = self._take(5)
        return head[:1], self._take(struct.unpack("!I", head[1:])[0] - 4)

    def _take(self, size: int) -> bytes:
        while len(self._unread) < size:
            received = self.socket.recv(65536)
            if not received:
                raise EOFError("the server has closed the connection")
            self._unread += received
        taken, self._unread = self._unread[:size], self._unread[size:]
        return taken

    def _log_in(self, password: str) -> None:
        """SCRAM-SHA-256, as RFC 5802 says."""
        assert self._next() == (b"R", struct.pack("!I", 10) + b"SCRAM-SHA-256\0\0")
        first = "n=,r=nonce"
        self.socket.sendall(
            message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!I", len(first) + 3) + b"n,," + first.encode())
        )
        challenge = self._next()[1][4:].decode()
        said = dict(part.split("=", 1) for part in challenge.split(","))
        salted = hashlib.pbkdf2_hmac("sha256", password.encode(), base64.b64decode(said["s"]), int(said["i"]))
        key = hmac.digest(salted, b"Client Key", "sha256")
        last = f"c=biws,r={said['r']}"
        signature = hmac.digest(hashlib.sha256(key).digest(), f"{first},{challenge},{last}".encode(), "sha256")
        proof = bytes(a ^ b for a, b in zip(key, signature, strict=True))
        self.socket.sendall(message(b"p", f"{last},p={base64.b64encode(proof).decode()}".encode()))


def message(type_: bytes, body: bytes = b"") -> bytes:
    return type_ + struct.pack("!I", len(body) + 4) + body


def startup(**parameters: str) -> bytes:
    body = struct.pack("!I", 196608) + b"".join(f"{name}\0{value}\0".encode() for name, value in parameters.items())
    return struct.pack("!I", len(body) + 5) + body + b"\0"


def query(text: str) -> bytes:
    return message(b"Q", text.encode() + b"\0")


def parse(text: str, name: str = "") -> bytes:
    return message(b"P", f"{name}\0{text}\0".encode() + b"\0\0")


def bind(name: str = "", portal: str = "") -> bytes:
    return message(b"B", f"{portal}\0{name}\0".encode() + b"\0\0" * 3)


def describe(portal: str = "") -> bytes:
    return message(b"D", b"P" + portal.encode() + b"\0")


def execute(portal: str = "", rows: int = 0) -> bytes:
    return message(b"E", portal.encode() + b"\0" + struct.pack("!I", rows))


def unnamed(text: str) -> bytes:
    """What a driver sends for a statement that it does not keep."""
    return parse(text) + bind() + describe() + execute()


SYNC, FLUSH, TERMINATE = message(b"S"), message(b"H"), message(b"X")


def types(heard: list[tuple[bytes, bytes]]) -> str:
    """The types of what was heard, one letter each."""
    return b"".join(type_ for type_, _ in heard).decode()
