"""The implementation behind something that repeats what failed: a client library, or a proxy beside the worker.

Nothing of ours is changed. What is sent again, under the same key, is on no record.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx

from keepfact.conformance.abilities import Outside, Process, Rollout
from keepfact.conformance.systems.postgres import Postgres, Server
from keepfact.spec.vocabulary import RunId, WorkerId

TRIES = 3
_NOT_PASSED_ON = frozenset({"connection", "content-length", "host", "transfer-encoding"})


class RepeatsOnTheWay(Postgres):
    """Its workers reach the outside through it."""

    defect = "requests_repeated_on_the_way"
    name = f"defective:{defect}"

    def __init__(self, *, server: Server | None = None) -> None:
        super().__init__(server=server)
        self._ways: dict[str, str] = {}

    def start_worker(
        self, run: RunId, worker: WorkerId, outside: Outside, seams: Path | None, rollout: Rollout = Rollout.FIRST
    ) -> Process:
        through = replace(outside, model_url=self._way(outside.model_url), tool_url=self._way(outside.tool_url))
        return super().start_worker(run, worker, through, seams, rollout)

    def _way(self, url: str) -> str:
        if url not in self._ways:
            self._ways[url] = self._cleanup.enter_context(_repeating(url))
        return self._ways[url]


@contextmanager
def _repeating(url: str) -> Iterator[str]:
    """Where requests are passed on to that URL, each again until it is answered well, or was tried often enough."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the name that its class asks for
            self._pass_on()

        def do_POST(self) -> None:
            self._pass_on()

        def _pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            answer = _tried(self.command, url + self.path, body, _passed_on(dict(self.headers)))
            if answer is None:
                return  # the connection is closed without an answer
            self.send_response(answer.status_code)
            for name, value in _passed_on(dict(answer.headers)).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def _tried(method: str, url: str, body: bytes, headers: dict[str, str]) -> httpx.Response | None:
    answer = None
    for _ in range(TRIES):
        try:
            answer = httpx.request(method, url, content=body, headers=headers, timeout=None, trust_env=False)
        except httpx.TransportError:
            continue
        if answer.status_code < 500:
            break
    return answer


def _passed_on(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in _NOT_PASSED_ON}
