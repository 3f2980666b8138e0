"""Threads for what waits on the database: so many work, so many more may wait for one, and nobody waits for ever."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

Answer = TypeVar("Answer")


class BusyError(Exception):
    """So much is waiting already that this was not begun."""


class Lane:
    """Work of one kind. Raises BusyError for what is more than `waiting_max`, TimeoutError after `seconds`."""

    def __init__(self, name: str, threads: int, waiting_max: int, seconds: float) -> None:
        self._threads = ThreadPoolExecutor(threads, name)
        self._most = threads + waiting_max
        self._seconds = seconds
        self._under_way = 0

    async def do(self, work: Callable[[], Answer]) -> Answer:
        """What the work comes to. After a TimeoutError it may still be done; after a BusyError it is not."""
        if self._under_way >= self._most:
            raise BusyError
        self._under_way += 1
        working = self._threads.submit(work)
        loop = asyncio.get_running_loop()
        # A thread that hangs counts until it is free again, also when nobody waits for it any more.
        working.add_done_callback(lambda done: self._is_done(loop, done))
        async with asyncio.timeout(self._seconds):
            return await asyncio.wrap_future(working)

    def close(self) -> None:
        """Begin nothing more, and wait for nothing."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _is_done(self, loop: asyncio.AbstractEventLoop, _: Future[Answer]) -> None:
        with suppress(RuntimeError):  # the process is going
            loop.call_soon_threadsafe(self._one_less)

    def _one_less(self) -> None:
        self._under_way -= 1
