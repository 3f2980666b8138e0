"""A request's way through the world: written down as it arrives, held at its gate, answered, refused or cut."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from json import JSONDecodeError
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from .connections import Connections
from .gates import Gate, GateKind, Gates
from .ledger import Endpoint, Entry, Happened, Ledger, digest_of, now

_HEADERS_OF_INTEREST = ("content-type", "user-agent", "traceparent", "keepfact-worker")
NOT_JSON = object()
"""The body of a request whose body is not JSON."""


Dress = Callable[[dict[str, object], int], Response]
"""Makes a response of what is said and its status, in the form of a protocol."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A request that has arrived. Exactly one of `answer` and `refuse` ends it."""

    number: int
    endpoint: Endpoint
    run: str | None
    key: str | None
    fence: str | None
    digest: str
    body: Any
    request: Request
    gate: Gate | None
    ledger: Ledger
    connections: Connections
    dress: "Dress"

    def has_arrived(self) -> None:
        """It is on the wire, whatever becomes of it."""
        self._note(Happened.ARRIVED, says=self.request.url.path)

    async def stopped_before_acting(self) -> Response | None:
        """Wait at a gate that holds before acting. With a response the request must not act any more."""
        if self.gate is None:
            return None
        match self.gate.setting.kind:
            case GateKind.HOLD_BEFORE_ACTING:
                await self.gate.hold()
            case GateKind.RESET_AND_DROP:
                return await self._reset(self.gate)
            case GateKind.RESET_THEN_ACT:
                await self._disconnect()
                await self.gate.hold()
        return None

    def has_acted(self, cost_cents: int, says: str) -> None:
        """It took effect: from now on this is true, whoever hears of it."""
        self._note(Happened.ACTED, cost_cents=cost_cents, says=says)

    async def answer(self, content: dict[str, object]) -> Response:
        """Answer, unless the gate after acting wants it otherwise."""
        if self.gate is not None and self.gate.setting.kind is GateKind.ACT_THEN_HALF:
            return self._half(self.gate, self.dress(content, 200))
        return await self._stopped() or await self._respond(Happened.ANSWERED, 200, content)

    async def stream(
        self, chunks: Iterable[dict[str, object]], cut_after: int | None, error_after: int | None
    ) -> Response:
        """Answer chunk by chunk; after so many of them the connection is cut, or the answer ends with an error."""
        if stopped := await self._stopped():
            return stopped
        happened = Happened.ANSWERED if cut_after is None else Happened.CUT
        self._note(happened, status=200, says="" if error_after is None else "the stream ends with an error")
        return StreamingResponse(self._pieces(chunks, cut_after, error_after), media_type="text/event-stream")

    async def _pieces(
        self, chunks: Iterable[dict[str, object]], cut_after: int | None, error_after: int | None
    ) -> AsyncIterator[str]:
        for number, chunk in enumerate(chain(chunks, ("[DONE]",))):
            await asyncio.sleep(0)  # others have their turn, and a client that has vanished is noticed
            if number == cut_after:
                assert self.request.client is not None  # TCP has a peer
                await self.connections.close((self.request.client.host, self.request.client.port))
                return
            if number == error_after:
                yield f"data: {json.dumps({'error': {'message': 'the model is overloaded'}})}\n\n"
                return
            yield f"data: {chunk if isinstance(chunk, str) else json.dumps(chunk)}\n\n"

    async def _stopped(self) -> Response | None:
        """What the gate after acting makes of the answer; None: nothing."""
        if self.gate is None:
            return None
        match self.gate.setting.kind:
            case GateKind.ACT_THEN_HOLD:
                await self.gate.hold()
                return None
            case GateKind.ACT_THEN_RESET:
                return await self._reset(self.gate)
            case GateKind.ACT_THEN_FAIL:
                return await self._fail(self.gate)
            case _:  # it did what it does before the request acted
                return None

    async def refuse(self, status: int, why: str) -> Response:
        """Refuse: the request does not act, now or later."""
        return await self._respond(Happened.REFUSED, status, {"error": why})

    async def _respond(self, happened: Happened, status: int, content: dict[str, object]) -> Response:
        says = str(content.get("error", ""))
        if happened is Happened.ANSWERED and await self.request.is_disconnected():
            happened, says = Happened.CUT, "nobody is there to hear the answer"
        self._note(happened, status=status, says=says)
        return self.dress(content, status)

    async def _disconnect(self) -> None:
        assert self.request.client is not None  # TCP has a peer
        self.connections.reset((self.request.client.host, self.request.client.port))
        while not await self.request.is_disconnected():
            await asyncio.sleep(0)

    def _half(self, gate: Gate, whole: Response) -> Response:
        async def pieces() -> AsyncIterator[bytes]:
            assert self.request.client is not None  # TCP has a peer
            yield bytes(whole.body[: len(whole.body) // 2])
            await self.connections.close((self.request.client.host, self.request.client.port))
            self._note(Happened.CUT, status=200, says="half an answer")
            gate.reached.set()

        return StreamingResponse(pieces(), media_type=whole.media_type)

    async def _reset(self, gate: Gate) -> Response:
        await self._disconnect()
        self._note(Happened.CUT, says="connection reset")
        gate.reached.set()
        return Response()

    async def _fail(self, gate: Gate) -> Response:
        failed = await self._respond(Happened.ANSWERED, 500, {"error": "the server failed after it had acted"})
        gate.reached.set()
        return failed

    def _note(self, happened: Happened, *, cost_cents: int = 0, status: int | None = None, says: str = "") -> None:
        self.ledger.write(
            Entry(
                now(), self.number, self.endpoint, happened, self.run, self.key, self.fence, self.digest,
                cost_cents=cost_cents, status=status, says=says,
                headers=self._headers if happened is Happened.ARRIVED else None,
            )
        )  # fmt: skip

    @property
    def _headers(self) -> dict[str, str]:
        headers = self.request.headers
        return {name: headers[name] for name in _HEADERS_OF_INTEREST if name in headers}


class Traffic:
    """Takes in requests, numbers them and gives each its gate."""

    def __init__(self, ledger: Ledger, gates: Gates, connections: Connections) -> None:
        self._ledger = ledger
        self._gates = gates
        self._connections = connections
        self._arrived: Counter[tuple[Endpoint, str | None]] = Counter()

    async def arrive(self, request: Request, endpoint: Endpoint, key: str | None) -> Arrival:
        """Write the request down before anything is done about it."""
        body = await json_of(request)
        return self.arrive_with(request, endpoint, key, body, request.headers.get("keepfact-fence"), JSONResponse)

    def arrive_with(
        self, request: Request, endpoint: Endpoint, key: str | None, body: object, fence: str | None, dress: Dress
    ) -> Arrival:
        """The same for a protocol that has its own places for what is asked, and its own form of answers."""
        run = request.path_params.get("run")
        self._arrived[endpoint, run] += 1
        arrival = Arrival(
            number=sum(self._arrived.values()),
            endpoint=endpoint,
            run=run,
            key=key,
            fence=fence,
            digest=digest_of(None if body is NOT_JSON else body),
            body=body,
            request=request,
            gate=self._gates.take(endpoint, run, key, self._arrived[endpoint, run]),
            ledger=self._ledger,
            connections=self._connections,
            dress=dress,
        )
        arrival.has_arrived()
        return arrival


async def json_of(request: Request) -> object:
    """The body; None without one, NOT_JSON for one that is none."""
    try:
        return await request.json() if await request.body() else None
    except (JSONDecodeError, UnicodeDecodeError, RecursionError):
        return NOT_JSON
