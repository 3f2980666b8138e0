"""Where the messages of PostgreSQL's protocol (version 3) begin and end in what comes, and what a few of them say.

Both directions are a type of one byte, a length of four that counts itself, and the rest. Most messages only pass: of
them nothing is kept. What is to be read is kept until it is whole, or until it has become too large for that.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

HEADER_BYTES = 5
MESSAGE_BYTES_MAX = 0x4000_0000
"""The server itself takes no more."""

STARTUP_BYTES_MAX = 10_000
READ_BYTES_MAX = 256 * 1024
"""Of a message that is larger, this much of its beginning is read."""

_HEADER = struct.Struct("!BI")
_STARTUP = struct.Struct("!II")
_SSL, _GSS, _CANCEL = 80877103, 80877104, 80877102


class GarbageError(Exception):
    """What came is not PostgreSQL's protocol."""


class Message(NamedTuple):
    """A message to be read. `end` is where it ends in what was fed; beyond that, if only its beginning has come."""

    type: bytes
    body: bytes
    end: int


class Scanner:
    """Reads one direction of one connection."""

    def __init__(self, read: bytes, passing: bytes) -> None:
        """`read` are the types of the messages to be read, `passing` those of all others that there are."""
        self._read, self._passing = frozenset(read), frozenset(passing)
        self._rest = b""
        self._skip = 0

    def feed(self, chunk: bytes) -> tuple[bytes, list[Message]]:
        """What may go on now, and the messages in it that are to be read.

        The beginning of a message that is to be read is kept back until the rest has come. Raises GarbageError.
        """
        data = self._rest + chunk if self._rest else chunk
        size, at, found = len(data), self._skip, list[Message]()
        read, passing, unpack = self._read, self._passing, _HEADER.unpack_from
        while size - at >= HEADER_BYTES:
            type_, length = unpack(data, at)
            if not 4 <= length <= MESSAGE_BYTES_MAX:
                raise GarbageError(f"a message of type {type_} says it has {length} bytes")
            if type_ in passing:
                at += length + 1
            elif type_ in read:
                kept = at + min(length + 1, READ_BYTES_MAX)
                if kept > size:
                    break
                at, begin = at + length + 1, at
                found.append(Message(data[begin : begin + 1], data[begin + HEADER_BYTES : kept], at))
            else:
                raise GarbageError(f"there is no message of type {type_}")
        self._skip = max(0, at - size)
        self._rest = data[at:]
        return (data[:at] if self._rest else data), found


def client_scanner() -> Scanner:
    """For what a client says after its startup."""
    return Scanner(read=b"QPBECSHFcf", passing=b"DdpX")


def server_scanner() -> Scanner:
    """For what the server answers."""
    return Scanner(read=b"ZCEIsGW", passing=b"123AcdDKHNRSTVntv")


class Wish(Enum):
    """What a client wants when it comes."""

    SESSION = auto()
    ENCRYPTION = auto()
    CANCEL = auto()


@dataclass(frozen=True, slots=True)
class Startup:
    """The first packet of a client, with what it says of itself if it wants a session."""

    packet: bytes
    wish: Wish
    parameters: Mapping[str, str] = field(default_factory=dict)


def read_startup(data: bytes) -> Startup | None:
    """The first packet; None while it is not whole. Raises GarbageError."""
    if len(data) < _STARTUP.size:
        return None
    length, code = _STARTUP.unpack_from(data)
    if not _STARTUP.size <= length <= STARTUP_BYTES_MAX:
        raise GarbageError(f"a first packet says it has {length} bytes")
    if code not in (_SSL, _GSS, _CANCEL) and code >> 16 != 3:
        raise GarbageError(f"a first packet asks for protocol {code >> 16}")
    if len(data) < length:
        return None
    packet = data[:length]
    match code:
        case _ if code in (_SSL, _GSS):
            return Startup(packet, Wish.ENCRYPTION)
        case _ if code == _CANCEL:
            return Startup(packet, Wish.CANCEL)
        case _:
            said = [part.decode("utf-8", "replace") for part in packet[_STARTUP.size :].split(b"\0")]
            return Startup(packet, Wish.SESSION, dict(zip(said[::2], said[1::2], strict=False)))


def text_at(body: bytes, place: int = 0) -> str:
    """The string of that place in a body of strings, each ended by a zero or by the end of what there is."""
    parts = body.split(b"\0", place + 1)
    return parts[place].decode("utf-8", "replace") if place < len(parts) else ""


def sqlstate_of(body: bytes) -> str:
    """The code of an error, as `23505`; ????? if it has none."""
    return next((part[1:].decode("ascii", "replace") for part in body.split(b"\0") if part[:1] == b"C"), "?????")
