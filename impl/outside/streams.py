"""A streamed completion: put together from its pieces, and an answer only when all of them have come."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any

log = logging.getLogger("keepfact.worker")

SET_ONCE = frozenset({"role", "id", "type", "name"})
"""Texts that come whole; any other grows from piece to piece."""

OnDelta = Callable[[str, Mapping[str, Any]], None]
"""Sees each piece as it comes, under the id of its attempt: pieces of two attempts never belong together."""


class Assembly:
    """Takes the bytes of one stream. `take` and `whole` raise for what is no whole answer."""

    def __init__(self, attempt: str, on_delta: OnDelta | None = None) -> None:
        self._attempt, self._on_delta = attempt, on_delta
        self._events = Events()
        self._top: dict[str, Any] = {}
        self._choices: dict[int, dict[str, Any]] = {}
        self._is_done = False

    def take(self, received: bytes) -> None:
        """The next bytes."""
        for kind, data in self._events.take(received):
            if self._is_done:
                return
            if data.strip() == "[DONE]":
                self._is_done = True
            else:
                self._take_chunk(kind, data)

    def whole(self) -> str:
        """The completion, in the form that a model gives without streaming."""
        if not self._choices or any(choice["finish_reason"] is None for choice in self._choices.values()):
            raise ValueError("the stream ended before the answer was finished")
        choices = [_finished(index, self._choices[index]) for index in sorted(self._choices)]
        return json.dumps({**self._top, "object": "chat.completion", "choices": choices})

    def _take_chunk(self, kind: str, data: str) -> None:
        chunk = json.loads(data)
        if kind == "error" or not isinstance(chunk, dict) or chunk.get("error"):
            raise ValueError(f"the stream has an error: {data[:200]}")
        self._top |= {name: value for name, value in chunk.items() if name != "choices" and value is not None}
        for choice in chunk.get("choices") or ():
            so_far = self._choices.setdefault(_index(choice), {"message": {}, "finish_reason": None})
            _grow(so_far["message"], choice.get("delta") or {})
            so_far["finish_reason"] = choice.get("finish_reason") or so_far["finish_reason"]
            self._show(choice)

    def _show(self, choice: Mapping[str, Any]) -> None:
        """Who looks on cannot spoil the answer."""
        if self._on_delta is None:
            return
        try:
            self._on_delta(self._attempt, choice)
        except Exception:
            log.exception("whoever looks on at %s failed, and sees no more of it", self._attempt)
            self._on_delta = None


class Events:
    """Server-sent events out of bytes that may be cut anywhere."""

    def __init__(self) -> None:
        self._rest = b""
        self._kind, self._data = "", list[str]()

    def take(self, received: bytes) -> Iterator[tuple[str, str]]:
        """The kind and the data of each event that is complete now."""
        *lines, self._rest = (self._rest + received).split(b"\n")
        for line in lines:
            text = line.rstrip(b"\r").decode()
            name, _, value = text.partition(":")
            if name == "data":
                self._data.append(value.removeprefix(" "))
            elif name == "event":
                self._kind = value.strip()
            elif not text and self._data:
                yield self._kind, "\n".join(self._data)
                self._kind, self._data = "", []


def _grow(so_far: dict[str, Any], piece: Mapping[str, Any]) -> None:
    """Put a piece to what there is. The tool calls of a message go by their index, which their list keeps."""
    for name, value in piece.items():
        before = so_far.get(name)
        if name == "tool_calls":
            calls = so_far.setdefault(name, {})
            for call in value or ():
                _grow(calls.setdefault(_index(call), {}), {key: call[key] for key in call if key != "index"})
        elif isinstance(value, dict):
            _grow(so_far.setdefault(name, {}), value)
        elif isinstance(value, str) and isinstance(before, str) and name not in SET_ONCE:
            so_far[name] = before + value
        elif value is not None or name not in so_far:
            so_far[name] = value


def _finished(index: int, choice: Mapping[str, Any]) -> dict[str, Any]:
    message = dict(choice["message"])
    if "tool_calls" in message:
        message["tool_calls"] = [message["tool_calls"][number] for number in sorted(message["tool_calls"])]
    return {"index": index, "message": message, "finish_reason": choice["finish_reason"]}


def _index(piece: object) -> int:
    index = piece.get("index") if isinstance(piece, dict) else None
    if type(index) is not int:
        raise ValueError("a piece of the stream has no index")
    return index
