"""The gateway put together: from the table to an application in ASGI."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager

from starlette.requests import Request
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..outcomes import Refused
from ..store import ConnectionLostError, NotAllowedError, Store
from .access import Access
from .answering import Commands, Process, Readings
from .feed import Feed
from .lane import BusyError
from .limits import Rate, Streams
from .listening import listen_forever
from .openapi import document
from .pages import Pages
from .problems import Problem, lost, unavailable
from .refusals import problem_of
from .settings import Limits
from .spans import span
from .stream import Opener
from .table import Entry, entries_at
from .telling import Metrics, Told, log
from .tokens import Tokens

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})
"""Those that are told apart: a client that makes up others does not make up labels of metrics."""

Open = Callable[[Request], Awaitable[ASGIApp]]
"""Answers a request whose token was looked at, where one is needed. Raises a Problem."""


class Gateway:
    """An application in ASGI. `doors` are the entry points that the store was given; `listen_dsn` is for hints."""

    def __init__(
        self, store: Store, doors: Collection[str], tokens: Tokens, limits: Limits, listen_dsn: str | None = None
    ) -> None:
        self._access = Access(store, limits)
        self._metrics = Metrics()
        self._feed = Feed(self._access, self._metrics, limits.poll_seconds)
        self._listen_dsn = listen_dsn
        self._tokens = tokens
        self._rate = Rate(limits.requests_per_second, limits.requests_burst)
        self._router = Router(self._routes(entries_at(doors), limits), False, _no_such_path, lifespan=self._living)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, whatever happens, and tell of it."""
        if scope["type"] != "http":  # the life of the process
            await self._router(scope, receive, send)
            return
        told = Told(scope["method"] if scope["method"] in METHODS else "other")
        scope = {**scope, "told": told, "path": scope["raw_path"].decode("ascii")}  # %2F does not part an id
        with span(told, {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}):
            await self._answer(scope, receive, _noting(told, send))
        self._metrics.count(told)
        log.info("request", extra={"fields": told.line()})

    def end_streams(self) -> None:
        """The process is asked to stop: every client is let go, so that it comes back to another one."""
        self._feed.close()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        told: Told = scope["told"]
        try:
            await self._router(scope, receive, send)
            return
        except Problem as raised:
            problem = raised
        except NotAllowedError:
            problem = problem_of(Refused("not_allowed"))
        except ConnectionLostError:
            problem = unavailable("the database to answer", "it did not")
        except BusyError:
            problem = unavailable("a thread to be free soon", "too many wait for one already")
        except asyncio.CancelledError:  # asked to stop, the process has waited for the store as long as it may
            problem = lost("the store to answer before this process had to stop")
        except Exception:
            log.exception("a request was not answered as it should be")
            problem = lost("an answer", status=500)
        told.outcome, told.reason = problem.outcome, problem.reason
        if not told.status:
            await problem.response()(scope, receive, send)

    def _routes(self, entries: Collection[Entry], limits: Limits) -> list[Route]:
        """One route a path, which answers every method: those that it does not know with the list of those it does."""
        paths: dict[str, dict[str, Open]] = {}
        open_of = self._openers(entries, limits)
        for entry in entries:
            paths.setdefault(entry.path, {})[entry.method] = open_of(entry)
        return [Route(path, _Place(path, methods)) for path, methods in paths.items()]

    def _openers(self, entries: Collection[Entry], limits: Limits) -> Callable[[Entry], Open]:
        commands = Commands(self._access, limits)
        opener = Opener(self._feed, Pages(self._access, limits.stream_page), limits, self._metrics)
        streams = Streams(limits.streams_per_token_max, limits.streams_max)
        readings = Readings(self._access, opener, streams, limits)
        process = Process(self._access, self._metrics, document(entries))

        def open_of(entry: Entry) -> Open:
            if entry.scope is None:
                public: Open = getattr(process, entry.name)
                return public
            answering = commands.answering(entry, entry.body) if entry.body else getattr(readings, entry.name)
            scope = entry.scope

            async def answer(request: Request) -> ASGIApp:
                token = self._tokens.authenticate(request.headers)
                request.scope["told"].identity = token.identity
                self._rate.take(token.digest)
                token.require(scope)
                answered: ASGIApp = await answering(request, token)
                if entry.body:
                    request.scope["told"].outcome = "done"
                return answered

            return answer

        return open_of

    @asynccontextmanager
    async def _living(self, _: object) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(self._feed.look_forever())]
        if self._listen_dsn is not None:
            tasks.append(asyncio.create_task(listen_forever(self._listen_dsn, self._feed, self._metrics)))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._access.close()


class _Place:
    """One path with its methods."""

    def __init__(self, path: str, methods: Mapping[str, Open]) -> None:
        self._path = path
        self._methods = methods

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["told"].route = self._path
        answer = self._methods.get(scope["method"])
        if answer is None:
            allowed = ", ".join(self._methods)
            raise Problem(
                405, "method_not_allowed",
                expected=f"one of the methods {allowed}", seen="it is another",
                next_step="Use one of them.", headers={"allow": allowed},
            )  # fmt: skip
        answered = await answer(Request(scope, receive))
        await answered(scope, receive, send)


async def _no_such_path(scope: Scope, receive: Receive, send: Send) -> None:
    raise Problem(
        404, "no_such_path",
        expected="a path that is in /openapi.json", seen="this one is not there",
        next_step="Look it up there.",
    )  # fmt: skip


def _noting(told: Told, send: Send) -> Send:
    async def noting(message: Message) -> None:
        if message["type"] == "http.response.start":
            told.status = message["status"]
        await send(message)

    return noting
