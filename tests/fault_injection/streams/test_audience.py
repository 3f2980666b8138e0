"""What clients were told over all their connections is held against the history, and objected to where it differs."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from keepfact.fault_injection.streams.audience import Audience
from keepfact.fault_injection.streams.parsing import Told
from keepfact.spec.vocabulary import Done, EntryPoint, EventType, EventView, RunId, RunState, Streamed

HISTORY = tuple(EventView(number, EventType.GRANTED, EntryPoint.WORK, "somebody") for number in (1, 2, 3))


class Trial:
    """Of a run with three events. Takes note of what was expected and is not so, and of what was heard."""

    run = RunId("run")
    stage = SimpleNamespace(system=SimpleNamespace(name="toy"))

    def __init__(self, state: RunState = RunState.SUCCEEDED) -> None:
        self.view = SimpleNamespace(history=HISTORY, state=state)
        self.seen: list[str] = []
        self.heard: list[Any] = []

    def command_id(self) -> str:
        return "asked"

    def expect(self, rule: str, holds: bool, expected: str, seen: str) -> None:
        assert rule == "HISTORY.6"
        self.seen += [] if holds else [seen]

    def hear(self, asked: object, outcome: object) -> None:
        self.heard.append(outcome)


def audience(trial: Any, *connections: tuple[str, int], is_over: bool = True) -> Audience:
    """With one client: over each connection it got these events, and was told so many times that this is the end."""
    streams: Any = SimpleNamespace(streamed_event=lambda run, data: _event(data))
    made = Audience(trial, streams, 1.0)
    now = [
        SimpleNamespace(events=[Told(one, "message", one) for one in events], ends=ends, is_over=is_over, after=0,
                        goes_wrong=False, trouble=None)
        for events, ends in connections
    ]  # fmt: skip
    told = [one for connection in now for one in connection.events]
    client: Any = SimpleNamespace(connections=now, now=now[-1], events=told, last=len(told))
    made.clients.append(client)
    return made


def _event(said: str) -> EventView:
    """The event of that number; x is the second one, told otherwise."""
    return replace(HISTORY[1], principal="somebody else") if said == "x" else HISTORY[int(said) - 1]


@pytest.mark.parametrize("connections", [(("123", 1),), (("1", 0), ("23", 1)), (("123", 0), ("", 1))])
def test_a_history_that_is_whole_and_ends_once_is_right(connections: tuple[tuple[str, int], ...]) -> None:
    trial = Trial()
    audience(trial, *connections).judge_the_whole()
    assert trial.seen == []


def test_of_a_stream_that_has_not_ended_what_has_come_so_far_is_judged() -> None:
    right, wrong = Trial(), Trial()
    audience(right, ("12", 0), is_over=False).judge_the_whole()
    audience(wrong, ("1x", 0), is_over=False).judge_the_whole()
    assert (right.seen, wrong.seen) == ([], ["it has 1, 2"])


@pytest.mark.parametrize(
    ("connections", "seen"),
    [
        ((("12", 1),), "it has 1, 2"),
        ((("1", 0), ("3", 1)), "it has 1, 3"),
        ((("12", 0), ("23", 1)), "it has 1, 2, 2, 3"),
        ((("1x3", 1),), "it has 1, 2, 3"),
        ((("123", 0),), "they ended [0] times"),
        ((("123", 2),), "they ended [2] times"),
        ((("12", 2), ("3", 1)), "they ended [2, 1] times"),
    ],
)
def test_whatever_does_not_fit_is_objected_to(connections: tuple[tuple[str, int], ...], seen: str) -> None:
    trial = Trial()
    audience(trial, *connections).judge_the_whole()
    assert trial.seen == [seen]


@pytest.mark.parametrize(("ends", "is_over"), [(1, True), (0, False), (2, False)])
def test_a_stream_is_heard_to_be_over_only_if_it_says_so_once(ends: int, is_over: bool) -> None:
    trial = Trial()
    made = audience(trial, ("123", ends))
    made.hear(made.clients)
    assert trial.heard == [Done(stream=Streamed(HISTORY, is_over))]
