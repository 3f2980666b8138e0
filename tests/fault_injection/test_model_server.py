"""The model server answers as OpenAI's does, by its script, and bills each request."""

import json

import httpx
import pytest

from keepfact.fault_injection.world.client import World
from keepfact.fault_injection.world.ledger import Happened
from keepfact.fault_injection.world.script import Reply, Streamed
from keepfact.spec.vocabulary import CallKind, CallTruth

from .conftest import Caller


def test_the_first_reply_asks_for_a_tool_and_names_its_price(caller: Caller) -> None:
    said = caller.ask(caller.id("one"), model="any").json()
    function = said["choices"][0]["message"]["tool_calls"][0]["function"]
    assert function["name"] == "pay"
    assert json.loads(function["arguments"]) == {"invoice": "2031-44", "amount_cents": 4200}
    assert said["choices"][0]["finish_reason"] == "tool_calls"
    assert said["usage"]["total_tokens"] == said["usage"]["prompt_tokens"] + said["usage"]["completion_tokens"]
    assert (said["cost_cents"], said["model"], said["object"]) == (3, "any", "chat.completion")


def test_after_the_tool_has_answered_the_model_finishes(caller: Caller) -> None:
    answered = [{"role": "user", "content": "?"}, {"role": "assistant"}, {"role": "tool", "content": "paid"}]
    choice = caller.ask(caller.id("two"), messages=answered).json()["choices"][0]
    assert choice["finish_reason"] == "stop"
    assert "tool_calls" not in choice["message"]


def test_a_run_can_have_a_script_of_its_own(caller: Caller, world: World) -> None:
    world.set_script(caller.run, (Reply(text="Nothing is due.", cost_cents=0),))
    said = caller.ask(caller.id("one")).json()
    assert (said["choices"][0]["message"]["content"], said["cost_cents"]) == ("Nothing is due.", 0)


def test_asking_again_under_the_same_key_costs_again(caller: Caller, world: World) -> None:
    call = caller.id("one")
    caller.ask(call)
    caller.ask(call)
    assert world.truth(caller.run).calls == (CallTruth(call, CallKind.ATTEMPT, requests=2, acts=2, cost_cents=6),)


def test_what_is_no_conversation_is_refused_and_costs_nothing(caller: Caller, world: World) -> None:
    call = caller.id("one")
    assert caller.ask(call, messages="hello").status_code == 400
    assert world.truth(caller.run).calls == (CallTruth(call, CallKind.ATTEMPT, requests=1, acts=0, cost_cents=0),)


def test_options_of_a_stream_that_are_none_are_refused_and_cost_nothing(caller: Caller, world: World) -> None:
    asked = {"messages": [], "stream": True, "stream_options": 7}
    answer = httpx.post(f"{caller.url}/v1/chat/completions", json=asked, trust_env=False)
    assert answer.status_code == 400
    assert [entry.happened for entry in world.entries(caller.run)] == [Happened.ARRIVED, Happened.REFUSED]


def test_a_stream_that_is_cut_costs_as_much_as_a_whole_one(caller: Caller, world: World) -> None:
    world.set_script(caller.run, (Reply(text="Nothing is due.", cost_cents=4, streamed=Streamed(cut_after=2)),))
    with pytest.raises(httpx.RemoteProtocolError):
        caller.ask(caller.id("one"), stream=True)
    assert world.truth(caller.run).calls[0].cost_cents == 4
    assert world.entries(caller.run)[-1].happened is Happened.CUT
    assert world.is_quiet(caller.run)


def test_a_request_without_a_key_still_tells_its_run(caller: Caller, world: World) -> None:
    caller.ask()
    [call] = world.truth(caller.run).calls
    assert (call.call, call.requests, call.acts) == ("", 1, 1)
