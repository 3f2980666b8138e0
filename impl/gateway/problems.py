"""What is answered instead of what was asked for: problem details after RFC 9457, one form for all of them."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"


class Problem(Exception):  # noqa: N818  # it is an answer, which happens to travel as an exception
    """An answer that says no, or that nobody knows; its text says what was expected, what was seen, what to do."""

    def __init__(
        self, status: int, reason: str, *, expected: str, seen: str, next_step: str,
        outcome: str = "refused", headers: Mapping[str, str] | None = None, **more: Any,
    ) -> None:  # fmt: skip
        super().__init__(f"expected {expected}, but {seen}. {next_step}")
        self.status = status
        self.outcome = outcome
        self.reason = reason
        self.headers = dict(headers or {})
        self.content = {
            "type": f"urn:keepfact:{outcome}:{reason}",
            "title": reason.replace("_", " "),
            "status": status,
            "detail": str(self),
            "outcome": outcome,
            "reason": reason,
            "expected": expected,
            "seen": seen,
            "next_step": next_step,
            **{name: value for name, value in more.items() if value},
        }

    def response(self) -> Response:
        """The answer, as it is sent."""
        return json_response(self.content, self.status, self.headers, MEDIA_TYPE)


def json_response(
    content: Any, status: int = 200, headers: Mapping[str, str] | None = None, media_type: str = "application/json"
) -> Response:
    """An answer in JSON that nobody on the way keeps. Lone surrogates stay escaped, so that any text can be sent."""
    body = json.dumps(content, separators=(",", ":")).encode()
    return Response(body, status, {"cache-control": "no-store", **(headers or {})}, media_type)


def malformed(status: int, expected: str, seen: str, next_step: str = "Correct the request.", **more: Any) -> Problem:
    """A request that cannot be read as one; it changed nothing."""
    return Problem(status, "malformed", expected=expected, seen=seen, next_step=next_step, **more)


def lost(expected: str, status: int = 503) -> Problem:
    """Nobody knows, since the store did not answer."""
    return Problem(
        status, "lost", outcome="lost",
        expected=expected,
        seen="no answer came, so that nobody knows whether it happened",
        next_step="Ask again under the same Idempotency-Key: that is safe, and tells.",
        headers={"retry-after": "1"},
    )  # fmt: skip


def unavailable(expected: str, seen: str, retry_after_seconds: int = 1) -> Problem:
    """It was not asked, or it was a reading: nothing was written."""
    return Problem(
        503, "unavailable",
        expected=expected,
        seen=seen,
        next_step="Wait as long as Retry-After says, and ask again.",
        headers={"retry-after": str(retry_after_seconds)},
    )  # fmt: skip
