"""Each gate does to one request what its name says, and tells that it was reached."""

import errno
import socket

import httpx
import pytest

from keepfact.fault_injection.waiting import wait_until
from keepfact.fault_injection.world.client import World
from keepfact.fault_injection.world.gates import GateKind
from keepfact.fault_injection.world.ledger import Endpoint, Happened

from .conftest import Caller


def _fates(caller: Caller) -> list[Happened]:
    return [entry.happened for entry in caller.world.entries(caller.run)]


def test_a_request_is_held_before_it_acts(caller: Caller, world: World) -> None:
    gate = world.set_gate(Endpoint.TOOL, GateKind.HOLD_BEFORE_ACTING, run=caller.run)
    assert not gate.is_reached()
    request = caller.use_meanwhile("pay", caller.id("op"))
    gate.wait_until_reached()
    assert _fates(caller) == [Happened.ARRIVED]
    assert not request.done()
    gate.open()
    assert request.result().status_code == 200
    assert _fates(caller) == [Happened.ARRIVED, Happened.ACTED, Happened.ANSWERED]


def test_a_request_acts_and_its_answer_is_held(caller: Caller, world: World) -> None:
    gate = world.set_gate(Endpoint.TOOL, GateKind.ACT_THEN_HOLD, run=caller.run)
    request = caller.use_meanwhile("pay", caller.id("op"))
    gate.wait_until_reached()
    assert _fates(caller) == [Happened.ARRIVED, Happened.ACTED]
    assert not request.done()
    gate.open()
    assert request.result().status_code == 200


def test_a_request_acts_and_its_connection_is_reset(caller: Caller, world: World) -> None:
    gate = world.set_gate(Endpoint.TOOL, GateKind.ACT_THEN_RESET, run=caller.run)
    address = httpx.URL(caller.url)
    with socket.create_connection((address.host, address.port or 0)) as connection:
        head = f"POST {address.path}/tools/pay HTTP/1.1\r\nHost: world\r\nIdempotency-Key: {caller.id('op')}\r\n"
        connection.sendall(f"{head}Content-Length: 2\r\n\r\n{{}}".encode())
        with pytest.raises(ConnectionResetError) as reset:
            connection.recv(1)
    assert reset.value.errno == errno.ECONNRESET
    gate.wait_until_reached()
    assert _fates(caller) == [Happened.ARRIVED, Happened.ACTED, Happened.CUT]


def test_a_request_acts_and_the_server_then_fails(caller: Caller, world: World) -> None:
    gate = world.set_gate(Endpoint.MODEL, GateKind.ACT_THEN_FAIL, run=caller.run)
    assert caller.ask(caller.id("one")).status_code == 500
    assert gate.is_reached()
    assert _fates(caller) == [Happened.ARRIVED, Happened.ACTED, Happened.ANSWERED]


def test_a_gate_takes_one_request_only(caller: Caller, world: World) -> None:
    world.set_gate(Endpoint.TOOL, GateKind.ACT_THEN_FAIL, run=caller.run)
    answers = [caller.use("pay", caller.id("op")).status_code for _ in range(2)]
    assert answers == [500, 200]


def test_a_gate_can_wait_for_a_request_by_its_number(caller: Caller, world: World) -> None:
    world.set_gate(Endpoint.TOOL, GateKind.ACT_THEN_FAIL, run=caller.run, number=2)
    answers = [caller.use("pay", caller.id(name)).status_code for name in ("a", "b", "c")]
    assert answers == [200, 500, 200]


def test_a_gate_can_wait_for_a_key(caller: Caller, world: World) -> None:
    world.set_gate(Endpoint.TOOL, GateKind.ACT_THEN_FAIL, key=caller.id("b"))
    answers = [caller.use("pay", caller.id(name)).status_code for name in ("a", "b", "c")]
    assert answers == [200, 500, 200]


def test_a_gate_leaves_other_runs_and_endpoints_alone(caller: Caller, world: World) -> None:
    gate = world.set_gate(Endpoint.LOOKUP, GateKind.ACT_THEN_FAIL, run=caller.run)
    assert caller.use("pay", caller.id("op")).status_code == 200
    assert httpx.get(f"{world.url}/for/another/operations/x", trust_env=False).status_code == 200
    assert not gate.is_reached()


def test_an_answer_that_nobody_waits_for_is_written_down_as_cut(caller: Caller, world: World) -> None:
    gate = world.set_gate(Endpoint.TOOL, GateKind.ACT_THEN_HOLD, run=caller.run)
    address = httpx.URL(caller.url)
    with socket.create_connection((address.host, address.port or 0)) as connection:
        head = f"POST {address.path}/tools/pay HTTP/1.1\r\nHost: world\r\nIdempotency-Key: {caller.id('op')}\r\n"
        connection.sendall(f"{head}Content-Length: 2\r\n\r\n{{}}".encode())
        gate.wait_until_reached()
    gate.open()
    wait_until(lambda: world.is_quiet(caller.run), "the request has come to its end")
    assert _fates(caller) == [Happened.ARRIVED, Happened.ACTED, Happened.CUT]


def test_every_request_has_exactly_one_end(caller: Caller, world: World) -> None:
    for key in ("a", "a", "b"):
        caller.use("pay", caller.id(key))
    caller.look_up(caller.id("a"))
    entries = world.entries(caller.run)
    arrived = sorted(entry.request for entry in entries if entry.happened is Happened.ARRIVED)
    ended = sorted(entry.request for entry in entries if entry.happened in {Happened.ANSWERED, Happened.REFUSED})
    assert len(arrived) == 4
    assert arrived == ended


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/gates", b"{}", 422),
        ("/gates", b'{"endpoint": "tool", "kind": "act_then_hold", "numbr": 2}', 422),
        ("/gates/0/open", b"", 404),
        ("/gates/999/open", b"", 404),
    ],
)
def test_a_gate_that_makes_no_sense_is_refused(world: World, path: str, body: bytes, status: int) -> None:
    assert httpx.post(f"{world.url}{path}", content=body, trust_env=False).status_code == status


@pytest.mark.parametrize(
    "script", [b"[]", b'[{"text": "a", "cost_cents": -1}]', b'[{"text": "\\ud800", "cost_cents": 1}]']
)
def test_a_script_that_makes_no_sense_is_refused(world: World, script: bytes) -> None:
    assert httpx.put(f"{world.url}/scripts/run", content=script, trust_env=False).status_code == 422
