"""One end of a connection: a socket that never blocks the others, and behind which no bytes are kept back unseen."""

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable

CHUNK_BYTES = 256 * 1024
_CLOSE_BY_RESET = struct.pack("ii", 1, 0)  # SO_LINGER on, zero seconds: close sends RST instead of FIN


class Line:
    """What is written goes to the socket at once or waits; so a peer that does not read slows down who writes."""

    def __init__(self, connection: socket.socket, passable: Callable[[], Awaitable[None]]) -> None:
        """`passable` is waited for before anything leaves."""
        self._socket = connection
        self._loop = asyncio.get_running_loop()
        self._passable = passable

    async def read(self) -> bytes:
        """What has come; nothing once the peer has said all. Raises ConnectionError."""
        while True:
            try:
                return self._socket.recv(CHUNK_BYTES)
            except (BlockingIOError, InterruptedError):
                await self._ready(self._loop.add_reader, self._loop.remove_reader)

    async def write(self, data: bytes) -> None:
        """Write all of it. Raises ConnectionError."""
        sent = 0
        while sent < len(data):
            await self._passable()
            try:
                sent += self._socket.send(memoryview(data)[sent:] if sent else data)
            except (BlockingIOError, InterruptedError):
                await self._ready(self._loop.add_writer, self._loop.remove_writer)

    async def end(self) -> None:
        """Tell the peer that nothing more comes; it may still say something."""
        await self._passable()
        self._socket.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """Have the peer read that the connection was reset."""
        if self._socket.family != socket.AF_UNIX:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _CLOSE_BY_RESET)
        self._socket.close()

    def close(self) -> None:
        """Close it; closing again does nothing."""
        self._socket.close()

    async def _ready(self, add: Callable[..., None], remove: Callable[[int], bool]) -> None:
        descriptor, ready = self._socket.fileno(), self._loop.create_future()
        add(descriptor, _set, ready)
        try:
            await ready
        finally:
            remove(descriptor)


def _set(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)
