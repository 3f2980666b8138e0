"""A worker of the toy system: a few lines of plain Python that know nothing of keepfact but the protocol of seams.

Arguments, as one JSON object: run, worker, store (a Unix socket), model_url, tool_url, seams (a Unix socket or null),
and `habit`, which is how a bad worker goes wrong.
"""

import json
import socket
import sys
import urllib.request
from typing import Any, TextIO


class Worker:
    def __init__(self, told: dict[str, str]) -> None:
        self.told, self.run, self.habit = told, told["run"], told["habit"]
        self.store = _lines(told["store"])
        self.seams = _lines(told["seams"]) if told["seams"] and self.habit != "names no seams" else None
        self.fence, self.asked = 0, 0

    def work(self) -> None:
        self.stop("claiming")
        self.fence = self.do("Claim", worker=self.told["worker"])["fence"]
        self.stop("claimed")
        if self.habit == "loses its way" and not self.run.endswith("rehearsal"):
            return
        said = self.call(f"{self.run}:attempt", "attempt", self.told["model_url"] + "/v1/chat/completions", _QUESTION)
        message = said["choices"][0]["message"]
        self.stop("publishing")
        self.write("Publish", body=message["content"], qualified=True)
        wanted = message["tool_calls"][0]["function"]
        url = f"{self.told['tool_url']}/tools/{wanted['name']}"
        self.call(f"{self.run}:operation", "operation", url, json.loads(wanted["arguments"]))
        self.stop("succeeding")
        self.write("Succeed")
        self.stop("succeeded")

    def call(self, call: str, kind: str, url: str, body: object) -> Any:
        """Intend, send, record: with a seam before each."""
        sends_first = self.habit == "sends before it intends"
        if sends_first:
            said = self.send(call, url, body)
        self.stop(f"intending {kind}")
        self.write("Intend", call=call, kind=kind, digest="toy", ceiling_cents=50)
        if not sends_first:
            self.stop(f"sent {kind}")
            said = self.send(call, url, body)
        self.stop("recording answer")
        self.write("RecordAnswer", call=call, answer=json.dumps(said), cost_cents=said["cost_cents"])
        return said

    def send(self, call: str, url: str, body: object) -> Any:
        headers = {"Idempotency-Key": call, "Content-Type": "application/json", "Keepfact-Fence": str(self.fence)}
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with _WITHOUT_PROXY.open(request) as answer:
            return json.load(answer)

    def stop(self, seam: str) -> None:
        """Write the name of the seam, and wait for `go`."""
        if self.seams is not None:
            self.seams.write(f"{seam}\n")
            self.seams.flush()
            if self.seams.readline() != "go\n":
                sys.exit(1)

    def write(self, command: str, **fields: object) -> None:
        self.do(command, fence=self.fence, **fields)

    def do(self, command: str, **fields: object) -> Any:
        """Have the store do a command; a worker that is refused gives up."""
        self.asked += 1
        asked = {"is": command, "command_id": f"{self.run}:{self.fence}:{self.asked}", "run": self.run, **fields}
        self.store.write(json.dumps(asked) + "\n")
        self.store.flush()
        answer = json.loads(self.store.readline())
        if not answer["done"]:
            sys.exit(f"refused: {answer}")
        return answer


def _lines(path: str) -> TextIO:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    return connection.makefile("rw")


_QUESTION = {"model": "toy", "messages": [{"role": "user", "content": "What is due?"}]}
_WITHOUT_PROXY = urllib.request.build_opener(urllib.request.ProxyHandler({}))

if __name__ == "__main__":
    Worker(json.loads(sys.argv[1])).work()
