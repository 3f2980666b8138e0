"""The tool server: tools with effects, keyed as the IETF draft on the Idempotency-Key header describes, and a lookup.

A lookup that says `not_found` is a promise: a request of that id that arrives later, or that has arrived and not
acted yet, is refused and never acts.
"""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .ledger import Endpoint
from .traffic import NOT_JSON, Arrival, Traffic


@dataclass(frozen=True, slots=True)
class Tool:
    """What a tool is like. An ambiguous one remembers that it was asked, but not whether it acted."""

    name: str
    cost_cents: int
    needs_key: bool = True
    lookup_is_ambiguous: bool = False


TOOLS = {
    tool.name: tool
    for tool in (
        Tool("pay", cost_cents=11),
        Tool("read_invoice", cost_cents=1, needs_key=False),
        Tool("transfer", cost_cents=13),
        Tool("order", cost_cents=9),
        Tool("send_letter", cost_cents=7, lookup_is_ambiguous=True),
    )
}


@dataclass(slots=True)
class Operation:
    """A keyed request that was let in; `result` is None until it has acted."""

    tool: Tool
    digest: str
    result: dict[str, object] | None = None


class ToolServer:
    """Acts once for a key, gives the first result again, and promises `not_found` by withdrawing the key."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic
        self._operations: dict[str, Operation] = {}
        self._withdrawn: set[str] = set()
        self.routes = [
            Route("/tools/{tool}", self.act, methods=["POST"]),
            Route("/operations/{key:path}", self.look_up, methods=["GET"]),
        ]

    async def act(self, request: Request) -> Response:
        """Act, or give the result of having acted."""
        arrival = await self._traffic.arrive(request, Endpoint.TOOL, request.headers.get("idempotency-key"))
        return await self.serve(arrival, request.path_params["tool"])

    async def look_up(self, request: Request) -> Response:
        """Say what is known of an operation. Acts on nothing."""
        key = request.path_params["key"]
        return await self.find(await self._traffic.arrive(request, Endpoint.LOOKUP, key), key)

    async def serve(self, arrival: Arrival, name: str) -> Response:
        """The same over any protocol."""
        tool = TOOLS.get(name)
        if tool is None:
            return await arrival.refuse(404, f"expected a tool out of {', '.join(TOOLS)}")
        if arrival.body is NOT_JSON:
            return await arrival.refuse(400, "expected a body in JSON")
        if arrival.key is None:
            return await self._act_without_key(arrival, tool)
        if arrival.key in self._withdrawn:
            return await arrival.refuse(410, _WITHDRAWN)
        first = self._operations.get(arrival.key)
        return await (self._act_once(arrival, tool, arrival.key) if first is None else _act_again(arrival, first))

    async def find(self, arrival: Arrival, key: str) -> Response:
        """The same over any protocol."""
        operation = self._operations.get(key)
        if operation is not None and operation.tool.lookup_is_ambiguous:
            return await arrival.answer({"status": "ambiguous"})
        if operation is not None and operation.result is not None:
            return await arrival.answer({"status": "confirmed", "cost_cents": operation.tool.cost_cents})
        self._withdrawn.add(key)
        return await arrival.answer({"status": "not_found"})

    async def _act_without_key(self, arrival: Arrival, tool: Tool) -> Response:
        if tool.needs_key:
            return await arrival.refuse(400, f"{tool.name} has an effect: expected the header Idempotency-Key")
        if stopped := await arrival.stopped_before_acting():
            return stopped
        return await arrival.answer(_act(arrival, tool))

    async def _act_once(self, arrival: Arrival, tool: Tool, key: str) -> Response:
        operation = self._operations[key] = Operation(tool, arrival.digest)
        if stopped := await arrival.stopped_before_acting():
            if not tool.lookup_is_ambiguous:
                del self._operations[key]  # it knows that it did nothing
            return stopped
        if key in self._withdrawn:
            return await arrival.refuse(410, _WITHDRAWN)
        operation.result = _act(arrival, tool)
        return await arrival.answer(operation.result)


_WITHDRAWN = "a lookup said not_found, and that promised that this operation never acts"


async def _act_again(arrival: Arrival, first: Operation) -> Response:
    """The same key has been here: give the first result, without acting."""
    if arrival.digest != first.digest:
        return await arrival.refuse(422, "this key came before with another body")
    if first.result is None:
        return await arrival.refuse(409, "the first request of this key is still in progress")
    return await arrival.answer(first.result)


def _act(arrival: Arrival, tool: Tool) -> dict[str, object]:
    arrival.has_acted(tool.cost_cents, says=tool.name)
    return {"result": {"tool": tool.name, "receipt": arrival.number}, "cost_cents": tool.cost_cents}
