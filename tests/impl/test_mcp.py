"""Tools over MCP: what is sent, what counts as an answer, and that the library sends nothing again by itself."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from keepfact.fault_injection.world.client import World
from keepfact.fault_injection.world.gates import GateKind
from keepfact.fault_injection.world.ledger import Endpoint
from keepfact.impl.outside import Answer, Finding, NoAnswer, NotSent, Outside, Policy, Refusal, Reply
from keepfact.spec.vocabulary import CallKind, CallTruth, RunId

from .driving import fresh
from .outside_world import Handler, OutsideWorld, outside_world

LONG_SECONDS = 60.0
ONCE = Policy(attempts_max=1)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as opened:
        yield opened


class Calling:
    """One run that uses the world's tools over MCP and, to compare, over HTTP."""

    def __init__(self, world: World) -> None:
        self.world, self.run = world, RunId(fresh("run"))
        url = world.outside(self.run).tool_url
        self.call = f"{self.run}:operation:1"
        self.client = Outside(url, f"{url}/mcp", LONG_SECONDS, tool_protocol="mcp", policy=ONCE)
        self.http = Outside(url, url, LONG_SECONDS, policy=ONCE)

    def pay(self, **arguments: Any) -> Reply:
        return self.client.use_tool(self.call, "pay", arguments, fence=4)

    def truth(self) -> tuple[CallTruth, ...]:
        return self.world.truth(self.run).calls

    def close(self) -> None:
        self.client.close()
        self.http.close()


@pytest.fixture
def calling(world: World) -> Iterator[Calling]:
    opened = Calling(world)
    yield opened
    opened.close()


def test_a_call_carries_its_id_and_its_fence_and_is_sent_once(calling: Calling) -> None:
    answer = calling.pay(amount=1, note=None)
    assert isinstance(answer, Answer)
    assert answer.cost_cents == 11
    assert json.loads(answer.text)["result"]["tool"] == "pay"
    assert calling.truth() == (CallTruth(calling.call, CallKind.OPERATION, requests=1, acts=1, cost_cents=11),)
    assert {entry.fence for entry in calling.world.entries(calling.run)} == {"4"}
    assert calling.client.sent.counts["tool", calling.call] == 1


def test_it_is_the_same_request_as_over_http(calling: Calling) -> None:
    """Also where an argument is null: the server would turn another body under this key away."""
    arguments = {"amount": 1, "note": None, "nested": {"a": None, "é": [None]}}
    over_mcp = calling.pay(**arguments)
    over_http = calling.http.use_tool(calling.call, "pay", arguments, fence=4)
    assert isinstance(over_mcp, Answer)
    assert isinstance(over_http, Answer)
    assert json.loads(over_mcp.text) == json.loads(over_http.text)
    assert calling.truth()[0].acts == 1


def test_a_lookup_says_what_is_known(calling: Calling) -> None:
    calling.pay()
    assert calling.client.look_up(calling.call) == Finding(status="confirmed", cost_cents=11)
    assert calling.client.look_up(f"{calling.run}:operation:2") == Finding(status="not_found")
    assert calling.client.sent.counts["lookup", calling.call] == 1


def test_a_refusal_is_definite(calling: Calling) -> None:
    assert isinstance(calling.client.use_tool(calling.call, "no_such_tool", {}, fence=1), Refusal)
    assert calling.client.look_up(calling.call) == Finding(status="not_found")
    refused = calling.pay()
    assert isinstance(refused, Refusal)
    assert "promised that this operation never acts" in refused.text
    assert calling.truth()[0].acts == 0


@pytest.mark.parametrize("kind", [GateKind.ACT_THEN_RESET, GateKind.ACT_THEN_FAIL])
def test_an_answer_that_is_cut_or_fails_is_none_and_nothing_is_sent_again(calling: Calling, kind: GateKind) -> None:
    calling.world.set_gate(Endpoint.TOOL, kind, run=calling.run)
    assert isinstance(calling.pay(), NoAnswer)
    assert calling.truth() == (CallTruth(calling.call, CallKind.OPERATION, requests=1, acts=1, cost_cents=11),)


def test_an_answer_that_does_not_come_is_none(world: World) -> None:
    run = RunId(fresh("run"))
    url = world.outside(run).tool_url
    gate = world.set_gate(Endpoint.TOOL, GateKind.ACT_THEN_HOLD, run=run)
    impatient = Outside(url, f"{url}/mcp", 2.0, tool_protocol="mcp")
    assert isinstance(impatient.use_tool(f"{run}:operation:1", "pay", {}, fence=1), NoAnswer)
    assert gate.is_reached()
    gate.open()
    assert world.truth(run).calls[0].requests == 1
    impatient.close()


def test_a_server_that_is_not_there_was_not_asked() -> None:
    client = Outside("", "http://127.0.0.1:1/mcp", LONG_SECONDS, tool_protocol="mcp", policy=ONCE)
    assert isinstance(client.use_tool("o", "pay", {}, fence=1), NotSent)
    assert client.look_up("o") is None
    assert client.sent.of("o") == 0
    client.close()


class Stub:
    """An MCP server that answers the call of a tool as it is told, with a status, headers and a body."""

    def __init__(self, world: OutsideWorld, status: int, headers: dict[str, str], body: bytes) -> None:
        self.calls = 0
        self._world, self._status, self._headers, self._body = world, status, headers, body

    def __call__(self, handler: Handler) -> None:
        message = self._world.requests[-1].body
        assert isinstance(message, dict)
        if message["method"] == "tools/call":
            self.calls += 1
            body = self._body.replace(b"THE ID", str(message["id"]).encode())
            return self._send(handler, self._status, self._headers, body)
        if message["method"] != "initialize":
            return self._send(handler, 202 if "id" not in message else 404, {}, b"")
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
        said = {"jsonrpc": "2.0", "id": message["id"], "result": about}
        return self._send(handler, 200, {"Content-Type": "application/json"}, json.dumps(said).encode())

    def _send(self, handler: Handler, status: int, headers: dict[str, str], body: bytes) -> None:
        handler.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)


JSON, EVENTS = {"Content-Type": "application/json"}, {"Content-Type": "text/event-stream"}


def _says(**said: Any) -> bytes:
    return b'{"jsonrpc": "2.0", "id": THE ID, ' + json.dumps(said).encode()[1:]


def _error(code: int) -> bytes:
    return _says(error={"code": code, "message": "no"})


@pytest.mark.parametrize(("status", "headers", "body", "expected"), [
    (200, JSON, _says(result={"content": [{"type": "text", "text": "no funds"}], "isError": True}), Answer),
    (200, JSON, _says(result={"content": []}), Answer),
    (200, JSON, _error(-32602), Refusal),
    (200, JSON, _error(-32601), Refusal),
    (200, JSON, _error(-32600), NoAnswer),
    (200, JSON, _error(-32603), NoAnswer),
    (200, JSON, _error(-32000), NoAnswer),
    (200, JSON, _error(-32001), NoAnswer),
    (200, JSON, b"{", NoAnswer),
    (200, JSON, _says(result={"content": "no list"}), NoAnswer),
    (200, JSON, _says(result={"resultType": "input_required", "inputRequests": {}}), NoAnswer),
    (200, {"Content-Type": "text/html"}, b"hello", NoAnswer),
    (200, EVENTS, b"", NoAnswer),
    (200, EVENTS, b"id: 7\nretry: 1\ndata:\n\n", NoAnswer),
    (202, {}, b"", NoAnswer),
    (307, {"Location": "/mcp"}, b"", NoAnswer),
    (308, {"Location": "/mcp/"}, b"", NoAnswer),
    (401, {}, b"", Refusal),
    (403, {}, b"", Refusal),
    (404, {}, b"", Refusal),
    (429, {}, b"", Refusal),
    (409, {}, b"", NoAnswer),
    (500, {}, b"", NoAnswer),
])  # fmt: skip
def test_what_counts_as_an_answer(status: int, headers: dict[str, str], body: bytes, expected: type[Reply]) -> None:
    """Each is sent once: not again after a redirect, a mismatch of headers, a question back, or a stream that broke."""
    with outside_world() as world:
        stub = world.answers["/mcp"] = world.answers["/mcp/"] = Stub(world, status, headers, body)
        client = Outside("", f"{world.url}/mcp", LONG_SECONDS, tool_protocol="mcp")
        assert isinstance(client.use_tool("o", "pay", {}, fence=1), expected)
        assert stub.calls == 1
        assert client.sent.counts["tool", "o"] == 1
        assert client.sent.of("o") == len(world.requests)
        client.close()


def test_an_error_of_the_tool_is_an_answer_that_has_no_result() -> None:
    result = {
        "content": [],
        "structuredContent": {"why": "no funds"},
        "isError": True,
        "_meta": {"keepfact/cost-cents": 0},
    }
    with outside_world() as world:
        world.answers["/mcp"] = Stub(world, 200, JSON, _says(result=result))
        client = Outside("", f"{world.url}/mcp", LONG_SECONDS, tool_protocol="mcp")
        assert client.use_tool("o", "pay", {}, 1) == Answer('{"error": {"why": "no funds"}, "cost_cents": 0}', 0)
        client.close()
