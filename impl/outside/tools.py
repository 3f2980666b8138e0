"""Tools over HTTP: acting under an idempotency key and a fence, and looking an operation up."""

import json
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import quote

from pydantic import ValidationError

from .answers import Finding, NoAnswer, NotSent, Refusal, Reply
from .costs import cost_of
from .wire import Response, Wire, judge


class ToolClient(Protocol):
    """A client of tools. Neither sends anything twice."""

    def use(self, call: str, tool: str, arguments: Mapping[str, Any], fence: int) -> Reply:
        """One request to act. The fence travels along, so that a tool that can will refuse a late sender."""
        ...

    def look_up(self, call: str) -> Finding | Refusal | NotSent | NoAnswer:
        """What is known there of an operation; anything but a Finding proves nothing about it."""
        ...

    def close(self) -> None:
        """Close what is open."""
        ...


class HttpTools:
    """A client of one tool server."""

    def __init__(self, wire: Wire, url: str) -> None:
        self._wire, self._url = wire, url

    def use(self, call: str, tool: str, arguments: Mapping[str, Any], fence: int) -> Reply:
        response = self._wire.exchange(
            "tool",
            call,
            "POST",
            f"{self._url}/tools/{quote(tool, safe='')}",
            lambda: json.dumps(dict(arguments)).encode(),
            {"Idempotency-Key": call, "Keepfact-Fence": str(fence)},
        )
        if not isinstance(response, Response):
            return response
        try:
            return judge(response.status, response.text, cost_of(response.content))
        except ValueError as error:
            return NoAnswer(str(error))

    def look_up(self, call: str) -> Finding | Refusal | NotSent | NoAnswer:
        response = self._wire.exchange("lookup", call, "GET", f"{self._url}/operations/{quote(call, safe='')}")
        if not isinstance(response, Response):
            return response
        reply = judge(response.status, "", None)
        if isinstance(reply, Refusal | NoAnswer):
            return reply
        try:
            return Finding.model_validate_json(response.content)
        except ValidationError:
            return NoAnswer("it is no finding")

    def close(self) -> None:
        """The wire belongs to whoever made it."""
