"""The steady program: what was lost is asked again within bounds, and what stays unknown is never sent twice."""

import json
from typing import Any

import pytest

from keepfact.impl.decider import decide
from keepfact.impl.programs.decisions import AskModel, Fail, Publish, Succeed, UseTool
from keepfact.impl.programs.steady import ATTEMPTS_MAX, RELEASE, SENDS_MAX
from keepfact.impl.release import load_release

Event = dict[str, Any]


def _event(kind: str, call: str | None = None, **payload: object) -> Event:
    return {"type": kind, "payload": payload if call is None else {"call": f"run:{call}", **payload}}


def _reply(tool: str) -> str:
    call = {"function": {"name": tool, "arguments": "{}"}}
    return json.dumps({"choices": [{"message": {"content": "I act.", "tool_calls": [call]}}]})


def _planned(tool: str) -> list[Event]:
    answered = _event("answered", "attempt:1", answer=_reply(tool))
    return [_event("admitted"), _event("intended", "attempt:1"), answered, _event("published")]


def _lost(tool: str) -> list[Event]:
    return [*_planned(tool), _event("intended", "operation:1"), _event("lost", "operation:1")]


def _found(evidence: str) -> Event:
    return _event("reconciled", "operation:1", evidence=evidence)


def _decide(history: list[Event]) -> object:
    return decide(RELEASE.bundles["bundle-1"], history)


def _lost_attempts(count: int) -> list[Event]:
    numbers = range(1, count + 1)
    return [_event(kind, f"attempt:{number}") for number in numbers for kind in ("intended", "lost")]


def test_a_lost_attempt_is_asked_again_as_a_new_one_that_supersedes_it() -> None:
    decision = _decide([_event("admitted"), *_lost_attempts(2)])
    assert isinstance(decision, AskModel)
    assert (decision.attempt, decision.supersedes) == ("attempt:3", "attempt:2")


def test_an_attempt_that_the_bill_confirms_is_asked_again_and_not_superseded() -> None:
    billed = _event("reconciled", "attempt:1", evidence="confirmed")
    decision = _decide([_event("admitted"), *_lost_attempts(1), billed])
    assert isinstance(decision, AskModel)
    assert (decision.attempt, decision.supersedes) == ("attempt:2", None)


def test_the_model_is_not_asked_for_ever() -> None:
    assert isinstance(_decide([_event("admitted"), *_lost_attempts(ATTEMPTS_MAX - 1)]), AskModel)
    assert isinstance(_decide([_event("admitted"), *_lost_attempts(ATTEMPTS_MAX)]), Fail)


def test_what_the_run_is_to_work_on_reaches_the_model() -> None:
    decision = _decide([_event("admitted", input="the invoice of May")])
    assert isinstance(decision, AskModel)
    assert decision.messages[-1] == {"role": "user", "content": "the invoice of May"}


@pytest.mark.parametrize(("history", "is_sent"), [
    (_planned("mail"), True),
    (_lost("mail"), False),
    ([*_lost("mail"), _found("ambiguous")], False),
    ([*_lost("mail"), _found("not_found")], True),
    ([*_lost("mail"), _found("confirmed")], False),
    (_lost("pay"), True),
    ([*_lost("pay"), _found("ambiguous")], True),
])  # fmt: skip
def test_an_operation_is_sent_only_where_it_cannot_act_twice(history: list[Event], is_sent: bool) -> None:
    decision = _decide(history)
    assert isinstance(decision, UseTool) == is_sent
    if isinstance(decision, UseTool):
        assert decision.sends_max == SENDS_MAX


@pytest.mark.parametrize("history", [_lost("mail"), [*_lost("mail"), _found("ambiguous")]])
def test_what_stays_ambiguous_ends_the_run(history: list[Event]) -> None:
    assert _decide(history) == Fail("what the tool did is not known")


def test_an_operation_confirmed_without_its_answer_is_told_as_such_and_not_repeated() -> None:
    history = [*_lost("mail"), _found("confirmed")]
    assert _decide(history) == Publish("Done: I act.\nconfirmed; its answer was lost", qualified=True)
    assert _decide([*history, _event("published")]) == Succeed()


def test_the_release_is_found_by_its_name() -> None:
    assert load_release("keepfact.impl.programs.steady:RELEASE") is RELEASE
