"""The model: completions in OpenAI's format, whole or as a stream, each asked for once."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .answers import NoAnswer, Reply
from .costs import Price, cost_of
from .streams import Assembly, OnDelta
from .wire import Response, Wire, judge


class ModelClient:
    """A client of one model server. With `streams` answers come piece by piece, and `on_delta` sees each."""

    def __init__(
        self,
        wire: Wire,
        url: str,
        prices: Mapping[str, Price] | None = None,
        streams: bool = False,
        on_delta: OnDelta | None = None,
    ) -> None:
        self._wire, self._url = wire, url
        self._prices = prices or {}
        self._streams, self._on_delta = streams, on_delta

    def ask(self, call: str, model: str, messages: Sequence[Mapping[str, Any]]) -> Reply:
        """One request for a completion. A part of an answer is no answer, and nothing of it is kept."""
        wanted: dict[str, Any] = {"model": model, "messages": list(messages)}
        if self._streams:
            wanted |= {"stream": True, "stream_options": {"include_usage": True}}
        assembly = Assembly(call, self._on_delta)
        response = self._wire.exchange(
            "model",
            call,
            "POST",
            f"{self._url}/v1/chat/completions",
            lambda: json.dumps(wanted).encode(),
            {"Idempotency-Key": call},
            assembly.take if self._streams else None,
        )
        if not isinstance(response, Response):
            return response
        try:
            text = assembly.whole() if response.was_streamed else response.text
        except ValueError as error:
            return NoAnswer(str(error))
        return judge(response.status, text, cost_of(text, self._prices.get(model)))
