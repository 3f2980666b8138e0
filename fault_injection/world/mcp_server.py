"""The same tools over MCP (streamable HTTP, one JSON answer a request), on the same operations and the same ledger.

A call's id is its key `keepfact/idempotency-key` in `_meta`, its fence stands beside it, and the tool `keepfact_lookup`
looks an operation up. What an operation has cost is said in the `_meta` of its result.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .ledger import Endpoint
from .tool_server import TOOLS, ToolServer
from .traffic import Dress, Traffic, json_of

KEY, FENCE, COST = "keepfact/idempotency-key", "keepfact/fence", "keepfact/cost-cents"
LOOKUP = "keepfact_lookup"
_INVALID_REQUEST, _METHOD_NOT_FOUND, _INVALID_PARAMS, _INTERNAL_ERROR = -32600, -32601, -32602, -32603
_IN_PROGRESS = -32000
_CODES = {409: _IN_PROGRESS, 500: _INTERNAL_ERROR}


class McpServer:
    """Only calls of tools are traffic; what the protocol has around them is not written down."""

    def __init__(self, traffic: Traffic, tools: ToolServer) -> None:
        self._traffic, self._tools = traffic, tools
        self.routes = [Route("/mcp", self.receive, methods=["POST"])]

    async def receive(self, request: Request) -> Response:
        """Take one message."""
        message = await json_of(request)
        if not isinstance(message, dict) or not isinstance(message.get("params", {}), dict):
            return _error(None, _INVALID_REQUEST, "expected one message of JSON-RPC")
        if "id" not in message:
            return Response(status_code=202)
        params: dict[str, Any] = message.get("params", {})
        match message.get("method"):
            case "initialize":
                version = params.get("protocolVersion", "2025-11-25")
                about = {"capabilities": {"tools": {}}, "serverInfo": {"name": "world", "version": "1"}}
                return _result(message["id"], {"protocolVersion": version, **about})
            case "tools/list":
                names = [*TOOLS, LOOKUP]
                return _result(
                    message["id"], {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in names]}
                )
            case "tools/call":
                return await self._call(request, message["id"], params)
        return _error(message["id"], _METHOD_NOT_FOUND, "no such method")

    async def _call(self, request: Request, number: object, params: dict[str, Any]) -> Response:
        meta, arguments = params.get("_meta") or {}, params.get("arguments") or {}
        key = meta.get(KEY)
        fence = None if FENCE not in meta else str(meta[FENCE])
        if params.get("name") == LOOKUP:
            key = str(arguments.get("operation"))
            arrival = self._traffic.arrive_with(request, Endpoint.LOOKUP, key, None, fence, _dress(number))
            return await self._tools.find(arrival, key)
        arrival = self._traffic.arrive_with(request, Endpoint.TOOL, key, arguments, fence, _dress(number))
        return await self._tools.serve(arrival, str(params.get("name")))


def _dress(number: object) -> Dress:
    """What the tools say, as a result, or as an error where they refuse or fail."""

    def dress(content: dict[str, object], status: int) -> Response:
        if status != 200:
            return _error(number, _CODES.get(status, _INVALID_PARAMS), str(content["error"]))
        said = content.get("result", content)
        meta = {COST: content["cost_cents"]} if "result" in content else {}
        text = [{"type": "text", "text": str(said)}]
        return _result(number, {"content": text, "structuredContent": said, "isError": False, "_meta": meta})

    return dress


def _result(number: object, result: dict[str, object]) -> Response:
    return JSONResponse({"jsonrpc": "2.0", "id": number, "result": result})


def _error(number: object, code: int, message: str) -> Response:
    return JSONResponse({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})
