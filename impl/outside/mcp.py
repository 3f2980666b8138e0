"""Tools over MCP, streamable HTTP: each call in a session of its own, and its request sent at most once.

The id of the call is `keepfact/idempotency-key` in `_meta`, the fence is `keepfact/fence` beside it. A server that can
look an operation up offers the tool `keepfact_lookup`: from `{"operation": id}` it gives `status` and `cost_cents` as
structured content. A result may name its cost as `keepfact/cost-cents` in its `_meta`.

The library does send again by itself: it follows redirects, and its `Client.call_tool` repeats a call after a mismatch
of headers or a question to the user. So the call goes out below that, through a transport that lets one pass. Reading
an answer on after a cut, which the library does too, sends nothing again.
"""

import json
from collections.abc import Mapping
from typing import Any

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND, CallToolRequest, CallToolRequestParams, CallToolResult
from pydantic import ValidationError

from .answers import Answer, Finding, NoAnswer, NotSent, Refusal, Reply
from .costs import cost_of
from .counting import Kind, Sent
from .wire import ANSWER_BYTES_MAX, DEFINITE, PASSING

KEY, FENCE, COST = "keepfact/idempotency-key", "keepfact/fence", "keepfact/cost-cents"
LOOKUP_TOOL = "keepfact_lookup"
DEFINITE_CODES = frozenset({INVALID_PARAMS, METHOD_NOT_FOUND})
BEFORE_SENDING = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol)


class McpTools:
    """A client of one MCP server."""

    def __init__(self, url: str, timeout_seconds: float, sent: Sent) -> None:
        self._url, self._timeout_seconds, self._sent = url, timeout_seconds, sent

    def use(self, call: str, tool: str, arguments: Mapping[str, Any], fence: int) -> Reply:
        return self._call("tool", call, tool, dict(arguments), {KEY: call, FENCE: fence})

    def look_up(self, call: str) -> Finding | Refusal | NotSent | NoAnswer:
        reply = self._call("lookup", call, LOOKUP_TOOL, {"operation": call}, {})
        if not isinstance(reply, Answer):
            return reply
        try:
            return Finding.model_validate(json.loads(reply.text).get("result"))
        except ValidationError:
            return NoAnswer("it is no finding")

    def close(self) -> None:
        """Nothing is open between two calls."""

    def _call(self, kind: Kind, call: str, tool: str, arguments: dict[str, Any], meta: dict[str, Any]) -> Reply:
        once = _Once(kind, call, self._sent)
        try:
            result = anyio.run(self._exchange, once, tool, arguments, meta)
        except Exception as error:
            why = _say(error)
        else:
            if isinstance(result, CallToolResult):
                return _answer(result)
            why = f"error {result.code}: {result.message}"
            if once.was_sent and result.code in DEFINITE_CODES:
                return Refusal(why, json.dumps({"error": result.message}), None)
        if not once.was_sent:
            return NotSent(why)
        if once.status in DEFINITE:
            return Refusal(f"status {once.status}", json.dumps({"error": why}), None, once.status in PASSING)
        return NoAnswer(why)

    async def _exchange(
        self, once: "_Once", tool: str, arguments: dict[str, Any], meta: dict[str, Any]
    ) -> CallToolResult | MCPError:
        params = CallToolRequestParams.model_validate({"name": tool, "arguments": arguments, "_meta": meta})
        with anyio.fail_after(self._timeout_seconds):
            async with (
                httpx2.AsyncClient(transport=once, timeout=self._timeout_seconds) as http,
                Client(streamable_http_client(self._url, http_client=http)) as client,
            ):
                try:
                    return await client.session.send_request(CallToolRequest(params=params), CallToolResult)
                except MCPError as error:
                    return error


class _Once(httpx2.AsyncBaseTransport):
    """Lets the call of a tool pass once, and counts whatever passes."""

    def __init__(self, kind: Kind, call: str, sent: Sent) -> None:
        limits = httpx2.Limits(max_keepalive_connections=0)
        self._inner = httpx2.AsyncHTTPTransport(retries=0, limits=limits, trust_env=False)
        self._kind, self._call, self._sent = kind, call, sent
        self.was_sent = False
        self.status: int | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        is_call = _method_of(await request.aread()) == "tools/call"
        if is_call and self.was_sent:
            raise httpx2.RequestError("the call was sent already", request=request)
        self.was_sent |= is_call
        try:
            response = await self._inner.handle_async_request(request)
        except BEFORE_SENDING:
            self.was_sent &= not is_call
            raise
        except BaseException:
            self._count(is_call)
            raise
        self._count(is_call)
        if is_call:
            self.status = response.status_code
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _count(self, is_call: bool) -> None:
        self._sent.add(self._kind if is_call else "session", self._call)


def _say(error: BaseException) -> str:
    """Tasks hand their errors on in groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"


def _method_of(content: bytes) -> object:
    message = json.loads(content) if content else None
    return message.get("method") if isinstance(message, dict) else None


def _answer(result: CallToolResult) -> Reply:
    """In the form of an answer over HTTP: `result`, or `error` where the tool says that it failed, and the cost."""
    shown = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    said = shown.get("structuredContent", shown["content"])
    cost = (result.meta or {}).get(COST)
    text = json.dumps({"error" if result.is_error else "result": said, "cost_cents": cost})
    if len(text) > ANSWER_BYTES_MAX:
        return NoAnswer(f"it is longer than {ANSWER_BYTES_MAX} bytes")
    return Answer(text, cost_of(text))
