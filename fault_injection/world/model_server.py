"""The model server: chat completions as OpenAI's clients ask for them. Each request costs again, whatever its key."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .ledger import Endpoint
from .script import PAYS_AN_INVOICE, Script, chunks_of, completion, reply_to
from .traffic import Traffic


class ModelServer:
    """Replies as the script of the run says. The header `Idempotency-Key` names the call, and that is all it does."""

    def __init__(self, traffic: Traffic, script: Script = PAYS_AN_INVOICE) -> None:
        """Runs that have no script of their own follow this one."""
        self._traffic, self._script = traffic, script
        self.scripts: dict[str, Script] = {}
        self.routes = [Route("/v1/chat/completions", self.complete, methods=["POST"])]

    async def complete(self, request: Request) -> Response:
        """Give the next reply of the script, and bill it."""
        arrival = await self._traffic.arrive(request, Endpoint.MODEL, request.headers.get("idempotency-key"))
        body = arrival.body
        if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
            return await arrival.refuse(400, "expected a JSON object with a list of messages")
        options = body.get("stream_options") or {}
        if not isinstance(options, dict):
            return await arrival.refuse(400, "expected stream_options to be a JSON object")
        if stopped := await arrival.stopped_before_acting():
            return stopped
        reply = reply_to(body["messages"], self.scripts.get(arrival.run or "", self._script))
        arrival.has_acted(reply.cost_cents, says="completes")
        completed = completion(reply, arrival.number, body.get("model"))
        if not body.get("stream"):
            return await arrival.answer(completed)
        wants_usage = bool(options.get("include_usage"))
        chunks = chunks_of(completed, has_usage=wants_usage and reply.streamed.has_usage)
        return await arrival.stream(chunks, reply.streamed.cut_after, reply.streamed.error_after)
