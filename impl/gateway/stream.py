"""Server-sent events: every committed event of a run once, in order, from where the client was, to the run's end."""

import asyncio
import json
import logging
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from starlette.types import Receive, Scope, Send

from ..store import ConnectionLostError, Identity
from .feed import Feed, Watcher
from .lane import BusyError
from .pages import Framed, Pages
from .settings import Limits
from .telling import Metrics

log = logging.getLogger("keepfact.gateway.stream")

HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
KEEP_ALIVE = b": still here\n\n"


class TooSlowError(Exception):
    """The client took nothing for too long."""


@dataclass
class Stream:
    """One client's stream, an answer in ASGI. `held` is let go when it is over: the place that it takes."""

    identity: Identity
    run: str
    first: Framed | None
    watcher: Watcher
    pages: Pages
    limits: Limits
    metrics: Metrics
    held: ExitStack

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self.held, self.metrics.streams.track_inprogress():
            gone = asyncio.create_task(self._until_gone(receive))
            over = asyncio.get_running_loop().call_later(self.limits.stream_seconds_max, self.watcher.stop)
            try:
                await self._send(send, {"type": "http.response.start", "status": 200, "headers": HEADERS})
                await self._deliver(send)
                await self._send(send, {"type": "http.response.body", "body": b"", "more_body": False})
            except TooSlowError:
                self.metrics.slow.inc()
                # What is still in the buffer would keep the connection open for as long as the client likes.
                if transport := scope.get("state", {}).get("transport"):
                    transport.abort()
            finally:
                gone.cancel()
                over.cancel()

    async def _deliver(self, send: Send) -> None:
        """Page after page; a page is read when the one before it was taken, so a slow client only reads slower."""
        await self._say(send, f"retry: {int(self.limits.reconnect_seconds * 1000)}\n\n".encode())
        page, self.first = self.first, None  # an idle stream holds no page
        while not self.watcher.must_stop:
            if page is None:
                await self._pause()
            elif page.frames:
                await self._send_page(send, page)
            if page is not None and page.is_over and not self.watcher.must_stop:
                await self._say(send, self._end())
                return
            if page is not None and not page.frames:
                await self._wait(send)
            page = await self._next_page()

    async def _send_page(self, send: Send, page: Framed) -> None:
        for number, frame in page.frames:
            if self.watcher.must_stop:
                return
            await self._say(send, frame)
            self.watcher.after = number
            self.metrics.streamed.inc()

    async def _next_page(self) -> Framed | None:
        """None while the store does not answer. What is committed from here on wakes the watcher again."""
        self.watcher.wake.clear()
        with suppress(ConnectionLostError, BusyError):
            return await self.pages.read(self.identity, self.run, self.watcher.after, self.watcher.place.head)
        return None

    async def _wait(self, send: Send) -> None:
        """Until there is something to read; in between, the client is told that the stream is alive."""
        while not self.watcher.wake.is_set():
            try:
                async with asyncio.timeout(self.limits.keep_alive_seconds):
                    await self.watcher.wake.wait()
            except TimeoutError:
                await self._say(send, KEEP_ALIVE)

    async def _pause(self) -> None:
        """The store did not answer: a while until it is asked again."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.limits.poll_seconds):
                await self.watcher.wake.wait()

    def _end(self) -> bytes:
        content = json.dumps({"after": self.watcher.after})
        return f"id: {self.watcher.after}\nevent: end\ndata: {content}\n\n".encode()

    async def _say(self, send: Send, content: bytes) -> None:
        await self._send(send, {"type": "http.response.body", "body": content, "more_body": True})

    async def _send(self, send: Send, message: dict[str, object]) -> None:
        try:
            async with asyncio.timeout(self.limits.send_seconds):
                await send(message)
        except TimeoutError:
            raise TooSlowError from None

    async def _until_gone(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.watcher.stop()


class Opener:
    """Opens streams."""

    def __init__(self, feed: Feed, pages: Pages, limits: Limits, metrics: Metrics) -> None:
        self._feed = feed
        self._pages = pages
        self._limits = limits
        self._metrics = metrics

    async def open(self, identity: Identity, run: str, after: int, held: ExitStack) -> Stream | None:
        """A stream of a run from number `after` on; None, if there is no such run. Raises ConnectionLostError."""
        watcher = held.enter_context(self._feed.watch(identity, run, after))
        first = await self._pages.read(identity, run, after, watcher.place.head)
        if first is None:
            return None
        return Stream(identity, run, first, watcher, self._pages, self._limits, self._metrics, held)
