"""The world outside in a process of its own, which nobody kills: a model, three tools, and the ledger of what is true.

`pay` recognises its key. `mail` does not, but says definitely what became of it; not found is also a promise that no
earlier request will act. `fax` acts whenever it is asked and cannot say whether it did.
"""

import hashlib
import json
import random
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

TOOLS = ("pay", "mail", "fax")
MODEL_CENTS_MAX, TOOL_CENTS_MAX = 10, 20


@dataclass
class Truth:
    """What is true of one call: how often it was asked, how often it acted, and what that cost."""

    requests: int = 0
    acts: int = 0
    cost_cents: int = 0
    answers: list[str] = field(default_factory=list)
    """SHA-256 of every answer that was given."""


@dataclass
class Ledger:
    """Every call by its key. `closed_before` is the connection that was told that an operation was not found: none that
    was opened before it acts any more.
    """

    seed: int
    truths: dict[str, Truth] = field(default_factory=dict)
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    closed_before: dict[str, int] = field(default_factory=dict)
    fences: dict[str, int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def asked(self, key: str) -> random.Random:
        """Take note of a request; chance for all that concerns it, the same for every run of this seed."""
        with self.lock:
            truth = self.truths.setdefault(key, Truth())
            truth.requests += 1
            return random.Random(f"{self.seed} {key} {truth.requests}")

    def act(self, key: str, tool: str, connection: int, fence: int, cents: int) -> tuple[int, dict[str, Any]]:
        """Have a tool act, unless it may not or need not any more; status and answer."""
        with self.lock:
            if tool == "pay" and key in self.results:
                return 200, self.results[key]
            if connection < self.closed_before.get(key, 0) or fence < self.fences.get(key, 0):
                return 412, {"error": "too late", "cost_cents": 0}
            self.fences[key] = fence
            truth = self.truths[key]
            truth.acts += 1
            truth.cost_cents += cents
            self.results[key] = {"result": {"receipt": f"{tool} {truth.acts}"}, "cost_cents": cents}
            return 200, self.results[key]

    def look_up(self, key: str, connection: int) -> dict[str, Any]:
        """What became of an operation; if it is not found, that stays so for every connection until now."""
        with self.lock:
            result = self.results.get(key)
            if result is not None and result["result"]["receipt"].startswith("fax"):
                return {"status": "ambiguous"}
            if result is not None:
                return {"status": "confirmed", "cost_cents": result["cost_cents"]}
            if _tool_of(self.seed, key) == "fax":
                return {"status": "ambiguous"}
            self.closed_before[key] = connection
            return {"status": "not_found"}

    def charge(self, key: str, cents: int) -> None:
        """The model has answered, whether that arrives or not."""
        with self.lock:
            self.truths[key].acts += 1
            self.truths[key].cost_cents += cents

    def answered(self, key: str, text: str) -> None:
        with self.lock:
            self.truths[key].answers.append(hashlib.sha256(text.encode()).hexdigest())


class Handler(BaseHTTPRequestHandler):
    """One connection, one request."""

    server: "Server"

    def do_POST(self) -> None:  # the name that http.server calls
        key = self.headers["Idempotency-Key"]
        self.rfile.read(int(self.headers["Content-Length"]))
        chance = self.server.ledger.asked(key)
        if chance.random() < 0.03:
            return self._cut()  # before it did anything
        time.sleep(chance.choice((0.0, 0.01, 0.05, 0.3)))
        if self.path == "/v1/chat/completions":
            status, answer = self._complete(key, chance)
        else:
            tool, fence = self.path.rpartition("/")[2], int(self.headers["Keepfact-Fence"])
            cents = chance.randint(0, TOOL_CENTS_MAX)
            status, answer = self.server.ledger.act(key, tool, self._connection(), fence, cents)
        time.sleep(chance.choice((0.0, 0.01, 0.1)))
        fault = chance.random()
        if fault < 0.04:
            return self._cut()  # after it did everything
        if fault < 0.07:
            status, answer = 500, {"error": "something broke"}
        elif fault < 0.12:
            answer = {name: value for name, value in answer.items() if name != "cost_cents"}
        return self._answer(status, answer, key)

    def do_GET(self) -> None:
        ledger = self.server.ledger
        if self.path == "/truth":
            with ledger.lock:
                answer: dict[str, Any] = {key: asdict(truth) for key, truth in ledger.truths.items()}
        else:
            answer = ledger.look_up(unquote(self.path.rpartition("/")[2]), self._connection())
        self._answer(200, answer)

    def _complete(self, key: str, chance: random.Random) -> tuple[int, dict[str, Any]]:
        cents = chance.randint(0, MODEL_CENTS_MAX)
        self.server.ledger.charge(key, cents)
        content = "I act. " * chance.choice((1, 1, 1, 400))  # a long one is kept elsewhere
        call = {"function": {"name": _tool_of(self.server.ledger.seed, key), "arguments": '{"amount": 1}'}}
        return 200, {"choices": [{"message": {"content": content, "tool_calls": [call]}}], "cost_cents": cents}

    def _connection(self) -> int:
        return self.server.connections[self.client_address]

    def _answer(self, status: int, answer: dict[str, Any], key: str | None = None) -> None:
        text = json.dumps(answer)
        if key is not None:
            self.server.ledger.answered(key, text)
        self.send_response(status)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def _cut(self) -> None:
        self.close_connection = True
        self.connection.close()

    def log_message(self, *_: object) -> None:
        """The ledger says it all."""


class Server(ThreadingHTTPServer):
    """Numbers its connections in the order in which they were opened."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.ledger = ledger
        self.connections: dict[Any, int] = {}
        self._count = 0

    def get_request(self) -> tuple[Any, Any]:
        connection, address = super().get_request()
        self._count += 1
        self.connections[address] = self._count
        return connection, address

    def handle_error(self, *_: object) -> None:
        """Clients are killed; that is what this is for."""


def _tool_of(seed: int, key: str) -> str:
    """Each run has one tool that its model wants."""
    return random.Random(f"{seed} {key.rsplit(':', 2)[0]}").choices(TOOLS, (4, 4, 1))[0]


@contextmanager
def outside(seed: int, log: Path) -> Iterator[str]:
    """The URL of model and tools, in a process that ends when its standard input does."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
        )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.communicate()


def truths_at(url: str) -> dict[str, Truth]:
    """The whole ledger."""
    with urllib.request.urlopen(f"{url}/truth", timeout=60) as response:
        return {key: Truth(**truth) for key, truth in json.load(response).items()}


if __name__ == "__main__":
    opened = Server(Ledger(int(sys.argv[1])))
    threading.Thread(target=opened.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{opened.server_port}", flush=True)
    sys.stdin.read()
