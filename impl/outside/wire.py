"""One request over HTTP, sent at most once, and what became of it."""

import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import httpx

from .answers import Answer, NoAnswer, NotSent, Refusal, Reply
from .counting import Kind, Sent

ANSWER_BYTES_MAX = 4 * 1024 * 1024
STREAM_BYTES_MAX = 64 * 1024 * 1024
"""A stream spends some hundred bytes on each word."""

BEFORE_SENDING = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)
"""What can only happen while there is no connection yet."""

DEFINITE = frozenset({400, 401, 403, 404, 405, 410, 413, 415, 422, 429})
"""Statuses by which a server promises that the request did nothing: spec/decisions/0010."""

PASSING = frozenset({429})


@cache
def trusted() -> ssl.SSLContext:
    """Who may vouch for servers. The same for every client: to read them takes longer than a request."""
    return httpx.create_ssl_context()


@dataclass(frozen=True, slots=True)
class Response:
    """A whole response. One that was streamed has been seen by whoever wanted it, and its content is not kept."""

    status: int
    content: bytes
    was_streamed: bool = False

    @property
    def text(self) -> str:
        """Raises ValueError for what no store can keep."""
        if b"\0" in self.content:
            raise ValueError("it has a NUL, which no text in the store can have")
        return self.content.decode(errors="replace")


class Wire:
    """Sends requests and counts them.

    No retries, no redirects, and a new connection for each request: one that the server closed while it was idle would
    look like a lost answer. Proxies of the environment are not for us.
    """

    def __init__(self, timeout_seconds: float, sent: Sent) -> None:
        self._timeout_seconds = timeout_seconds
        self._sent = sent
        self._client = httpx.Client(
            timeout=timeout_seconds,
            transport=httpx.HTTPTransport(
                verify=trusted(), retries=0, limits=httpx.Limits(max_keepalive_connections=0)
            ),
            trust_env=False,
        )

    def exchange(
        self,
        kind: Kind,
        call: str,
        method: str,
        url: str,
        body: Callable[[], bytes] = bytes,
        headers: Mapping[str, str] | None = None,
        on_stream: Callable[[bytes], None] | None = None,
    ) -> Response | NotSent | NoAnswer:
        """Send it, and wait for the whole response. `on_stream` takes the pieces of a successful event stream."""
        try:
            content = body()
            sent = {"Content-Type": "application/json", **(headers or {})} if content else headers
            request = self._client.build_request(method, url, content=content, headers=sent)
        except Exception as error:  # there is no such request
            return NotSent(_say(error))
        try:
            response = self._client.send(request, stream=True)
        except BEFORE_SENDING as error:
            return NotSent(_say(error))
        except Exception as error:  # whatever went wrong, it does not tell what arrived at the other side
            self._sent.add(kind, call)
            return NoAnswer(_say(error))
        self._sent.add(kind, call)
        try:
            return self._receive(response, on_stream)
        except Exception as error:
            return NoAnswer(_say(error))
        finally:
            response.close()

    def close(self) -> None:
        """Close the client."""
        self._client.close()

    def _receive(self, response: httpx.Response, on_stream: Callable[[bytes], None] | None) -> Response:
        """The client's timeout counts from byte to byte; a slow trickle has its end too."""
        deadline = time.monotonic() + self._timeout_seconds
        is_stream = response.is_success and response.headers.get("content-type", "").startswith("text/event-stream")
        received, take = bytearray(), on_stream if is_stream else None
        bytes_max, count = STREAM_BYTES_MAX if take else ANSWER_BYTES_MAX, 0
        for chunk in response.iter_bytes():
            count += len(chunk)
            if count > bytes_max:
                raise ValueError(f"it is longer than {bytes_max} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError(f"it was not complete after {self._timeout_seconds} seconds")
            if take is not None:
                take(chunk)
            else:
                received += chunk
        return Response(response.status_code, bytes(received), was_streamed=take is not None)


def judge(status: int, text: str, cost_cents: int | None) -> Reply:
    """What a whole response counts as, by its status."""
    if 200 <= status < 300:
        return Answer(text, cost_cents)
    if status in DEFINITE:
        return Refusal(f"status {status}", text, cost_cents, status in PASSING)
    return NoAnswer(f"status {status}")


def _say(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
