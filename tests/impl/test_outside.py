"""What counts as an answer from outside, and what does not."""

import threading
from collections.abc import Iterator

import pytest

from keepfact.impl.outside import Answer, Finding, NoAnswer, NotSent, Outside, Policy, Refusal, Reply, wire

from .outside_world import PLAN, OutsideWorld, answer_half, cut, name_of, outside_world, trickle

LONG_SECONDS, SHORT_SECONDS = 60.0, 0.2
ONCE = Policy(attempts_max=1)


@pytest.fixture
def world() -> Iterator[OutsideWorld]:
    with outside_world() as opened:
        yield opened


@pytest.fixture
def client(world: OutsideWorld) -> Iterator[Outside]:
    opened = Outside(world.url, world.url, LONG_SECONDS, policy=ONCE)
    yield opened
    opened.close()


def _pay(client: Outside) -> Reply:
    return client.use_tool("r:operation:1", "pay", {"amount": 1}, fence=4)


def test_a_request_carries_the_id_of_its_call_and_to_a_tool_the_fence(world: OutsideWorld, client: Outside) -> None:
    assert isinstance(client.ask_model("r:attempt:1", "m", [{"role": "user", "content": "é \ud800"}]), Answer)
    assert _pay(client) == Answer('{"result": {"receipt": 7}, "cost_cents": 11}', 11)
    asked, used = world.requests
    assert (asked.path, asked.headers["Idempotency-Key"]) == ("/v1/chat/completions", "r:attempt:1")
    assert asked.body == {"model": "m", "messages": [{"role": "user", "content": "é \ud800"}]}
    assert (used.path, used.body) == ("/tools/pay", {"amount": 1})
    assert (used.headers["Idempotency-Key"], used.headers["Keepfact-Fence"]) == ("r:operation:1", "4")


@pytest.mark.parametrize(("status", "body", "cost_cents"), [
    (200, {"result": 1, "cost_cents": 0}, 0),
    (200, {"result": 1}, None),
    (200, {"result": 1, "cost_cents": None}, None),
    (200, {"result": 1, "cost_cents": -1}, None),
    (200, {"result": 1, "cost_cents": "5"}, None),
    (200, {"result": 1, "cost_cents": True}, None),
    (200, b"not JSON", None),
])  # fmt: skip
def test_a_success_is_an_answer_with_the_amount_it_names(
    world: OutsideWorld, client: Outside, status: int, body: object, cost_cents: int | None
) -> None:
    world.answers["/tools/pay"] = (status, body)
    answer = _pay(client)
    assert isinstance(answer, Answer)
    assert answer.cost_cents == cost_cents


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 410, 413, 415, 422, 429])
def test_a_definite_refusal_is_told_apart_and_keeps_what_was_said(
    world: OutsideWorld, client: Outside, status: int
) -> None:
    world.answers["/tools/pay"] = (status, {"error": "no", "cost_cents": 2})
    said = '{"error": "no", "cost_cents": 2}'
    assert _pay(client) == Refusal(f"status {status}", said, 2, is_passing=status == 429)


@pytest.mark.parametrize("answer", [
    (500, {"cost_cents": 1}), (503, {}), (409, {"error": "still in progress"}), (408, {}), (302, {}),
    cut, answer_half, (200, b'{"result": "\0"}'),
], ids=name_of)  # fmt: skip
def test_everything_else_is_no_answer_and_nothing_is_sent_again(
    world: OutsideWorld, client: Outside, answer: object
) -> None:
    world.answers["/tools/pay"] = answer
    assert isinstance(_pay(client), NoAnswer)
    assert world.paths() == ["/tools/pay"]


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "gopher://127.0.0.1", "http://[", "http://no.such.host.invalid"])
def test_what_could_not_be_sent_was_not_sent(url: str) -> None:
    client = Outside(url, url, LONG_SECONDS, policy=ONCE)
    assert isinstance(_pay(client), NotSent)
    assert isinstance(client.ask_model("r:attempt:1", "m", [{"content": object()}]), NotSent)
    assert client.look_up("r:operation:1") is None
    assert client.sent.counts == {}
    client.close()


def test_every_request_is_counted_reads_and_lost_ones_too(world: OutsideWorld, client: Outside) -> None:
    world.answers["/tools/pay"] = cut
    client.ask_model("r:attempt:1", "m", [])
    _pay(client)
    _pay(client)
    client.look_up("r:operation:1")
    counts = {("model", "r:attempt:1"): 1, ("tool", "r:operation:1"): 2, ("lookup", "r:operation:1"): 1}
    assert client.sent.counts == counts
    assert sum(counts.values()) == len(world.requests)


def test_an_answer_that_does_not_come_is_no_answer(world: OutsideWorld) -> None:
    held = world.held("/tools/pay")
    impatient = Outside(world.url, world.url, SHORT_SECONDS)
    assert isinstance(_pay(impatient), NoAnswer)
    held.let_go()
    impatient.close()


def test_an_answer_that_trickles_for_ever_is_given_up(world: OutsideWorld) -> None:
    enough = threading.Event()
    world.answers["/tools/pay"] = trickle(enough)
    impatient = Outside(world.url, world.url, SHORT_SECONDS)
    assert _pay(impatient) == NoAnswer("TimeoutError: it was not complete after 0.2 seconds")
    enough.set()
    impatient.close()


def test_an_answer_without_measure_is_given_up(
    world: OutsideWorld, client: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "ANSWER_BYTES_MAX", 10)
    assert _pay(client) == NoAnswer("ValueError: it is longer than 10 bytes")


@pytest.mark.parametrize(("answer", "finding"), [
    ((200, {"status": "confirmed", "cost_cents": 4}), Finding(status="confirmed", cost_cents=4)),
    ((200, {"status": "confirmed"}), Finding(status="confirmed")),
    ((200, {"status": "not_found"}), Finding(status="not_found")),
    ((200, {"status": "ambiguous"}), Finding(status="ambiguous")),
    ((200, {"status": "probably"}), None),
    ((200, {"status": "confirmed", "cost_cents": -1}), None),
    ((200, b"not JSON"), None),
    ((404, {"status": "not_found"}), None),
    ((500, {}), None),
    (cut, None),
])  # fmt: skip
def test_only_a_clear_word_counts_as_a_finding(
    world: OutsideWorld, client: Outside, answer: object, finding: Finding | None
) -> None:
    world.answers["/operations/r%3Aoperation%3A1"] = answer
    assert client.look_up("r:operation:1") == finding


def test_a_plan_is_an_answer_word_for_word(world: OutsideWorld, client: Outside) -> None:
    answer = client.ask_model("c", "m", [])
    assert isinstance(answer, Answer)
    assert PLAN["cost_cents"] == answer.cost_cents == 3
    assert '"prompt_tokens": 9' in answer.text
