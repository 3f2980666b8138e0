"""One end of a connection: a socket that never blocks the others, and behind which no bytes are kept back unseen."""

import asyncio
import socket
from collections.abc import Awaitable, Callable

from ..resets import reset_on_close

CHUNK_BYTES = 256 * 1024


class Line:
    """What is written goes to the socket at once or waits; so a peer that does not read slows down who writes."""

    def __init__(self, connection: socket.socket, passable: Callable[[], Awaitable[None]], room: memoryview) -> None:
        """`passable` is waited for before anything leaves. What comes passes through `room`, and stays there for no
        moment: all lines of one thread can share it.
        """
        self._socket = connection
        self._loop = asyncio.get_running_loop()
        self._passable = passable
        self._room = room
        self._reader: asyncio.Future[bytes] | None = None
        self._is_listening = False

    async def read(self) -> bytes:
        """What has come; nothing once the peer has said all. Raises ConnectionError."""
        reader: asyncio.Future[bytes] = self._loop.create_future()
        self._reader = reader
        if not self._is_listening:
            self._is_listening = True
            self._loop.add_reader(self._socket, self._came)
        return await reader

    def _came(self) -> None:
        """Something has come. As long as nobody wants it, it is not asked for any more, and stays in the socket."""
        reader, self._reader = self._reader, None
        if reader is None or reader.done():
            self._listen_no_more()
            return
        try:
            size = self._socket.recv_into(self._room)
        except (BlockingIOError, InterruptedError):
            self._reader = reader
        except OSError as error:
            reader.set_exception(error)
        else:
            reader.set_result(bytes(self._room[:size]))

    def _listen_no_more(self) -> None:
        if self._is_listening:
            self._is_listening = False
            self._loop.remove_reader(self._socket)

    async def write(self, data: bytes) -> None:
        """Write all of it. Raises ConnectionError."""
        sent = 0
        while sent < len(data):
            await self._passable()
            try:
                sent += self._socket.send(memoryview(data)[sent:] if sent else data)
            except (BlockingIOError, InterruptedError):
                await self._writable()

    async def end(self) -> None:
        """Tell the peer that nothing more comes; it may still say something."""
        await self._passable()
        self._socket.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """Have the peer of a TCP connection read that it was reset."""
        self._listen_no_more()
        reset_on_close(self._socket)
        self._socket.close()

    def close(self) -> None:
        """Close it; closing again does nothing."""
        self._listen_no_more()
        self._socket.close()

    async def _writable(self) -> None:
        descriptor, ready = self._socket.fileno(), self._loop.create_future()
        self._loop.add_writer(descriptor, _set, ready)
        try:
            await ready
        finally:
            self._loop.remove_writer(descriptor)


def _set(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)
