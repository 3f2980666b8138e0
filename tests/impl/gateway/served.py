"""A gateway on a real socket, in a thread of the test, and clients of it."""

import asyncio
import hashlib
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn

from keepfact.impl.commands import ENTRY_POINTS
from keepfact.impl.gateway.app import Gateway
from keepfact.impl.gateway.serving import Protocol, Server, open_listener
from keepfact.impl.gateway.settings import Limits
from keepfact.impl.gateway.tokens import Token, Tokens
from keepfact.impl.store import Identity, Store

from ..driving import PATIENCE_SECONDS, fresh, wait_until

TOKEN = "a token that may do everything"
READER = "a token that may only read"
STRANGER = "a token of another tenant, in which it may do everything"
ANYTHING = "a token of a tenant in which anything may be asked"


def token(text: str, scopes: tuple[str, ...], tenant: str = "acme", principal: str = "ann") -> Token:
    return Token(hashlib.sha256(text.encode()).hexdigest(), Identity(tenant, principal), frozenset(scopes))


ISSUED = [
    token(TOKEN, ENTRY_POINTS),
    token(READER, ("observe",), principal="bob"),
    token(STRANGER, ENTRY_POINTS, "globex", "eve"),
    token(ANYTHING, ENTRY_POINTS, "anything", "chance"),
]
TOKENS = Tokens(ISSUED)
TENANTS = {issued.identity.tenant for issued in ISSUED}


class Client(httpx.Client):
    """Speaks for whoever holds the token, and sees to it that nothing is answered that is not documented."""

    def send(self, request: httpx.Request, **more: Any) -> httpx.Response:
        response = super().send(request, **more)
        if operation := self._operation(request):
            documented = operation["responses"][str(response.status_code)]["content"]
            assert response.headers["content-type"].partition(";")[0] in documented
        return response

    def _operation(self, request: httpx.Request) -> dict[str, Any] | None:
        """What the document says of this request, if it says anything."""
        if not hasattr(self, "_document"):
            self._document = super().send(self.build_request("GET", "/openapi.json")).json()
        parts = request.url.raw_path.partition(b"?")[0].decode().split("/")
        for path, operations in self._document["paths"].items():
            template = path.split("/")
            pairs = zip(template, parts, strict=False)
            if len(template) == len(parts) and all(one == other or one.startswith("{") for one, other in pairs):
                operation: dict[str, Any] | None = operations.get(request.method.lower())
                return operation
        return None

    def do(self, path: str, *, key: str | None = None, **fields: Any) -> httpx.Response:
        """One command."""
        return self.post(path, json=fields, headers={"Idempotency-Key": key or fresh("key")})

    def admitted(self) -> str:
        """A new run, in the queue."""
        run = fresh("run")
        assert self.do("/v1/runs", run=run, contract="settle", budget_cents=100).status_code == 200
        return run

    def claimed(self) -> str:
        """A new run under fence 1."""
        run = self.admitted()
        assert self.do(f"/v1/runs/{run}/claim", worker="w").json()["grant"]["fence"] == 1
        return run

    def publish(self, run: str, count: int = 1) -> None:
        """So many events more."""
        for number in range(count):
            assert self.do(f"/v1/runs/{run}/publish", fence=1, body=str(number), qualified=True).status_code == 200

    def ended(self, publications: int = 1) -> str:
        """A new run that has succeeded: admitted, granted, published, ended."""
        run = self.claimed()
        self.publish(run, publications)
        assert self.do(f"/v1/runs/{run}/succeed", fence=1).status_code == 200
        return run

    def metric(self, name: str) -> float:
        """What is counted under this name, labels included."""
        lines = dict(line.rsplit(" ", 1) for line in self.get("/metrics").text.splitlines() if line[0] != "#")
        return float(lines.get(name, 0))


@contextmanager
def served(
    store: Store, *, tokens: Tokens = TOKENS, listen_dsn: str | None = None, send_buffer: int = 0, **limits: Any
) -> Iterator[Client]:
    """A client with the token that may do everything."""
    gateway = Gateway(store, ENTRY_POINTS, tokens, Limits(**limits), listen_dsn)
    listener = open_listener("127.0.0.1", 0)
    if send_buffer:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)  # connections inherit it
    config = uvicorn.Config(gateway, http=Protocol, ws="none", log_config=None, access_log=False, lifespan="on")
    server = Server(config, gateway)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
    thread.start()
    try:
        wait_until(lambda: server.started)
        with client_of(f"http://127.0.0.1:{listener.getsockname()[1]}") as client:
            yield client
    finally:
        server.should_exit = True
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()


def client_of(url: str, token: str = TOKEN) -> Client:
    return Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE_SECONDS)


def problem(response: httpx.Response) -> tuple[int, str]:
    """Status and reason of an answer that says no; its form is checked on the way."""
    content: Mapping[str, Any] = response.json()
    assert response.headers["content-type"] == "application/problem+json"
    assert content["status"] == response.status_code
    assert content["detail"] == f"expected {content['expected']}, but {content['seen']}. {content['next_step']}"
    assert json.dumps(content).isascii()
    return response.status_code, content["reason"]
