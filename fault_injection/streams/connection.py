"""One connection of a client of a stream: what came over it, whether that can be right, and how it was cut."""

import socket
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import h11

from keepfact.conformance.errors import KeepfactError

from ..resets import reset_on_close
from ..waiting import NotReachedError
from .parsing import Parser, Told

END = "end"
"""The name of the event after which nothing comes."""

GULP_BYTES = 65_536
_ESTABLISHED = 1  # the state of a connection, as linux/tcp_states.h numbers them


class StreamError(KeepfactError):
    """What is answered is no stream of events; the message says what was expected and what was seen."""


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
        """Of the events that came. Raises StreamError if one has no number as its id."""
        return [_number(told) for told in self.events]

    @property
    def last(self) -> int:
        """The number of the last event that is known."""
        return _number(self.events[-1]) if self.events else self.after

    @property
    def goes_wrong(self) -> bool:
        """What came can be no beginning of what was asked for: a gap, a repetition, or anything after the end."""
        in_order = list(range(self.after + 1, self.after + 1 + len(self.events)))
        return self.numbers != in_order or self.comes_after_the_end

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

    def ask(self, url: str, headers: dict[str, str]) -> None:
        """Send the request for this URL, and for what comes after `after`. Raises OSError."""
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        told = [("Host", parts.netloc), ("Accept", "text/event-stream"), *headers.items()]
        if self.after:
            told.append(("Last-Event-ID", str(self.after)))
        asked = self._http.send(h11.Request(method="GET", target=target, headers=told))
        asked = (asked or b"") + (self._http.send(h11.EndOfMessage()) or b"")
        self.socket.sendall(asked)

    def hear(self, most_bytes: int = GULP_BYTES) -> None:
        """Take what has come, so many bytes at most; waits, if there is nothing and the other side has not closed."""
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

    def cut(self) -> str:
        """Reset the connection, with whatever is still on its way. Gives the proof that it stood until then.

        Raises NotReachedError if it did not stand any more.
        """
        state = self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
        if state != _ESTABLISHED:
            raise NotReachedError(f"expected a connection to stand until it is cut, but its state in TCP is {state}.")
        port = self.socket.getsockname()[1]
        reset_on_close(self.socket)
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


def _number(told: Told) -> int:
    if not told.id.isdecimal():
        raise StreamError(f"expected the id of an event in a stream to be its number, but it is {told.id!r}.")
    return int(told.id)
