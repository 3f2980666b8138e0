"""What the model says: a program of replies, one for each time that a tool has answered."""

import json
import time
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict


class Reply(BaseModel):
    """One reply of the model: a text, and a tool that it wants called unless it is finished."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    cost_cents: int
    tool: str | None = None
    arguments: dict[str, object] = {}
    prompt_tokens: int = 120
    completion_tokens: int = 40


Script = tuple[Reply, ...]


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


def _tool_call(reply: Reply, number: int) -> dict[str, object]:
    function = {"name": reply.tool, "arguments": json.dumps(reply.arguments)}
    return {"id": f"call-{number}", "type": "function", "function": function}
