"""The model and the tools outside: what is sent, and what counts as an answer.

Nothing is sent twice from here but lookups, and what a caller says may be. Whatever is not a whole, definite answer is
no answer: a timeout, a cut, an error of the server, a request still in progress.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ..errors import BadSettingsError
from .answers import Answer, Finding, NoAnswer, NotSent, Refusal, Reply
from .costs import Price
from .counting import Sent
from .model import ModelClient
from .retries import Permit, Policy, repeat
from .streams import OnDelta
from .tools import HttpTools, ToolClient
from .wire import Wire

__all__ = ["Answer", "Finding", "NoAnswer", "NotSent", "Outside", "Policy", "Price", "Refusal", "Reply", "Sent"]

ToolProtocol = Literal["http", "mcp"]


class Outside:
    """A client of one model server and one tool server. `sent` counts every request."""

    def __init__(
        self,
        model_url: str,
        tool_url: str,
        timeout_seconds: float,
        *,
        tool_protocol: ToolProtocol = "http",
        prices: Mapping[str, Price] | None = None,
        streams: bool = False,
        on_delta: OnDelta | None = None,
        policy: Policy | None = None,
    ) -> None:
        self.sent = Sent()
        self._policy = policy or Policy()
        self._wire = Wire(timeout_seconds, self.sent)
        self._model = ModelClient(self._wire, model_url, prices, streams, on_delta)
        self._tools = _tools(tool_protocol, tool_url, timeout_seconds, self._wire, self.sent)

    def ask_model(self, call: str, model: str, messages: Sequence[Mapping[str, Any]]) -> Reply:
        """One request for a completion, in OpenAI's format."""
        return self._model.ask(call, model, messages)

    def use_tool(
        self, call: str, tool: str, arguments: Mapping[str, Any], fence: int, again: Permit | None = None
    ) -> Reply:
        """One request to act.

        With `again` a lost one is repeated, each time with its leave: only for a tool that recognises the call's id.
        """
        if again is None:
            return self._tools.use(call, tool, arguments, fence)
        return repeat(self._policy, lambda: self._tools.use(call, tool, arguments, fence), again)

    def look_up(self, call: str) -> Finding | None:
        """What the tool server knows of an operation; None if it does not say."""
        found = repeat(self._policy, lambda: self._tools.look_up(call))
        return found if isinstance(found, Finding) else None

    def close(self) -> None:
        """Close the clients."""
        self._tools.close()
        self._wire.close()


def _tools(protocol: ToolProtocol, url: str, timeout_seconds: float, wire: Wire, sent: Sent) -> ToolClient:
    if protocol == "http":
        return HttpTools(wire, url)
    try:
        from .mcp import McpTools  # the package it needs is an extra
    except ImportError as error:
        raise BadSettingsError(
            expected="the package mcp, to speak to tools over MCP",
            seen=str(error),
            next_step="Install it: pip install 'keepfact[mcp]'",
        ) from None
    return McpTools(url, timeout_seconds, sent)
