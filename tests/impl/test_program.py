"""The decider: the same history gives the same decision, and everything a model may say leads somewhere."""

import json
from typing import Any

import pytest

from keepfact.impl.decider import decide
from keepfact.impl.programs.decisions import AskModel, Fail, Publish, Succeed, UseTool
from keepfact.impl.release import Bundle

Event = dict[str, Any]


def _event(kind: str, **payload: object) -> Event:
    return {"type": kind, "payload": payload}


def _reply(name: object = "pay", arguments: object = '{"amount": 1}', content: object = "I pay.") -> str:
    call = {"function": {"name": name, "arguments": arguments}}
    return json.dumps({"choices": [{"message": {"content": content, "tool_calls": [call]}}]})


ASKED = [_event("admitted"), _event("granted"), _event("intended", call="a:run:attempt:1")]
ANSWERED = [*ASKED, _event("answered", call="a:run:attempt:1", answer=_reply())]
PLANNED = [*ANSWERED, _event("published")]
USED = [*PLANNED, _event("intended", call="a:run:operation:1")]
ACTED = [*USED, _event("answered", call="a:run:operation:1", answer='{"result": {"receipt": 7}}')]


@pytest.mark.parametrize(("history", "decision"), [
    ([*ASKED, _event("lost", call="a:run:attempt:1")], Fail("the model's answer was lost")),
    (ASKED, Fail("the model's answer was lost")),
    (ANSWERED, Publish("Planned: I pay.", True)),
    (PLANNED, UseTool("operation:1", "pay", {"amount": 1}, 20)),
    ([*USED, _event("lost", call="a:run:operation:1")], Fail("the tool's answer was lost")),
    (ACTED, Publish('Done: I pay.\n{"receipt": 7}', True)),
    ([*ACTED, _event("published")], Succeed()),
])  # fmt: skip
def test_the_probe_goes_on_from_what_the_history_says(history: list[Event], decision: object) -> None:
    assert decide(Bundle(), history) == decision
    assert decide(Bundle(), json.loads(json.dumps(history))) == decision


def test_the_probe_begins_by_asking_the_model() -> None:
    decision = decide(Bundle(), [_event("admitted"), _event("granted")])
    assert isinstance(decision, AskModel)
    assert (decision.attempt, decision.ceiling_cents) == ("attempt:1", 10)


@pytest.mark.parametrize("answer", [
    "", "not JSON", "[]", "{}", '{"choices": []}', '{"choices": [{"message": null}]}',
    '{"error": {"message": "no"}}', _reply(name=None), _reply(name="../admin"), _reply(name="p\ud800"), _reply(name=""),
    _reply(arguments="[1]"), _reply(arguments="{"), _reply(arguments='{"amount": NaN}'), _reply(arguments=None),
    _reply(arguments="[" * 100_000), _reply(content=7), "[" * 100_000,
])  # fmt: skip
def test_an_answer_that_calls_no_tool_fails_the_run(answer: str) -> None:
    history = [*ASKED, _event("answered", call="a:run:attempt:1", answer=answer)]
    assert decide(Bundle(), history) == Fail("the model's answer calls no tool")


@pytest.mark.parametrize("answer", ["", "[]", '{"error": "unknown tool"}', '{"result": Infinity}'])
def test_an_answer_of_the_tool_without_a_result_fails_the_run(answer: str) -> None:
    history = [*USED, _event("answered", call="a:run:operation:1", answer=answer)]
    assert decide(Bundle(), history) == Fail("the tool's answer has no result")
