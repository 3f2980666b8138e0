"""The model and the tools outside: what is sent, and what counts as an answer.

Nothing is ever sent twice from here. Whatever is not a whole, definite answer is no answer: a timeout, a cut, an
error of the server, a request still in progress.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

ANSWER_BYTES_MAX = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """The text that came back, in full, and the amount it names; None is no amount, which is not 0."""

    text: str
    cost_cents: int | None


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Nobody here knows what the other side did; `why` is for the log."""

    why: str


class Finding(BaseModel):
    """What a tool server says of an operation when it is looked up."""

    model_config = ConfigDict(frozen=True, strict=True)

    status: Literal["confirmed", "not_found", "ambiguous"]
    cost_cents: NonNegativeInt | None = None


class _Amount(BaseModel):
    model_config = ConfigDict(strict=True)

    cost_cents: NonNegativeInt | None = None


class Outside:
    """A client of one model server and one tool server."""

    def __init__(self, model_url: str, tool_url: str, timeout_seconds: float) -> None:
        self._model_url, self._tool_url = model_url, tool_url
        self._timeout_seconds = timeout_seconds
        # No retries, and a new connection for each request: one that the server closed while it was idle would look
        # like a lost answer. Proxies of the environment are not for us.
        self._client = httpx.Client(
            timeout=timeout_seconds,
            transport=httpx.HTTPTransport(retries=0, limits=httpx.Limits(max_keepalive_connections=0)),
            trust_env=False,
        )

    def ask_model(self, call: str, model: str, messages: Sequence[Mapping[str, Any]]) -> Answer | NoAnswer:
        """One request for a completion, in OpenAI's format."""
        return self._send(
            f"{self._model_url}/v1/chat/completions",
            {"model": model, "messages": list(messages)},
            {"Idempotency-Key": call},
        )

    def use_tool(self, call: str, tool: str, arguments: Mapping[str, Any], fence: int) -> Answer | NoAnswer:
        """One request to act. The fence travels along, so that a tool that can will refuse a late sender."""
        return self._send(
            f"{self._tool_url}/tools/{quote(tool, safe='')}",
            dict(arguments),
            {"Idempotency-Key": call, "Keepfact-Fence": str(fence)},
        )

    def look_up(self, call: str) -> Finding | None:
        """What the tool server knows of an operation; None if it does not say."""
        try:
            response = self._client.get(f"{self._tool_url}/operations/{quote(call, safe='')}")
            return Finding.model_validate_json(response.content) if response.status_code == 200 else None
        except (httpx.HTTPError, ValidationError):
            return None

    def close(self) -> None:
        """Close the client."""
        self._client.close()

    def _send(self, url: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> Answer | NoAnswer:
        try:
            status, content = self._exchange(url, json.dumps(body).encode(), headers)
        except Exception as error:  # whatever went wrong, it does not tell what arrived at the other side
            return NoAnswer(f"{type(error).__name__}: {error}")
        # Success and a refusal are answers. 409 says that the same request is still in progress.
        if not (200 <= status < 300 or (400 <= status < 500 and status != 409)):
            return NoAnswer(f"status {status}")
        if b"\0" in content:
            return NoAnswer("it has a NUL, which no text in the store can have")
        return Answer(content.decode(errors="replace"), _amount(content))

    def _exchange(self, url: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        """Status and whole body. The client's timeout counts from byte to byte; a slow trickle has its end too."""
        deadline = time.monotonic() + self._timeout_seconds
        received = bytearray()
        sent = {"Content-Type": "application/json", **headers}
        with self._client.stream("POST", url, content=body, headers=sent) as response:
            for chunk in response.iter_bytes():
                received += chunk
                if len(received) > ANSWER_BYTES_MAX:
                    raise ValueError(f"it is longer than {ANSWER_BYTES_MAX} bytes")
                if time.monotonic() > deadline:
                    raise TimeoutError(f"it was not complete after {self._timeout_seconds} seconds")
            return response.status_code, bytes(received)


def _amount(content: bytes) -> int | None:
    try:
        return _Amount.model_validate_json(content).cost_cents
    except ValidationError:
        return None
