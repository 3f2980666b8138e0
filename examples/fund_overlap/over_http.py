"""People who ask over HTTP, each with a token of their own; every request is shown as the curl call that it is."""

import hashlib
import json
import os
import secrets
import shlex
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import httpx

from keepfact.impl.installation import TENANT, Installation
from keepfact.impl.prepared import Value
from keepfact.impl.settings import dsn_name

from .stage import PATIENCE_SECONDS, Who
from .telling import quote, tell, title

PATHS = {
    "grant": "/v1/sources/{source}/grant",
    "submit": "/v1/runs",
    "continue": "/v1/runs/{source}/continue",
    "reconcile": "/v1/runs/{run}/reconcile",
    "decide": "/v1/runs/{run}/decide",
}
"""What stands in braces is said in the path, and everything else in the body."""

SCOPES: dict[Who, list[str]] = {
    "analyst": ["observe", "submit", "continue"],
    "desk": ["observe", "decide"],
    "provider": ["reconcile"],
    "keeper": ["grant"],
}
"""Nobody may do more than their part."""


class OverHttp:
    """A client of a gateway at `url`; `tokens` has one for everybody."""

    def __init__(self, url: str, tokens: Mapping[Who, str]) -> None:
        self._client = httpx.Client(base_url=url, timeout=PATIENCE_SECONDS)
        self._tokens = tokens
        self._shown = ""

    def ask(self, who: Who, command: str, **fields: Value) -> str | None:
        """One command, under a key that is new; asked again under the same, it would be answered the same."""
        path, body = PATHS[command].format(**fields), json.dumps(_body(command, fields))
        headers = {"Idempotency-Key": str(uuid.uuid4()), "Content-Type": "application/json"}
        self._show(who, path, *_options(headers), "-d", shlex.quote(body))
        answered = self._client.post(path, content=body, headers={**self._token(who), **headers})
        said = answered.json()
        if said["outcome"] == "lost":
            raise RuntimeError(said["detail"])
        return None if answered.status_code == 200 else str(said["reason"])

    def run(self, run: str) -> dict[str, Any]:
        """One run, as the analyst may see it."""
        path = f"/v1/runs/{run}"
        self._show("analyst", path)
        shown: dict[str, Any] = self._client.get(path, headers=self._token("analyst")).raise_for_status().json()
        return shown

    def follow(self, run: str) -> Iterator[dict[str, Any]]:
        """The stream of server-sent events, which says itself that the run has ended."""
        path, name = f"/v1/runs/{run}/stream", ""
        self._show("analyst", path, "-N")
        with self._client.stream("GET", path, headers=self._token("analyst")) as answered:
            for line in answered.raise_for_status().iter_lines():
                field, _, value = line.partition(": ")
                if field == "event":
                    name = value
                elif field == "data" and name != "end":
                    yield json.loads(value)
        if name != "end":
            raise RuntimeError(f"expected the stream of {run} to end with the run, but it broke off before")

    def _token(self, who: Who) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._tokens[who]}"}

    def _show(self, who: Who, path: str, *options: str) -> None:
        """What is asked again and again, to wait for something, is shown once."""
        authorization = f'-H "Authorization: Bearer ${who.upper()}"'
        call = " ".join(["curl", authorization, *options, f"{self._client.base_url}{path}".replace("//v1", "/v1")])
        if call != self._shown:
            quote(call)
        self._shown = call


@contextmanager
def over_http(installation: Installation) -> Iterator[OverHttp]:
    """A gateway process of our own, and a client of it. Its tokens are new, and worth nothing when it has ended."""
    tokens: dict[Who, str] = {who: secrets.token_urlsafe(16) for who in get_args(Who)}
    with TemporaryDirectory() as folder, _gateway(installation, Path(folder), tokens) as url:
        title("A gateway, and who may ask it for what")
        for who, token in tokens.items():
            quote(f"{who.upper()}={token}  # {', '.join(SCOPES[who])}")
        tell(f"Everything that can be asked: {url}/openapi.json")
        yield OverHttp(url, tokens)


@contextmanager
def _gateway(installation: Installation, folder: Path, tokens: Mapping[Who, str]) -> Iterator[str]:
    """Where it serves. It knows digests of tokens only."""
    lines = [
        {
            "token_sha256": hashlib.sha256(token.encode()).hexdigest(),
            "tenant": TENANT,
            "principal": who,
            "scopes": SCOPES[who],
        }
        for who, token in tokens.items()
    ]
    (folder / "tokens.json").write_text(json.dumps(lines))
    environment = {
        **os.environ,
        **{dsn_name(door): dsn for door, dsn in installation.dsns.items()},
        "KEEPFACT_TOKENS_FILE": str(folder / "tokens.json"),
        "KEEPFACT_PORT": "0",  # whichever is free
        "KEEPFACT_LOG": "INFO",
        "KEEPFACT_POLL_SECONDS": "0.2",
        "KEEPFACT_STREAM_SECONDS_MAX": str(PATIENCE_SECONDS),
    }
    log = folder / "gateway.log"
    with log.open("wb") as told:
        process = subprocess.Popen([sys.executable, "-P", "-m", "keepfact.impl.gateway"], env=environment, stderr=told)
    try:
        yield _url(process, log)
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def _url(process: "subprocess.Popen[bytes]", log: Path) -> str:
    """Once it says so."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        for line in log.read_text().splitlines(keepends=True):
            if line.endswith("\n") and (said := json.loads(line))["message"] == "serving":
                return str(said["url"])
        time.sleep(0.02)
    raise RuntimeError(f"expected the gateway to serve, but it said: {log.read_text()}")


def _body(command: str, fields: Mapping[str, Value]) -> dict[str, Value]:
    """A name that is taken in Python ends with an underscore there, and not in JSON."""
    return {name.rstrip("_"): value for name, value in fields.items() if f"{{{name}}}" not in PATHS[command]}


def _options(headers: Mapping[str, str]) -> Iterator[str]:
    for name, value in headers.items():
        yield f'-H "{name}: {value}"'
