"""The tool server acts once for a key, and keeps what its lookups promise."""

import httpx
import pytest

from keepfact.fault_injection.world.client import World
from keepfact.fault_injection.world.gates import GateKind
from keepfact.fault_injection.world.ledger import Endpoint
from keepfact.spec.vocabulary import RunId

from .conftest import Caller


def _acts(caller: Caller, name: str = "op") -> int:
    call = caller.world.truth(caller.run).of(caller.id(name))
    return 0 if call is None else call.acts


def test_the_same_key_and_body_gives_the_first_result_without_acting(caller: Caller) -> None:
    first = caller.use("pay", caller.id("op"), amount=1)
    again = caller.use("pay", caller.id("op"), amount=1)
    assert first.json()["cost_cents"] == 11
    assert (again.status_code, again.json()) == (200, first.json())
    assert _acts(caller) == 1


def test_the_same_key_with_another_body_is_refused(caller: Caller) -> None:
    caller.use("pay", caller.id("op"), amount=1)
    assert caller.use("pay", caller.id("op"), amount=2).status_code == 422
    assert _acts(caller) == 1


def test_two_keys_act_twice(caller: Caller) -> None:
    first = caller.use("pay", caller.id("op"), amount=1)
    assert caller.use("pay", caller.id("another"), amount=1).json() != first.json()
    assert (_acts(caller), _acts(caller, "another")) == (1, 1)


def test_while_the_first_request_is_in_progress_a_second_is_refused(caller: Caller, world: World) -> None:
    gate = world.set_gate(Endpoint.TOOL, GateKind.HOLD_BEFORE_ACTING, run=caller.run)
    first = caller.use_meanwhile("pay", caller.id("op"), amount=1)
    gate.wait_until_reached()
    assert caller.use("pay", caller.id("op"), amount=1).status_code == 409
    gate.open()
    assert first.result().status_code == 200
    assert _acts(caller) == 1


def test_the_lookup_of_what_acted_confirms_it_with_its_cost(caller: Caller) -> None:
    caller.use("pay", caller.id("op"), amount=1)
    assert caller.look_up(caller.id("op")) == {"status": "confirmed", "cost_cents": 11}
    assert _acts(caller) == 1


def test_not_found_is_a_promise_that_a_later_request_does_not_act(caller: Caller) -> None:
    assert caller.look_up(caller.id("op")) == {"status": "not_found"}
    assert caller.use("pay", caller.id("op"), amount=1).status_code == 410
    assert _acts(caller) == 0
    assert caller.look_up(caller.id("op")) == {"status": "not_found"}


def test_not_found_also_stops_a_request_that_has_arrived_and_not_acted(caller: Caller, world: World) -> None:
    gate = world.set_gate(Endpoint.TOOL, GateKind.HOLD_BEFORE_ACTING, run=caller.run)
    first = caller.use_meanwhile("pay", caller.id("op"), amount=1)
    gate.wait_until_reached()
    assert caller.look_up(caller.id("op")) == {"status": "not_found"}
    gate.open()
    assert first.result().status_code == 410
    assert _acts(caller) == 0


def test_an_ambiguous_tool_does_not_say_whether_it_acted(caller: Caller, world: World) -> None:
    gate = world.set_gate(Endpoint.TOOL, GateKind.HOLD_BEFORE_ACTING, run=caller.run)
    first = caller.use_meanwhile("send_letter", caller.id("op"))
    gate.wait_until_reached()
    assert caller.look_up(caller.id("op")) == {"status": "ambiguous"}
    gate.open()
    assert first.result().status_code == 200
    assert caller.look_up(caller.id("op")) == {"status": "ambiguous"}


@pytest.mark.parametrize(("tool", "status", "acts"), [("pay", 400, 0), ("read_invoice", 200, 1), ("no_such", 404, 0)])
def test_a_request_without_a_key(caller: Caller, tool: str, status: int, acts: int) -> None:
    assert caller.use(tool).status_code == status
    [call] = caller.world.truth(caller.run).calls
    assert (call.call, call.requests, call.acts) == ("", 1, acts)


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[" * 100_000])
def test_a_body_that_is_not_json_is_refused(caller: Caller, body: bytes) -> None:
    headers = {"Idempotency-Key": caller.id("op")}
    assert httpx.post(f"{caller.url}/tools/pay", content=body, headers=headers, trust_env=False).status_code == 400
    assert _acts(caller) == 0


def test_the_fence_is_written_down(caller: Caller, world: World) -> None:
    caller.use("pay", caller.id("op"))
    assert {entry.fence for entry in world.entries(caller.run)} == {"7"}


def test_truth_is_about_one_run(caller: Caller, world: World) -> None:
    caller.use("pay", caller.id("op"))
    other = RunId(f"{caller.run}-other")
    headers = {"Idempotency-Key": f"{other}:op"}
    httpx.post(f"{world.url}/tools/pay", json={}, headers=headers, trust_env=False)
    assert [call.call for call in world.truth(caller.run).calls] == [caller.id("op")]
    assert [call.call for call in world.truth(other).calls] == [f"{other}:op"]
