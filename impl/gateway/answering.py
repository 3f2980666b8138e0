"""Answering the entries of the table: a command goes to the store, a reading writes nothing."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any, assert_never

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from ..outcomes import Done, Lost, Refused
from .access import Access
from .bodies import Body
from .limits import Streams
from .problems import Problem, json_response, lost, malformed
from .queries import EventsQuery, ListQuery, ObserveQuery, StreamQuery
from .reading import read_body, read_command_id, read_header, read_path, read_query
from .refusals import problem_of
from .settings import Limits
from .stream import Opener
from .table import Entry
from .telling import Metrics
from .tokens import Token

Answering = Callable[[Request, Token], Awaitable[ASGIApp]]


class Commands:
    """Commands, each as the store has it."""

    def __init__(self, access: Access, limits: Limits) -> None:
        self._access = access
        self._limits = limits

    def answering(self, entry: Entry, body: type[Body]) -> Answering:
        """How this entry is answered: Done with what it carries, else a Problem."""

        async def answer(request: Request, token: Token) -> Response:
            named = {"command_id": read_command_id(request.headers), **read_path(request), **entry.fixed}
            said = (await read_body(request, body, self._limits)).said()
            match await self._access.perform(token.identity, entry.name, {**named, **said}):
                case Done() as done:
                    return json_response(_shown(done))
                case Refused() as refused:
                    raise problem_of(refused)
                case Lost():
                    raise lost("the store to say whether it was done")
                case other:
                    assert_never(other)

        return answer


class Readings:
    """What is read of runs. Nothing here writes."""

    def __init__(self, access: Access, opener: Opener, streams: Streams, limits: Limits) -> None:
        self._access = access
        self._opener = opener
        self._streams = streams
        self._limits = limits

    async def observe(self, request: Request, token: Token) -> Response:
        """One run."""
        run = read_path(request)["run"]
        query = read_query(request, ObserveQuery)
        shown = await self._access.observe(token.identity, [run], query.payloads)
        if not shown:
            raise _no_such_run()
        return json_response(shown[0])

    async def list_runs(self, request: Request, token: Token) -> Response:
        """A page of runs."""
        query = read_query(request, ListQuery)
        limit = min(query.limit, self._limits.page_max)
        runs = await self._access.list_runs(token.identity, query.after, limit)
        return json_response({"runs": runs, "next_after": runs[-1]["run"] if len(runs) == limit else None})

    async def events(self, request: Request, token: Token) -> Response:
        """A page of a run's events."""
        run = read_path(request)["run"]
        query = read_query(request, EventsQuery)
        limit = min(query.limit, self._limits.page_max)
        page = await self._access.read_events(token.identity, run, query.after, limit)
        if page is None:
            raise _no_such_run()
        next_after = page.events[-1]["number"] if page.events else query.after
        return json_response({"events": list(page.events), "next_after": next_after, "is_over": page.is_over})

    async def stream(self, request: Request, token: Token) -> ASGIApp:
        """A run's events as they come."""
        run = read_path(request)["run"]
        query = read_query(request, StreamQuery)
        after = _last_event_id(request)
        with ExitStack() as held:
            held.enter_context(self._streams.slot(token.digest))
            opened = await self._opener.open(token.identity, run, query.after if after is None else after, held)
            if opened is None:
                raise _no_such_run()
            opened.held = held.pop_all()  # from here on the stream lets go by itself
            return opened


class Process:
    """What is told of the process itself, to anybody."""

    def __init__(self, access: Access, metrics: Metrics, document: Mapping[str, Any]) -> None:
        self._access = access
        self._metrics = metrics
        self._document = json_response(document)

    async def healthz(self, _: Request) -> Response:
        """The process answers."""
        return json_response({"status": "ok"})

    async def readyz(self, _: Request) -> Response:
        """The database answers."""
        await self._access.check()
        return json_response({"status": "ok"})

    async def metrics(self, _: Request) -> Response:
        """Counts, for Prometheus."""
        return Response(self._metrics.text(), headers={"content-type": self._metrics.content_type})

    async def openapi(self, _: Request) -> Response:
        """The OpenAPI document."""
        return self._document


def _shown(done: Done) -> dict[str, Any]:
    """With the grant, if it carries one."""
    return {"outcome": "done"} if done.grant is None else {"outcome": "done", "grant": asdict(done.grant)}


def _no_such_run() -> Problem:
    return problem_of(Refused("no_such_run"))


def _last_event_id(request: Request) -> int | None:
    value = read_header(request.headers, "Last-Event-ID")
    if not value:
        return None
    if value.isascii() and value.isdigit() and len(value) <= 18:
        return int(value)
    raise malformed(400, "Last-Event-ID to be the number of an event", "it is another text")
