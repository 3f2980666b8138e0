"""The probe program, version 1: asks the model, uses the tool it names, and publishes after each."""

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from .decisions import AskModel, Decision, Fail, Progress, Publish, Succeed, UseTool

ATTEMPT, OPERATION = "attempt:1", "operation:1"
MODEL_CEILING_CENTS, TOOL_CEILING_CENTS = 10, 20
TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
MESSAGES = ({"role": "user", "content": "Say what you will do, and call the one tool that does it."},)


def decide(progress: Progress) -> Decision:
    """One step after the other; each looks only at what the history says."""
    attempt, operation = progress.calls.get(ATTEMPT), progress.calls.get(OPERATION)
    if attempt is None:
        return AskModel(ATTEMPT, MESSAGES, MODEL_CEILING_CENTS)
    if attempt.state != "answered":
        return Fail("the model's answer was lost")
    plan = read_plan(attempt.answer)
    if plan is None:
        return Fail("the model's answer calls no tool")
    if progress.publications == 0:
        return Publish(f"Planned: {plan.content}", qualified=True)  # so that whatever comes, something can be delivered
    if operation is None:
        return UseTool(OPERATION, plan.tool, plan.arguments, TOOL_CEILING_CENTS)
    if operation.state != "answered":
        return Fail("the tool's answer was lost")
    result = read_object(operation.answer)
    if "result" not in result:
        return Fail("the tool's answer has no result")
    if progress.publications == 1:
        return Publish(f"Done: {plan.content}\n{json.dumps(result['result'], sort_keys=True)}", qualified=True)
    return Succeed()


@dataclass(frozen=True, slots=True)
class Plan:
    content: str
    tool: str
    arguments: dict[str, Any]


def read_plan(answer: str) -> Plan | None:
    """What the model wants, from a reply in OpenAI's format; None if it is not one or calls no tool."""
    try:
        message = read_object(answer)["choices"][0]["message"]
        function = message["tool_calls"][0]["function"]
        tool, arguments = function["name"], _read_json(function["arguments"])
        content = message.get("content") or ""
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, RecursionError):
        return None
    if not (isinstance(tool, str) and isinstance(arguments, dict) and isinstance(content, str)):
        return None
    return Plan(content, tool, arguments) if TOOL_NAME.fullmatch(tool) else None


def read_object(text: str) -> dict[str, Any]:
    try:
        value = _read_json(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _read_json(text: str) -> Any:
    """JSON as the standard has it: Python would also take NaN and Infinity, and then send them on."""
    return json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
