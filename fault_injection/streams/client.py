"""One client of a stream: it opens the stream, reads, and comes back to it after it was cut."""

import socket
from urllib.parse import urlsplit

from keepfact.conformance.abilities import StreamAddress

from ..waiting import PATIENCE_SECONDS, is_readable, wait_until
from .connection import Connection, StreamError
from .parsing import Told

SIP_BYTES = 16
"""So little is read at once where it matters how far."""


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
        """Open the stream, from the last event on that it has. Raises StreamError, and OSError if nobody is there."""
        parts = urlsplit(self._address.url)
        if parts.scheme != "http" or parts.hostname is None:
            raise StreamError(f"expected the stream at an http:// URL, but it is at {self._address.url!r}.")
        opened = socket.create_connection((parts.hostname, parts.port or 80), PATIENCE_SECONDS)
        self.connections.append(Connection(self.last, opened))
        self.now.ask(self._address.url, dict(self._address.headers))

    def read_into(self, number: int) -> None:
        """Read, a few bytes at a time, until that event is there and a part of what follows; or all of the answer.

        Raises NotReachedError if nothing comes any more.
        """
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
