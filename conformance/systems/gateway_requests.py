"""Commands as requests to the gateway, made from the document that it serves; and what its answers mean."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from keepfact.conformance.wire.connection import Answer
from keepfact.spec.vocabulary import (
    Command,
    Done,
    Fence,
    LeaseGrant,
    Lost,
    Outcome,
    Reason,
    Refused,
    RunId,
)

from .said import name_of, values_of

REFUSED = range(400, 500)
OF_THE_HARNESS = {400, 401, 405, 408, 413, 415, 429}
"""Answers that say nothing of the command: it was not asked as the document wants it, or too often."""


PATH_MAX = 60_000
"""A server reads the head of a request up to 64 KiB, and answers to more without anybody being asked."""


class UnreadableAnswerError(ValueError):
    """The answer is none that the document leads to expect; the message says what it is."""


class UnsayableError(ValueError):
    """There is no request of HTTP that says it, so nobody can ask it."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent, but for the headers."""

    method: str
    path: str
    body: bytes


class Requests:
    """Knows of every operation of the document where it is asked for."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._places = {
            operation["operationId"]: (method.upper(), path)
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        }

    def command(self, command: Command) -> Request:
        """A command; what it says is in the path or in the body, but for its id, which is a header.

        Raises UnsayableError.
        """
        if _UNSAYABLE.search(command.command_id):
            raise UnsayableError("an id beyond printable ASCII, which no header of ours can have")
        said = values_of(command)
        del said["command_id"]
        method, path = self._places[name_of(command)]
        named = [part[1:-1] for part in path.split("/") if part.startswith("{")]
        path = path.format(**{name: _quoted(said.pop(name)) for name in named})
        return Request(method, path, json.dumps(said).encode())

    def reading(self, name: str, run: RunId, query: str = "") -> Request:
        """Something that is read of a run. Raises UnsayableError."""
        method, path = self._places[name]
        return Request(method, path.format(run=_quoted(run)) + query, b"")


def outcome_of(answer: Answer, command: Command) -> Outcome:
    """Of a command. Raises UnreadableAnswerError."""
    if answer.status == 400 and not _HEADER.fullmatch(command.command_id):
        return Refused(Reason.MALFORMED)  # for once it is the command itself that is not as the document wants it
    said = content_of(answer)
    if answer.status == 200:
        grant = said.get("grant")
        return Done(LeaseGrant(Fence(grant["fence"]), grant["lease_seconds"]) if grant else None)
    if answer.status == 503 and said["outcome"] == "lost":
        return Lost()
    return refusal_in(answer)


def refusal_in(answer: Answer) -> Refused:
    """Why it was refused. Raises UnreadableAnswerError, if it was not."""
    said = content_of(answer)
    is_refusal = answer.status in REFUSED and answer.status not in OF_THE_HARNESS
    if not is_refusal or said.get("reason") not in _REASONS:
        raise UnreadableAnswerError(f"it answered {answer.status}: {said.get('detail', said)}")
    return Refused(Reason(said["reason"]), tuple(RunId(run) for run in said.get("runs") or ()))


def content_of(answer: Answer) -> Any:
    """The JSON of an answer. Raises UnreadableAnswerError."""
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError):
        seen = ascii(answer.body[:200].decode(errors="replace"))
        raise UnreadableAnswerError(f"it answered {answer.status} with {answer.media_type}: {seen}") from None


_REASONS = frozenset(Reason)
_UNSAYABLE = re.compile(r"[^ -~]")
_HEADER = re.compile(r"[!-~]{1,200}")
"""What can be an id as the document wants it."""


def _quoted(name: object) -> str:
    if not str(name):
        raise UnsayableError("a name that is empty, which leads to another path")
    try:
        quoted = quote(str(name), safe="")
    except UnicodeEncodeError:
        raise UnsayableError("a name that is no text, which no path can have") from None
    if len(quoted) > PATH_MAX:
        raise UnsayableError(f"a name of {len(quoted)} characters, and no server reads such a path")
    return quoted
