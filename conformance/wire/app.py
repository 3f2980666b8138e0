"""Any Python system, reachable over the protocol; also the worked example of it for other languages."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import Receive, Scope, Send

from keepfact.conformance import asking
from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.system import System, capabilities_of
from keepfact.spec.vocabulary import Observation

from .forms import (
    HARNESS,
    PROBLEM,
    Described,
    Drifting,
    Observing,
    Performing,
    Problem,
    Ticking,
    write_observation,
    write_outcome,
)
from .table import ENTRIES, Entry

BODY_BYTES_MAX = 4 * 2**20
BODY_SECONDS = 30.0

Said = bytes | None
"""The JSON of an answer; None: it is so."""


class Adapter:
    """An application in ASGI. What is asked is done at once, and so one thing at a time, in the order it came in."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._shown = Observation()
        self._harness: str | None = None
        answers: dict[str, Callable[..., Said]] = {
            "system": self._describe,
            "begin": self._begin,
            "perform": self._perform,
            "observe": self._observe,
            "tick": self._tick,
            "drift": self._drift,
            "restart": self._restart,
            "close": self._begin,  # whoever comes next finds nothing that was made for the one before
        }
        routes = [Route(one.path, self._answering(one, answers[one.name]), methods=[one.method]) for one in ENTRIES]
        self._router = Router(routes, redirect_slashes=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, whatever happens."""
        try:
            await self._router(
                {**scope, "app": self}, receive, send
            )  # without an app, the router answers in plain text
        except ProblemError as error:
            await error.response()(scope, receive, send)
        except HTTPException as error:  # of the router
            known = ", ".join(f"{entry.method} {entry.path}" for entry in ENTRIES)
            detail = f"expected {known}, but asked was {scope['method']} {scope['path']}. See spec/http/openapi.json."
            await ProblemError(error.status_code, error.detail, detail).response()(scope, receive, send)

    def _answering(self, entry: Entry, answer: Callable[..., Said]) -> Callable[[Request], Awaitable[Response]]:
        async def answering(request: Request) -> Response:
            body = await _body(request)
            self._let_in(entry, request.headers.get(HARNESS))
            asked = [] if entry.asked is None else [_read(body, entry.asked)]
            try:
                said = answer(*asked)
            except KeepfactError as error:
                raise ProblemError(500, "The system cannot be asked", str(error)) from error
            return Response(status_code=204) if said is None else Response(said, media_type="application/json")

        return answering

    def _let_in(self, entry: Entry, harness: str | None) -> None:
        """The harness that came last, and whoever is none. Each of two would find that the other had begun afresh, and
        take it for a fault of the system. The one before may have died, so it is not waited for."""
        if harness is None:
            return
        if entry.name == "system":
            self._harness = harness
        if self._harness not in {None, harness}:
            detail = "expected one harness at a time, but another has asked GET /system since this one did."
            raise ProblemError(409, "Another harness", f"{detail} Let one end first, or serve an adapter for each.")

    def _describe(self) -> bytes:
        system = self._system
        described = Described(
            name=system.name,
            lease_seconds=system.lease_seconds,
            contracts=system.contracts,
            capabilities=capabilities_of(system),
            versions=asking.versions(system),
        )
        return described.model_dump_json().encode()

    def _begin(self) -> None:
        asking.begin(self._system)

    def _perform(self, asked: Performing) -> bytes:
        if asked.session is not None:
            self._need("perform_in", "a command in a session")
        return write_outcome(asking.perform(self._system, asked.command, asked.session))

    def _observe(self, asked: Observing) -> bytes:
        self._shown = asking.observe(self._system, asked.runs, self._shown)
        return write_observation(self._shown)

    def _tick(self, asked: Ticking) -> None:
        asking.tick(self._system, asked.seconds)

    def _drift(self, asked: Drifting) -> None:
        self._need("drift", "to drift")
        asking.drift(self._system, asked.what)

    def _restart(self) -> None:
        self._need("restart", "to restart")
        asking.restart(self._system)

    def _need(self, hook: str, asked: str) -> None:
        if not hasattr(self._system, hook):
            expected = f"expected to be asked what {self._system.name} offers, but it has no {hook}"
            raise ProblemError(400, "Not offered", f"{expected} and was asked {asked}. See GET /system.")


class ProblemError(Exception):
    """An answer that there is none, and why: what was expected, what was seen, what to do."""

    def __init__(self, status: int, title: str, detail: str) -> None:
        super().__init__(detail)
        self._problem = Problem(status=status, title=title, detail=detail)

    def response(self) -> Response:
        """The answer, as it is sent. Half a character of a message stands escaped."""
        content = json.dumps(self._problem.model_dump()).encode()
        return Response(content, self._problem.status, media_type=PROBLEM)


def _read(body: bytes, form: type[BaseModel]) -> Any:
    """What was asked. Half a character can be read by Python's own parser only."""
    try:
        return form.model_validate(json.loads(body.decode()))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        seen = f"at {where} it is {ascii(first['input'])[:200]} ({first['msg']})"
    except (ValueError, RecursionError) as error:
        seen = f"it is none ({str(error)[:200]})"
    raise ProblemError(400, "Bad request", f"expected {form.__name__} in JSON, but {seen}. See spec/http/openapi.json.")


async def _body(request: Request) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > BODY_BYTES_MAX:
                    detail = f"expected a body of at most {BODY_BYTES_MAX} bytes, but it has more. Send less."
                    raise ProblemError(413, "Too large", detail)
    except (TimeoutError, ClientDisconnect):
        detail = f"expected a whole body within {BODY_SECONDS:g} seconds, but it did not come. Send it at once."
        raise ProblemError(408, "Too slow", detail) from None
    return bytes(body)
