"""One client of a stream: what it got over each of its connections, and how it was cut."""

import socket
import struct
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import h11

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.system import StreamAddress

from ..waiting import PATIENCE_SECONDS, NotReachedError, is_readable, wait_until
from .parsing import Parser, Told

END = "end"
"""The name of the event after which nothing comes."""

SIP_BYTES, GULP_BYTES = 16, 65_536


@dataclass
class Connection:
    """One TCP connection, and what came over it after the event with number `after`, 0 for from the first one on."""

    after: int
    socket: socket.socket
    events: list[Told] = field(default_factory=list)
    ends: int = 0
    read_bytes: int = 0
    status: int | None = None
    is_over: bool = False
    is_broken: bool = False

    def __post_init__(self) -> None:
        self._http = h11.Connection(h11.CLIENT)
        self._parser = Parser()
        self.comes_after_the_end = False

    @property
    def is_open(self) -> bool:
        """More can come."""
        return not (self.is_over or self.is_broken)

    @property
    def is_answered(self) -> bool:
        """The answer has begun, and is a stream."""
        return self.status == 200

    @property
    def has_part(self) -> bool:
        """Something of the next event has come."""
        return self._parser.has_part

    @property
    def numbers(self) -> list[int]:
        """Of the events that came."""
        return [_number(told) for told in self.events]

    @property
    def last(self) -> int:
        """The number of the last event that is known."""
        return _number(self.events[-1]) if self.events else self.after

    @property
    def goes_wrong(self) -> bool:
        """What came can be no beginning of what was asked for: a gap, a repetition, or anything after the end."""
        in_order = list(range(self.after + 1, self.after + 1 + len(self.events)))
        return self.numbers != in_order or self.ends > 1 or self.comes_after_the_end

    def ask(self, url: str, headers: dict[str, str]) -> None:
        """Send the request."""
        parts = urlsplit(url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        told = [("Host", parts.netloc), ("Accept", "text/event-stream"), *headers.items()]
        if self.after:
            told.append(("Last-Event-ID", str(self.after)))
        asked = self._http.send(h11.Request(method="GET", target=target, headers=told))
        asked = (asked or b"") + (self._http.send(h11.EndOfMessage()) or b"")
        self.socket.sendall(asked)

    def hear(self, most_bytes: int = GULP_BYTES) -> None:
        """Take what has come, so many bytes at most. There must be something, or the other side have closed."""
        try:
            content = self.socket.recv(most_bytes)
        except ConnectionResetError:
            self.is_broken = True
            return
        self.read_bytes += len(content)
        try:
            self._http.receive_data(content)
            self._take_in()
        except h11.RemoteProtocolError:
            self.is_broken = True  # it ended in the midst of an answer, or is none
        if not content and not self.is_over:
            self.is_broken = True

    @property
    def is_left_alone(self) -> bool:
        """It ended, and not as a stream of a run that has ended does: a client comes back then."""
        return self.is_broken or (self.is_over and not self.ends)

    @property
    def trouble(self) -> str | None:
        """Why nothing more can come that would help; None if it still can."""
        if self.status not in {None, 200}:
            return f"it was answered with {self.status} instead of 200"
        return "its connection broke off" if self.is_broken else None

    def cut(self) -> str:
        """Reset the connection, with whatever is still on its way. Gives the proof that it stood until then."""
        state = self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
        if state != _ESTABLISHED:
            raise NotReachedError(f"expected a connection to stand until it is cut, but its state in TCP is {state}.")
        port = self.socket.getsockname()[1]
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()
        self.is_broken = True
        part = ", and a part of the next" if self.has_part else ""
        return (
            f"the connection from port {port} was established; after {self.read_bytes} bytes, with event {self.last} "
            f"as the last{part}, it was reset"
        )

    def close(self) -> None:
        self.socket.close()

    def _take_in(self) -> None:
        while True:
            match self._http.next_event():
                case h11.Response() as answer:
                    self.status = answer.status_code
                    if not self.is_answered:
                        self.is_broken = True
                        return
                case h11.Data() as content:
                    for told in self._parser.feed(bytes(content.data)):
                        self._heard(told)
                case h11.EndOfMessage():
                    self.is_over = True
                case h11.NEED_DATA | h11.PAUSED | h11.ConnectionClosed():
                    return

    def _heard(self, told: Told) -> None:
        self.comes_after_the_end = self.comes_after_the_end or self.ends > 0
        if told.event == END:
            self.ends += 1
        else:
            self.events.append(told)


class StreamError(KeepfactError):
    """What is answered is no stream of events; the message says what was expected and what was seen."""


class Client:
    """Opens the stream of one run, and comes back to it after the last event that it has."""

    def __init__(self, address: StreamAddress) -> None:
        self._address = address
        self.connections: list[Connection] = []
        self.has_given_up = False

    @property
    def now(self) -> Connection:
        """The latest connection."""
        return self.connections[-1]

    @property
    def last(self) -> int:
        """The number of the last event that it has; 0 if none."""
        return self.now.last if self.connections else 0

    @property
    def events(self) -> list[Told]:
        """All that came, over whichever connection."""
        return [told for connection in self.connections for told in connection.events]

    def come(self) -> None:
        """Open the stream, from the last event on that it has."""
        parts = urlsplit(self._address.url)
        if parts.scheme != "http" or parts.hostname is None:
            raise StreamError(f"expected the stream at an http:// URL, but it is at {self._address.url!r}.")
        opened = socket.create_connection((parts.hostname, parts.port or 80), PATIENCE_SECONDS)
        self.connections.append(Connection(self.last, opened))
        self.now.ask(self._address.url, dict(self._address.headers))

    def read_into(self, number: int) -> None:
        """Read, a few bytes at a time, until that event is there and a part of what follows; or all of the answer."""
        while self.now.is_open and not (self.last >= number and self.now.has_part):
            wait_until(
                lambda: is_readable(self.now.socket), f"a client that has event {self.last} gets what comes after it"
            )
            self.now.hear(SIP_BYTES)

    def give_up(self) -> None:
        """Listen no more, and never come back: what came was wrong."""
        self.has_given_up = True
        self.close()

    def close(self) -> None:
        for connection in self.connections:
            connection.close()


def _number(told: Told) -> int:
    if not told.id.isdecimal():
        raise StreamError(f"expected the id of an event in a stream to be its number, but it is {told.id!r}.")
    return int(told.id)


_ESTABLISHED = 1
