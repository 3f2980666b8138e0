"""A streamed answer is an answer only when it is whole, and then it is the one that would have come in one piece."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from keepfact.fault_injection.world.client import World
from keepfact.fault_injection.world.gates import GateKind
from keepfact.fault_injection.world.ledger import Endpoint
from keepfact.fault_injection.world.script import Reply, Streamed, script_that_calls
from keepfact.impl.outside import Answer, NoAnswer, Outside, Price
from keepfact.impl.outside.streams import Assembly, Events
from keepfact.spec.vocabulary import RunId

from .driving import fresh
from .outside_world import OutsideWorld, outside_world

LONG_SECONDS = 60.0
PRICES = {"m": Price(prompt_microcents=100_000, completion_microcents=400_000)}
MESSAGES = [{"role": "user", "content": "What is due?"}]


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as opened:
        yield opened


class Asking:
    """One run that asks the model of the world, once without streaming and once with."""

    def __init__(self, world: World, prices: Mapping[str, Price] | None = None) -> None:
        self.world, self.run = world, RunId(fresh("run"))
        self.seen: list[tuple[str, Mapping[str, Any]]] = []
        url = world.outside(self.run).model_url
        self.whole = Outside(url, url, LONG_SECONDS, prices=prices)
        self.streaming = Outside(
            url, url, LONG_SECONDS, prices=prices, streams=True, on_delta=lambda call, choice: self.see(call, choice)
        )

    def see(self, call: str, choice: Mapping[str, Any]) -> None:
        self.seen.append((call, choice))

    def script(self, **streamed: Any) -> None:
        reply = Reply(text="Nothing is due.", cost_cents=4, streamed=Streamed(**streamed))
        self.world.set_script(self.run, (reply,))

    def ask(self, number: int = 1) -> Any:
        return self.streaming.ask_model(f"{self.run}:attempt:{number}", "m", MESSAGES)

    def close(self) -> None:
        self.whole.close()
        self.streaming.close()


@pytest.fixture
def asking(world: World) -> Iterator[Asking]:
    opened = Asking(world)
    yield opened
    opened.close()


def test_a_stream_gives_what_would_have_come_in_one_piece(asking: Asking) -> None:
    asking.world.set_script(asking.run, script_that_calls("pay"))
    streamed, whole = asking.ask(), asking.whole.ask_model(f"{asking.run}:attempt:2", "m", MESSAGES)
    assert isinstance(streamed, Answer)
    assert isinstance(whole, Answer)
    assert streamed.cost_cents == whole.cost_cents == 3
    one, other = (_without_what_differs(answer.text) for answer in (streamed, whole))
    assert one == other
    assert one["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "pay"


def _without_what_differs(text: str) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(text)
    del said["id"], said["created"], said["choices"][0]["message"]["tool_calls"][0]["id"]
    return said


@pytest.mark.parametrize("streamed", [{"cut_after": 0}, {"cut_after": 1}, {"cut_after": 4}, {"cut_after": 5},
                                      {"error_after": 0}, {"error_after": 3}])  # fmt: skip
def test_a_part_of_an_answer_is_no_answer(asking: Asking, streamed: dict[str, int]) -> None:
    """Of five chunks and an end; a cut after the last of them is one too, since the end did not come."""
    asking.script(**streamed)
    assert isinstance(asking.ask(), NoAnswer)
    assert asking.streaming.sent.counts == {("model", f"{asking.run}:attempt:1"): 1}
    assert asking.world.truth(asking.run).calls[0].requests == 1


def test_an_answer_without_usage_has_no_amount(world: World) -> None:
    asking = Asking(world, PRICES)
    asking.script(has_usage=False)
    answer = asking.ask()
    assert isinstance(answer, Answer)
    assert answer.cost_cents is None
    asking.close()


def test_whoever_looks_on_sees_each_piece_under_its_attempt(asking: Asking) -> None:
    asking.script(cut_after=3)
    assert isinstance(asking.ask(1), NoAnswer)
    asking.script()
    assert isinstance(asking.ask(2), Answer)
    first, second = ([choice for call, choice in asking.seen if call == f"{asking.run}:attempt:{n}"] for n in (1, 2))
    assert "".join(choice["delta"].get("content", "") for choice in first) == "Nothing is "
    assert "".join(choice["delta"].get("content", "") for choice in second) == "Nothing is due."
    assert len(first) + len(second) == len(asking.seen)


def test_whoever_looks_on_and_fails_spoils_nothing(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(call: str, choice: Mapping[str, Any]) -> None:
        asking.seen.append((call, choice))
        raise RuntimeError("the client has gone")

    monkeypatch.setattr(asking, "see", fail)
    asking.script()
    assert isinstance(asking.ask(), Answer)
    assert len(asking.seen) == 1


def test_a_failure_before_the_stream_is_none_of_it(asking: Asking) -> None:
    asking.script()
    asking.world.set_gate(Endpoint.MODEL, GateKind.ACT_THEN_FAIL, run=asking.run)
    assert asking.ask() == NoAnswer("status 500")


def _event(**chunk: Any) -> bytes:
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def _choice(finish: str | None = None, index: int = 0, **delta: Any) -> dict[str, Any]:
    return {"index": index, "delta": delta, "finish_reason": finish}


def _whole(*chunks: bytes) -> dict[str, Any]:
    assembly = Assembly("a")
    for chunk in chunks:
        assembly.take(chunk)
    said: dict[str, Any] = json.loads(assembly.whole())
    return said


def test_calls_grow_by_their_index_however_the_bytes_are_cut() -> None:
    calls = [
        [{"index": 1, "id": "b", "type": "function", "function": {"name": "two", "arguments": ""}}],
        [{"index": 0, "id": "a", "type": "function", "function": {"name": "one", "arguments": '{"é'}}],
        [{"index": 1, "function": {"arguments": "{}"}}, {"index": 0, "function": {"arguments": '": 1}'}}],
    ]
    stream = b": comment\r\n\r\n" + b"".join(_event(choices=[_choice(tool_calls=call)]) for call in calls)
    stream += _event(choices=[_choice("tool_calls")]) + b"data: [DONE]\r\n\r\n"
    for said in (_whole(stream), _whole(*(stream[n : n + 1] for n in range(len(stream))))):
        [choice] = said["choices"]
        assert choice["message"]["tool_calls"] == [
            {"id": "a", "type": "function", "function": {"name": "one", "arguments": '{"é": 1}'}},
            {"id": "b", "type": "function", "function": {"name": "two", "arguments": "{}"}},
        ]


def test_each_of_several_choices_must_be_finished() -> None:
    two = [_event(choices=[_choice(index=n, content="x")]) for n in (0, 1)]
    with pytest.raises(ValueError, match="before the answer was finished"):
        _whole(*two, _event(choices=[_choice("stop", index=1)]))
    said = _whole(*two, _event(choices=[_choice("stop", index=1)]), _event(choices=[_choice("stop", index=0)]))
    assert [choice["index"] for choice in said["choices"]] == [0, 1]


@pytest.mark.parametrize("stream", [
    b"data: {\n\n", b"data: []\n\n", b"event: error\ndata: {}\n\n", _event(error={"message": "overloaded"}),
    _event(choices=[{"delta": {"content": "x"}}]), _event(choices=[_choice(tool_calls=[{"id": "a"}])]),
    b"data: \xff\n\n",
])  # fmt: skip
def test_what_cannot_be_read_is_no_piece_of_an_answer(stream: bytes) -> None:
    with pytest.raises(ValueError):
        _whole(stream, _event(choices=[_choice("stop", content="x")]))


def test_what_comes_after_the_end_is_not_of_it() -> None:
    said = _whole(_event(choices=[_choice("stop", content="x")]), b"data: [DONE]\n\n", _event(error="late"))
    assert said["choices"][0]["message"] == {"content": "x"}


def test_an_event_has_all_its_lines() -> None:
    assert list(Events().take(b"event: e\ndata: 1\ndata:2\n\ndata: 3\n")) == [("e", "1\n2")]


@pytest.fixture
def stub() -> Iterator[OutsideWorld]:
    with outside_world() as opened:
        yield opened


@pytest.mark.parametrize(("body", "cost_cents"), [
    ({"usage": {"prompt_tokens": 9, "completion_tokens": 4}}, 3),  # 0.9 and 1.6 cents, rounded up
    ({"usage": {"prompt_tokens": 0, "completion_tokens": 0}}, 0),
    ({"usage": {"prompt_tokens": 9, "completion_tokens": 4}, "cost_cents": 7}, 7),
    ({"usage": {"prompt_tokens": 9, "completion_tokens": 4}, "cost_cents": None}, 3),
    ({"usage": {"prompt_tokens": 9, "completion_tokens": 4}, "cost_cents": "7"}, None),
    ({"usage": {"prompt_tokens": 9}}, None),
    ({"usage": {"prompt_tokens": -1, "completion_tokens": 4}}, None),
    ({"usage": {"prompt_tokens": 9.5, "completion_tokens": 4}}, None),
    ({"usage": None}, None),
    ({}, None),
])  # fmt: skip
def test_the_amount_is_the_one_named_or_else_comes_from_usage_and_price(
    stub: OutsideWorld, body: dict[str, Any], cost_cents: int | None
) -> None:
    stub.answers["/v1/chat/completions"] = (200, body)
    client = Outside(stub.url, stub.url, LONG_SECONDS, prices=PRICES)
    answer = client.ask_model("c", "m", [])
    assert isinstance(answer, Answer)
    assert answer.cost_cents == cost_cents
    unpriced = client.ask_model("c", "another", [])
    assert isinstance(unpriced, Answer)
    assert unpriced.cost_cents == (7 if cost_cents == 7 else None)
    client.close()


def test_a_model_that_does_not_stream_though_asked_is_heard_as_well(stub: OutsideWorld) -> None:
    client = Outside(stub.url, stub.url, LONG_SECONDS, streams=True)
    answer = client.ask_model("c", "m", [])
    assert isinstance(answer, Answer)
    assert answer.cost_cents == 3
    assert stub.requests[0].body == {
        "model": "m", "messages": [], "stream": True, "stream_options": {"include_usage": True},
    }  # fmt: skip
    client.close()
