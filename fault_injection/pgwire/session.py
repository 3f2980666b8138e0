"""One client and its server session: what each says goes on to the other, statement by statement.

A statement goes to the server once the one before it is answered, so that the seams of a session follow each other
whatever its client sends ahead. What goes on without being looked at is never collected; the answer to a statement that
is watched is kept back until the server is done, but of a large one only the end.
"""

import asyncio
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from .faults import CutError, Partition
from .line import Line
from .messages import GarbageError, Message, Startup, Wish, client_scanner, read_startup, server_scanner, sqlstate_of
from .seams import Client, Side
from .statements import IDLE, Answer, Course, Kind, Statements, shortened
from .upstream import Upstream
from .watch import Watch

COLLECTED_BYTES_MAX = 256 * 1024
ENDING_SECONDS_MAX = 10.0
"""How long a server may take to end the session of a client that was cut off."""

_IN_UNITS, _ENDS_GROUP, _ENDS_UNIT = b"QPBECSHF", b"QSF", b"QSFH"


@dataclass
class _Unit:
    """What a client sends up to Sync or Flush, or as one simple query."""

    pieces: list[bytes] = field(default_factory=list)
    size: int = 0
    texts: list[str] = field(default_factory=list)
    bound: list[str] = field(default_factory=list)
    ends_group: bool = False
    is_whole: bool = False
    is_simple: bool = False
    kind: Kind = Kind.STATEMENT
    statement: str = ""
    watches: Sequence[Watch] = ()
    answer: Answer = field(default_factory=Answer)

    def add(self, piece: bytes) -> None:
        self.pieces.append(piece)
        self.size += len(piece)

    def is_answered(self) -> bool:
        """After Sync when the server is ready; before it when it has done what it was told, or will do no more."""
        if self.answer.status is not None:
            return True
        is_done = self.answer.error is not None or self.answer.executed >= len(self.texts)
        return is_done and self.is_whole and not self.ends_group


class _OverError(Exception):
    """The server has ended the session."""


class Session:
    """One connection of a client. `run` serves it to its end, or raises GarbageError or OSError; then `close` it."""

    def __init__(
        self,
        connection: socket.socket,
        number: int,
        upstream: Upstream,
        watches: Sequence[Watch],
        partitions: Sequence[Partition],
        room: memoryview,
    ) -> None:
        self.client = Client(number)
        self._upstream, self._all_watches, self._partitions = upstream, watches, partitions
        self._room = room
        self._to_client = Line(connection, partial(self._passable, "to the client"), room)
        self._to_server: Line | None = None
        self._said, self._answered = client_scanner(), server_scanner()
        self._statements = Statements()
        self._unit = _Unit()
        self._is_begun = False  # its beginning has gone on, since it is too large to be collected
        self._outstanding: _Unit | None = None
        self._is_copying = False
        self._is_streaming = False  # copying in both directions
        self._has_sent_data = False  # the client has said that no more comes
        self._needs_sync = False  # while it copies data in, the server heeds no Sync but the one after the data
        self._status: str | None = None
        self._status_before = IDLE
        self._failed: str | None = None  # an error, after which the server heeds nothing up to Sync
        self._course = Course()
        self._turn = asyncio.Event()  # what the client has sent next may go on
        self._withheld: list[bytes] = []

    async def run(self) -> None:
        """Serve the client until either side ends."""
        greeted = await self._greet()
        if greeted is None:
            return
        startup, rest = greeted
        await self._passable("a new connection")
        connection = await self._upstream.connect()
        server = self._to_server = Line(connection, partial(self._passable, "to the server"), self._room)
        await server.write(startup.packet)
        if startup.wish is Wish.CANCEL:
            while await server.read():
                pass
        else:
            await self._serve(rest)

    async def _serve(self, rest: bytes) -> None:
        garbage: GarbageError | None = None
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._listen_to_client(rest))
                both.create_task(self._listen_to_server())
        except* CutError as cuts:
            await self._cut(cuts.exceptions[0])
        except* GarbageError as errors:
            garbage = GarbageError(str(errors.exceptions[0]))
        except* (_OverError, OSError):
            await self._passable("the end of a connection")
        if garbage is not None:
            raise garbage

    def reset(self) -> None:
        """Have the client read that its connection was reset, once it is closed."""
        self._to_client.reset()

    def close(self) -> None:
        """Close both connections."""
        self._to_client.close()
        if self._to_server is not None:
            self._to_server.close()

    async def _greet(self) -> tuple[Startup, bytes] | None:
        """What the client wants, and what came after it. Encryption is declined; None: it went without a word."""
        data = b""
        while chunk := await self._to_client.read():
            data += chunk
            while (startup := read_startup(data)) is not None:
                data = data[len(startup.packet) :]
                if startup.wish is not Wish.ENCRYPTION:
                    self.client = Client(self.client.number, startup.parameters)
                    return startup, data
                await self._to_client.write(b"N")
        return None

    async def _passable(self, what: str) -> None:
        """Wait while something keeps this session silent."""
        if not self._partitions:
            return
        while (silent := next((one for one in self._partitions if one.concerns(self.client)), None)) is not None:
            await silent.keep(self.client, what)

    async def _listen_to_client(self, chunk: bytes) -> None:
        assert self._to_server is not None
        chunk = chunk or await self._to_client.read()
        while chunk:
            data, messages = self._said.feed(chunk)
            at = 0
            for message in messages:
                await self._take(data[at : message.end], message)
                at = min(message.end, len(data))
            if at < len(data):
                await self._take(data[at:], None)
            chunk = await self._to_client.read()
        await self._to_server.end()

    async def _take(self, piece: bytes, message: Message | None) -> None:
        """Bytes of the client, at whose end may be a message that means something."""
        assert self._to_server is not None
        means = b"" if message is None else message.type
        if message is not None and means in _IN_UNITS:
            self._unit.add(piece)
            self._unit.is_simple = means == b"Q"
            self._unit.texts += self._statements.asked_by(message)
            self._unit.bound += [self._statements.bound] if means == b"B" else []
            self._unit.ends_group, self._unit.is_whole = means in _ENDS_GROUP, means in _ENDS_UNIT
            if self._unit.is_whole or self._unit.size > COLLECTED_BYTES_MAX or self._is_begun:
                await self._send()
        elif self._unit.pieces:
            self._unit.add(piece)
        else:
            self._has_sent_data = self._has_sent_data or (message is not None)
            await self._to_server.write(piece)

    async def _send(self) -> None:
        """Let the unit go on, or as much of it as there is."""
        assert self._to_server is not None
        unit = self._unit
        if not self._is_begun:
            if not self._turn.is_set():
                await self._turn.wait()
            if self._needs_sync:
                self._go_on_copying()
            else:
                await self._come_before(unit)
        self._is_begun = not unit.is_whole
        pieces, unit.pieces = unit.pieces, []
        await self._to_server.write(pieces[0] if len(pieces) == 1 else b"".join(pieces))
        if unit.is_whole:
            self._unit = _Unit()

    def _go_on_copying(self) -> None:
        """What comes while data is copied in belongs to the statement that copies, up to the Sync after the data."""
        if self._has_sent_data:
            self._needs_sync = False
            self._turn.clear()

    async def _come_before(self, unit: _Unit) -> None:
        """The seam before a statement. What executes nothing and ends nothing has none: it can be sent again."""
        ends_group = unit.ends_group or not unit.is_whole
        unit.answer.error = self._failed
        if self._failed is not None and not ends_group:
            return
        commits_earlier = ends_group and self._course.is_pending and self._failed is None
        texts = unit.texts or ([] if unit.is_whole else unit.bound)
        unit.kind = self._course.foresee(texts, ends_group=ends_group)
        unit.statement = shortened(texts) or ("(empty)" if texts else "(Sync)")
        if texts or commits_earlier:
            unit.watches = [watch for watch in self._all_watches if watch.is_about(self.client, unit.statement)]
            for watch in unit.watches:
                await watch.reach(Side.BEFORE, unit.kind, unit.statement, self.client)
        if texts or ends_group:
            self._outstanding, self._has_sent_data = unit, False
            self._turn.clear()

    async def _listen_to_server(self) -> None:
        assert self._to_server is not None
        while chunk := await self._to_server.read():
            data, messages = self._answered.feed(chunk)
            asks_for_data = self._hear(messages)
            unit = self._outstanding
            if unit is None or not unit.watches:
                await self._to_client.write(data)
            else:
                await self._withhold(unit, data, must_pass=asks_for_data or self._is_streaming)
            if unit is not None and unit.is_answered() and not self._is_copying:
                self._outstanding = None
            if self._outstanding is None and self._status is not None:
                self._turn.set()
        raise _OverError

    def _hear(self, messages: Sequence[Message]) -> bool:
        """Take in what the server has said; whether it asks its client for data."""
        asks_for_data = False
        for message in messages:
            if self._outstanding is not None:
                self._outstanding.answer.hear(message)
            match message.type:
                case b"G" | b"W":
                    asks_for_data = self._is_copying = True
                    self._is_streaming = message.type == b"W"
                    if self._outstanding is not None and not self._outstanding.is_simple:
                        self._outstanding.ends_group = self._needs_sync = True
                        self._turn.set()
                case b"E":
                    self._failed = sqlstate_of(message.body)
                case b"Z":
                    self._is_copying = self._is_streaming = self._needs_sync = False
                    self._failed, self._status_before = None, self._status or IDLE
                    self._status = message.body.decode("ascii", "replace")
                    self._course = Course(self._status)
        return asks_for_data

    async def _withhold(self, unit: _Unit, data: bytes, *, must_pass: bool) -> None:
        """Keep the answer back until it is whole; then comes the seam after the statement."""
        is_over = unit.is_answered() and not self._is_copying
        if is_over or must_pass or sum(map(len, self._withheld)) > COLLECTED_BYTES_MAX:
            kept, self._withheld = self._withheld, []
            if not is_over:
                await self._to_client.write(b"".join([*kept, data]))
                return
            kind = unit.answer.kind(unit.kind, self._status_before)
            for watch in unit.watches:
                await watch.reach(Side.AFTER, kind, unit.statement, self.client, str(unit.answer))
            await self._to_client.write(b"".join([*kept, data]))
        else:
            self._withheld.append(data)

    async def _cut(self, cut: BaseException) -> None:
        """Reset the client, and see the server end the session."""
        assert isinstance(cut, CutError)
        assert self._to_server is not None
        self._to_client.reset()
        is_gone = False
        try:
            async with asyncio.timeout(ENDING_SECONDS_MAX):
                await self._to_server.end()
                while await self._to_server.read():
                    pass
                is_gone = True
        except ConnectionError:
            is_gone = True
        except TimeoutError:
            pass
        cut.cut.was_cut(cut.seam, is_gone)
