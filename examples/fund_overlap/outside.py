"""The world outside the agent: a model, and tools that read funds and send a report. It counts what it really did.

Only what an example needs: it answers in OpenAI's format, takes the idempotency key for the name of an operation, and
can be told to leave the model's next request without an answer.
"""

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
COSTS_CENTS = {"model": 12, "read_holdings": 2, "send_report": 1}


@dataclass
class Outside:
    """What arrived, in order: what was asked, and under which key. `silent` keeps the model's answers back."""

    asked: list[tuple[str, str]] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)
    silent: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    model_was_asked: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        handler = type("Handler", (_Handler,), {"outside": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def times(self, what: str) -> int:
        """How often something was really done."""
        return sum(one == what for one, _ in self.asked)

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def act(self, what: str, key: str, result: dict[str, Any]) -> dict[str, Any]:
        """Do it, once for each key, and say what it cost."""
        if key not in self.answers:
            self.asked.append((what, key))
            self.answers[key] = {**result, "cost_cents": COSTS_CENTS[what.split()[0]]}
        answer: dict[str, Any] = self.answers[key]
        return answer


class _Handler(BaseHTTPRequestHandler):
    outside: Outside

    def do_POST(self) -> None:  # the name that http.server calls
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers["Idempotency-Key"]
        if self.path == "/v1/chat/completions":
            self._complete(key, body["messages"][0]["content"])
        elif self.path == "/tools/read_holdings":
            fund = json.loads((DATA / f"{Path(body['fund']).name}.json").read_text())
            self._reply(self.outside.act(f"read_holdings {fund['fund']}", key, {"result": fund}))
        elif self.path == "/tools/send_report":
            self._reply(self.outside.act("send_report", key, {"result": {"sent": True}}))
        else:
            self.send_error(404)

    def do_GET(self) -> None:
        key = self.path.removeprefix("/operations/")
        known = self.outside.answers.get(key)
        said = {"status": "confirmed", "cost_cents": known["cost_cents"]} if known else {"status": "not_found"}
        self._reply(said)

    def _complete(self, key: str, prompt: str) -> None:
        """The answer is paid for, whether it is heard or not."""
        report = prompt.partition(": ")[2]
        words = f"The two funds overlap in part; {report.rpartition('have ')[2].partition(':')[0]}."
        message = {"role": "assistant", "content": words}
        answer = self.outside.act("model", key, {"choices": [{"message": message, "finish_reason": "stop"}]})
        self.outside.model_was_asked.set()
        if self.outside.silent.is_set():
            self.outside.released.wait()
            return
        self._reply(answer)

    def _reply(self, answer: dict[str, Any]) -> None:
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """What matters is counted; nothing is printed."""
