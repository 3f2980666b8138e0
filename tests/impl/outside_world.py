"""A model server and a tool server for one test, which answer as they are told."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import FunctionType

from .driving import PATIENCE_SECONDS

PLAN = {
    "choices": [
        {
            "message": {
                "content": "I pay.",
                "tool_calls": [{"function": {"name": "pay", "arguments": '{"amount": 1}'}}],
            }
        }
    ],
    "usage": {"prompt_tokens": 9, "completion_tokens": 4},
    "cost_cents": 3,
}
RECEIPT = {"result": {"receipt": 7}, "cost_cents": 11}


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]
    body: object


@dataclass
class OutsideWorld:
    """`answers` says what each path is answered: a status and a body, or a function that handles the connection."""

    url: str = ""
    requests: list[Request] = field(default_factory=list)
    answers: dict[str, object] = field(
        default_factory=lambda: {"/v1/chat/completions": (200, PLAN), "/tools/pay": (200, RECEIPT)}
    )

    def paths(self) -> list[str]:
        return [request.path for request in self.requests]

    def held(self, path: str) -> "Held":
        """Hold the answer to the next request of that path."""
        held = Held(self.answers[path])
        self.answers[path] = held
        return held


class Held:
    """An answer that waits until it is let go."""

    def __init__(self, answer: object) -> None:
        self._answer = answer
        self._reached, self._let_go = threading.Event(), threading.Event()

    def __call__(self, handler: "Handler") -> None:
        self._reached.set()
        assert self._let_go.wait(PATIENCE_SECONDS)
        handler.answer(self._answer)

    def wait_until_reached(self) -> None:
        assert self._reached.wait(PATIENCE_SECONDS)

    def let_go(self) -> None:
        self._let_go.set()


class Handler(BaseHTTPRequestHandler):
    world: OutsideWorld

    def do_POST(self) -> None:  # the name that http.server calls
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._meet(body)

    def do_GET(self) -> None:
        self._meet(None)

    def _meet(self, body: object) -> None:
        self.world.requests.append(Request(self.path, dict(self.headers), body))
        self.answer(self.world.answers.get(self.path, (404, {"error": "no such thing"})))

    def answer(self, answer: object) -> None:
        if callable(answer):
            answer(self)
            return
        assert isinstance(answer, tuple)
        status, content = answer
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Tests look at `requests`."""


def cut(handler: Handler) -> None:
    """Close the connection without an answer."""
    handler.close_connection = True
    handler.connection.close()


def answer_half(handler: Handler) -> None:
    """Promise a long body, send its beginning, and close."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"result": ')
    handler.close_connection = True


def trickle(enough: threading.Event) -> Callable[[Handler], None]:
    """Send a body byte by byte, without end, until the other side has had enough."""

    def send(handler: Handler) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            while not enough.wait(0.01):
                handler.wfile.write(b" ")
        except OSError:
            enough.set()

    return send


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that has gone is what some tests are about."""


@contextmanager
def outside_world() -> Iterator[OutsideWorld]:
    """Both servers at one address."""
    world = OutsideWorld()
    server = _Server(("127.0.0.1", 0), type("BoundHandler", (Handler,), {"world": world}))
    world.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield world
    finally:
        server.shutdown()
        server.server_close()
        thread.join(PATIENCE_SECONDS)


def name_of(answer: object) -> str:
    """An answer's name in the id of a test, the same in every process."""
    return answer.__name__ if isinstance(answer, FunctionType) else str(answer)
