"""One connection that is kept alive, and answers that come whole within a time, or not at all.

httpx has time limits for each single read, so that a server which sends one byte now and then would never be given up.
So this is built on what httpx itself is built on, whose sockets can be given a time limit for the whole answer.
"""

import ssl
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import httpcore

ANSWER_BYTES_MAX = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered."""

    status: int
    media_type: str
    body: bytes


class NoAnswerError(Exception):
    """The message says what was seen instead of an answer."""


class NotSentError(NoAnswerError):
    """Nothing was sent, so certainly nothing has happened."""


class CutError(NoAnswerError):
    """The connection ended, or the time did, before the answer was whole: nobody knows what has happened."""


class TimeOutError(CutError):
    """The time ended."""


class NotHttpError(NoAnswerError):
    """Something answered that does not speak HTTP, or says more than anybody can want to hear."""


class Connection:
    """To one server. `url` is http://host:port, and perhaps a prefix; `headers` go with whatever is asked."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        self._url = url
        self._headers = headers or {}
        self._clock = _Clock()
        self._pool = httpcore.ConnectionPool(max_connections=1, network_backend=_Backend(self._clock))

    def ask(
        self, method: str, path: str, body: bytes, seconds: float, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """The whole answer. Raises a NoAnswerError."""
        clock = self._clock
        clock.start(seconds)
        sent: dict[bytes | str, bytes | str] = {"content-type": "application/json"} if body else {}
        sent.update({**self._headers, **(headers or {})})
        try:
            with self._pool.stream(method, self._url + path, headers=sent, content=body) as response:
                media_type = dict(response.headers).get(b"content-type", b"").decode("latin-1")
                return Answer(response.status, media_type, _whole(response))
        except (*_TIME_OUTS, httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            raise self._told(error, seconds) from None

    def close(self) -> None:
        """Let go of the connection."""
        self._pool.close()

    def _told(self, error: Exception, seconds: float) -> NoAnswerError:
        clock, is_time_out = self._clock, isinstance(error, _TIME_OUTS)
        if not clock.has_sent:
            why = f"nobody took it within {seconds:g} seconds" if is_time_out else str(error)
            return NotSentError(f"nothing could be sent: {why}")
        if not _HTTP.startswith(clock.heard):
            return NotHttpError(f"what came is not HTTP: it begins with {clock.heard.decode('latin-1')!a}")
        if is_time_out:
            return TimeOutError(f"no whole answer came within {seconds:g} seconds")
        if clock.was_cut:
            return CutError(f"the connection was cut before an answer was whole ({error})")
        return NotHttpError(f"what came is not HTTP: {error}")


_TIME_OUTS = (httpcore.TimeoutException, TimeoutError)
_PIECE_BYTES = 16_384
_HTTP = b"HTTP/1."
"""How every answer begins."""


def _whole(response: httpcore.Response) -> bytes:
    body = bytearray()
    for chunk in response.iter_stream():
        body += chunk
        if len(body) > ANSWER_BYTES_MAX:
            raise NotHttpError(f"the answer has more than {ANSWER_BYTES_MAX} bytes")
    return bytes(body)


class _Clock:
    """What is left of the time for one answer, and what has become of the connection meanwhile."""

    def start(self, seconds: float) -> None:
        self._ends_at = time.monotonic() + seconds
        self.has_sent = self.was_cut = False
        self.heard = b""

    def left(self, error: type[Exception]) -> float:
        """In seconds, above 0. Raises the error once nothing is left."""
        left = self._ends_at - time.monotonic()
        if left <= 0:
            raise error
        return left


class _Stream(httpcore.NetworkStream):
    """A socket that takes what is left of the time, whatever it is told.

    What is written goes out when something is to be read: a request in one piece costs half of one in two.
    """

    def __init__(self, stream: httpcore.NetworkStream, clock: _Clock) -> None:
        self._stream = stream
        self._clock = clock
        self._unsent = b""

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._unsent += buffer

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._send()
        try:
            read = self._stream.read(max_bytes, self._clock.left(httpcore.ReadTimeout))
        except httpcore.ReadError:
            self._clock.was_cut = True
            raise
        self._clock.was_cut = not read
        self._clock.heard += read[: len(_HTTP) - len(self._clock.heard)]
        return read

    def _send(self) -> None:
        buffer, self._unsent = self._unsent, b""
        if not buffer:
            return
        self._clock.has_sent = True
        # Whoever does not take all of it may have answered nevertheless, so that it is too much.
        with suppress(httpcore.WriteError):
            for begin in range(0, len(buffer), _PIECE_BYTES):  # below, each piece has the time that is given
                piece = buffer[begin : begin + _PIECE_BYTES]
                self._stream.write(piece, self._clock.left(httpcore.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = self._clock.left(httpcore.ConnectTimeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, left), self._clock)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore.SyncBackend):
    def __init__(self, clock: _Clock) -> None:
        self._clock = clock

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        left = self._clock.left(httpcore.ConnectTimeout)
        return _Stream(super().connect_tcp(host, port, left, local_address, socket_options), self._clock)
