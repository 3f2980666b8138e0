"""What the model says: a program of replies, one for each time that a tool has answered."""

import json
import re
import time
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt


class Streamed(BaseModel):
    """What is wrong with a reply when it is streamed: it is cut, or an error comes, after so many chunks; no usage."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cut_after: NonNegativeInt | None = None
    error_after: NonNegativeInt | None = None
    has_usage: bool = True


class Reply(BaseModel):
    """One reply of the model: a text, and a tool that it wants called unless it is finished."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    cost_cents: NonNegativeInt
    tool: str | None = None
    arguments: dict[str, object] = {}
    prompt_tokens: NonNegativeInt = 120
    completion_tokens: NonNegativeInt = 40
    streamed: Streamed = Streamed()


Script = Annotated[tuple[Reply, ...], Field(min_length=1)]


def script_that_calls(tool: str) -> Script:
    """Have one tool called, then finish."""
    return (
        Reply(
            text="The invoice is due. I will settle it.",
            cost_cents=3,
            tool=tool,
            arguments={"invoice": "2031-44", "amount_cents": 4200},
        ),
        Reply(text="The invoice is settled.", cost_cents=2),
    )


PAYS_AN_INVOICE = script_that_calls("pay")


def reply_to(messages: Sequence[object], script: Script) -> Reply:
    """The same conversation gets the same reply, however often it is sent: the model remembers nothing."""
    answered = sum(isinstance(message, dict) and message.get("role") == "tool" for message in messages)
    reply: Reply = script[min(answered, len(script) - 1)]
    return reply


def completion(reply: Reply, number: int, model: object) -> dict[str, object]:
    """The reply as an OpenAI chat completion, with its price beside it. `number` tells completions apart."""
    message: dict[str, object] = {"role": "assistant", "content": reply.text}
    if reply.tool is not None:
        message["tool_calls"] = [_tool_call(reply, number)]
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if reply.tool else "stop"}],
        "usage": {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens,
            "total_tokens": reply.prompt_tokens + reply.completion_tokens,
        },
        "cost_cents": reply.cost_cents,
    }


def chunks_of(completed: dict[str, Any], has_usage: bool) -> Iterator[dict[str, object]]:
    """A completion as the chunks that OpenAI streams: role, words, call, finish, and last what it has used."""
    head = {**{name: completed[name] for name in ("id", "created", "model")}, "object": "chat.completion.chunk"}
    [choice] = completed["choices"]
    for delta in _deltas(choice):
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}], "usage": None}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}], "usage": None}
    if has_usage:
        yield {**head, "choices": [], "usage": completed["usage"], "cost_cents": completed["cost_cents"]}


def _deltas(choice: dict[str, Any]) -> Iterator[dict[str, object]]:
    """One at a time: all of a long text together would take many times its room."""
    yield {"role": "assistant", "content": ""}
    for word in re.finditer(r"\S+\s*", choice["message"]["content"]):
        yield {"content": word[0]}
    for index, call in enumerate(choice["message"].get("tool_calls", ())):
        first, rest = call["function"]["arguments"][:9], call["function"]["arguments"][9:]
        named = {**call, "function": {"name": call["function"]["name"], "arguments": first}}
        yield {"tool_calls": [{"index": index, **named}]}
        yield {"tool_calls": [{"index": index, "function": {"arguments": rest}}]}


def _tool_call(reply: Reply, number: int) -> dict[str, object]:
    function = {"name": reply.tool, "arguments": json.dumps(reply.arguments)}
    return {"id": f"call-{number}", "type": "function", "function": function}
