"""The proxy itself: listens on a free port of this host, in a thread of its own, and serves each client that comes."""

import asyncio
import socket
import threading
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from .faults import Partition
from .line import CHUNK_BYTES
from .seams import Client, Whose, everyone
from .session import Session
from .upstream import Upstream, led_to
from .watch import Watch

BACKLOG = 1024
PAUSE_SECONDS = 0.05
"""How long to wait before accepting again when there are no descriptors left."""

T = TypeVar("T")


class Proxy:
    """Stands in front of one server for as long as it is open; `address` is where its clients must connect."""

    def __init__(self, upstream: Upstream, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self._upstream = upstream
        self._watches: list[Watch] = []
        self._partitions: list[Partition] = []
        self._sessions: dict[asyncio.Task[None], Session] = {}
        self._room = memoryview(bytearray(CHUNK_BYTES))
        self._arrived = 0
        self._troubles: Counter[str] = Counter()
        self._listener = _bound(host, port)
        self.address: tuple[str, int] = self._listener.getsockname()[:2]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="pgwire", daemon=True)
        self._thread.start()
        self._in_loop(self._listen)

    def through(self, dsn: str) -> str:
        """The same connection string of libpq, leading through this proxy."""
        return led_to(dsn, *self.address)

    def begin(
        self,
        whose: Whose = everyone,
        which: Callable[[str], bool] = lambda statement: True,
        *,
        newcomers_only: bool = False,
    ) -> Watch:
        """Count seams from here on: of those sessions, at those statements (given by their shortened text)."""
        return self._in_loop(lambda: self._begin(whose, which, self._arrived if newcomers_only else 0))

    def partition(self, whose: Whose = everyone) -> Partition:
        """Have silence fall now, for those sessions and for new ones of theirs.

        Whose a new connection is, shows in its first packet; one that asks for encryption before is told that there
        is none, unless everyone is meant.
        """
        partition = Partition(self._loop, lambda _: False, whose, self._partitions)
        self._in_loop(lambda: partition.begin(None))
        return partition

    def cut(self, whose: Whose = everyone) -> tuple[Client, ...]:
        """Reset the connections that are open now, and say whose they were."""
        return self._in_loop(lambda: self._cut(whose))

    def refuse(self) -> "Refusal":
        """Refuse new connections from now on; those that are open stay."""
        self._in_loop(self._refuse)
        return Refusal(self)

    def accept(self) -> None:
        """Take in new connections again, at the same address."""
        self._in_loop(self._accept_again)

    @property
    def clients(self) -> tuple[Client, ...]:
        """Whose sessions are open."""
        return self._in_loop(lambda: tuple(session.client for session in self._sessions.values()))

    @property
    def troubles(self) -> dict[str, int]:
        """Why connections were closed here: how often for what."""
        return self._in_loop(lambda: dict(self._troubles))

    def close(self) -> None:
        """Cut every connection, and leave no thread and no descriptor. Closing again does nothing."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _in_loop(self, function: Callable[[], T]) -> T:
        """Have something done in the proxy's thread, where nothing else happens meanwhile."""

        async def done() -> T:
            return function()

        return asyncio.run_coroutine_threadsafe(done(), self._loop).result()

    def _begin(self, whose: Whose, which: Callable[[str], bool], after: int) -> Watch:
        watch = Watch(self._loop, self._partitions, lambda client: client.number > after and whose(client), which)
        self._watches[:] = [*(one for one in self._watches if not one.is_ended), watch]
        return watch

    def _listen(self) -> None:
        self._listener.listen(BACKLOG)
        self._loop.add_reader(self._listener, self._accept)

    def _cut(self, whose: Whose) -> tuple[Client, ...]:
        cut = {task: session for task, session in self._sessions.items() if whose(session.client)}
        for task, session in cut.items():
            session.reset()
            task.cancel()
        return tuple(session.client for session in cut.values())

    def _refuse(self) -> None:
        """Bound and not listening, so that nobody else gets the port meanwhile."""
        self._loop.remove_reader(self._listener)
        self._listener.close()
        self._listener = _bound(*self.address)

    def _accept_again(self) -> None:
        self._loop.remove_reader(self._listener)
        self._listen()

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, ConnectionError, InterruptedError):
            return
        except OSError as error:  # no descriptors left: as long as that is so, trying again at once is no use
            self._troubles[f"accepting: {error.strerror}"] += 1
            self._loop.remove_reader(self._listener)
            self._loop.call_later(PAUSE_SECONDS, self._accept_again)
            return
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._arrived += 1
        session = Session(connection, self._arrived, self._upstream, self._watches, self._partitions, self._room)
        task = self._loop.create_task(self._serve(session))
        self._sessions[task] = session
        task.add_done_callback(lambda ended: self._sessions.pop(ended).close())  # also one that never began

    async def _serve(self, session: Session) -> None:
        try:
            await session.run()
        except Exception as error:  # a mistake of ours ends one session too, and no other
            self._troubles[f"{type(error).__name__}: {error}"] += 1

    async def _end(self) -> None:
        self._loop.remove_reader(self._listener)
        self._listener.close()
        tasks = list(self._sessions)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # what is to be done after each of them has been done too
        await self._loop.shutdown_default_executor()


class Refusal:
    """New connections are refused until `accept`, or until the end of the context."""

    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy

    def accept(self) -> None:
        """Take in new connections again."""
        self._proxy.accept()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.accept()


def _bound(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listener.setblocking(False)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except BaseException:
        listener.close()
        raise
    return listener
