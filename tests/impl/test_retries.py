"""Asking again is bounded, and happens only where it can do no harm."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from keepfact.impl.outside import Answer, Finding, NoAnswer, NotSent, Outside, Policy, Refusal, Reply
from keepfact.impl.outside.retries import backoff, repeat

from .outside_world import Handler, OutsideWorld, cut, outside_world

YES, LOST, NOT_SENT = Answer("yes", 1), NoAnswer("cut"), NotSent("refused")
NO, LATER = Refusal("status 403", "no", None), Refusal("status 429", "later", None, is_passing=True)


@dataclass
class Server:
    """Replies in turn, the last for ever. A second is a pause; what is asked and how long was waited is kept."""

    replies: list[Reply]
    asked: int = 0
    pauses: list[float] = field(default_factory=list)
    permits: list[int] = field(default_factory=list)

    def repeat(self, policy: Policy, may: Callable[[int], bool] = lambda number: True) -> Reply:
        def permit(number: int) -> bool:
            self.permits.append(number)
            return may(number)

        return repeat(policy, self.send, permit, clock=lambda: sum(self.pauses), sleep=self.pauses.append)

    def send(self) -> Reply:
        self.asked += 1
        return self.replies[min(self.asked, len(self.replies)) - 1]


def _policy(attempts_max: int = 4, deadline_seconds: float = 100.0) -> Policy:
    return Policy(attempts_max, deadline_seconds, pause_seconds=float)


@pytest.mark.parametrize(("replies", "asked", "outcome"), [
    ([YES], 1, YES),
    ([LOST, YES], 2, YES),
    ([NOT_SENT, LATER, LOST, YES], 4, YES),
    ([LOST], 4, LOST),
    ([NOT_SENT], 4, NOT_SENT),
    ([LATER], 4, LATER),
    ([NO], 1, NO),
    ([NOT_SENT, NO], 2, NO),
    ([LATER, NO], 2, NO),
])  # fmt: skip
def test_a_definite_no_ends_it_and_so_does_the_bound(replies: list[Reply], asked: int, outcome: Reply) -> None:
    server = Server(replies)
    assert server.repeat(_policy()) == outcome
    assert server.asked == asked
    assert server.pauses == [1.0, 2.0, 3.0][: asked - 1]


@pytest.mark.parametrize("later", [NO, LATER, NOT_SENT])
def test_a_no_after_a_lost_answer_leaves_it_lost(later: Reply) -> None:
    """The no is about the second request; the first may have acted."""
    assert Server([LOST, later]).repeat(_policy()) == LOST


def test_no_attempt_begins_after_the_deadline() -> None:
    server = Server([LOST])
    assert server.repeat(_policy(deadline_seconds=3.0)) == LOST
    assert (server.asked, server.pauses) == (3, [1.0, 2.0])


def test_each_further_sending_needs_leave() -> None:
    server = Server([LOST])
    assert server.repeat(_policy(), lambda number: number < 3) == LOST
    assert (server.asked, server.permits) == (2, [2, 3])


def test_a_pause_lies_anywhere_up_to_a_bound_that_doubles() -> None:
    assert [backoff(1.0, 5.0, lambda: 1.0)(number) for number in range(1, 6)] == [1.0, 2.0, 4.0, 5.0, 5.0]
    assert [backoff(1.0, 5.0, lambda: 0.0)(number) for number in range(1, 6)] == [0.0] * 5


@pytest.fixture
def world() -> Iterator[OutsideWorld]:
    with outside_world() as opened:
        yield opened


@pytest.fixture
def client(world: OutsideWorld) -> Iterator[Outside]:
    opened = Outside(world.url, world.url, 60.0, policy=Policy(3, 60.0, pause_seconds=lambda number: 0.0))
    yield opened
    opened.close()


def _cut_before(world: OutsideWorld, path: str, answer: object) -> None:
    """Cut the first request of that path; the next is answered."""

    def first(handler: Handler) -> None:
        world.answers[path] = answer
        cut(handler)

    world.answers[path] = first


def test_a_lookup_is_repeated(world: OutsideWorld, client: Outside) -> None:
    _cut_before(world, "/operations/o", (200, {"status": "not_found"}))
    assert client.look_up("o") == Finding(status="not_found")
    assert client.sent.counts == {("lookup", "o"): 2}


def test_a_lookup_that_is_refused_is_not(world: OutsideWorld, client: Outside) -> None:
    world.answers["/operations/o"] = (403, {})
    assert client.look_up("o") is None
    assert world.paths() == ["/operations/o"]


def test_a_tool_is_asked_again_only_with_leave(world: OutsideWorld, client: Outside) -> None:
    _cut_before(world, "/tools/pay", (200, {"cost_cents": 2}))
    assert isinstance(client.use_tool("o", "pay", {}, 1), NoAnswer)
    assert client.sent.of("o") == 1
    _cut_before(world, "/tools/pay", (200, {"cost_cents": 2}))
    committed: list[int] = []
    assert client.use_tool("o", "pay", {}, 1, again=lambda number: not committed.append(number)) == Answer(
        '{"cost_cents": 2}', 2
    )
    assert committed == [2]
    assert {request.headers["Idempotency-Key"] for request in world.requests} == {"o"}


def test_the_model_is_never_asked_again(world: OutsideWorld, client: Outside) -> None:
    world.answers["/v1/chat/completions"] = cut
    assert isinstance(client.ask_model("a", "m", []), NoAnswer)
    assert client.sent.counts == {("model", "a"): 1}
