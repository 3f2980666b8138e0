"""The door at which runs are asked for: the store itself, or a gateway in front of it."""

import hashlib
import json
import secrets
import socket
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import httpx

from keepfact.impl.installation import TENANT
from keepfact.impl.outcomes import Done, Lost, Outcome, Refused
from keepfact.impl.prepared import Value

SCOPES = ("observe", "submit", "cancel", "decide", "deliver")
REQUEST_SECONDS = 20


class Door(Protocol):
    """Where a command can be asked. A lost answer is asked for again under the same id."""

    def perform(self, command: str, *, command_id: str, **fields: Value) -> Outcome:
        """What came of it."""
        ...


class Gateway:
    """One gateway process, which may be gone at any moment, and is at the same place when it comes again."""

    def __init__(self, folder: Path) -> None:
        self._token = secrets.token_hex(16)
        self._folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self._client = httpx.Client(
            base_url=f"http://127.0.0.1:{self._port}",
            headers={"Authorization": f"Bearer {self._token}"},
            timeout=REQUEST_SECONDS,
            trust_env=False,
        )

    def environment(self) -> dict[str, str]:
        """What its process is set up with beside the doors."""
        tokens = self._folder / "tokens.json"
        digest = hashlib.sha256(self._token.encode()).hexdigest()
        line = {"token_sha256": digest, "tenant": TENANT, "principal": "asker", "scopes": SCOPES}
        tokens.write_text(json.dumps([line]))
        return {
            "KEEPFACT_TOKENS_FILE": str(tokens),
            "KEEPFACT_HOST": "127.0.0.1",
            "KEEPFACT_PORT": str(self._port),
            "KEEPFACT_REQUESTS_PER_SECOND": "100000",
            "KEEPFACT_REQUESTS_BURST": "100000",
        }

    def perform(self, command: str, *, command_id: str, **fields: Value) -> Outcome:
        """Whatever is not a definite answer is none."""
        body: dict[str, Any] = dict(fields)
        path = "/v1/runs" if command == "submit" else f"/v1/runs/{quote(str(body.pop('run')), safe='')}/{command}"
        try:
            response = self._client.post(path, json=body, headers={"Idempotency-Key": command_id})
            said = response.json()
        except (httpx.HTTPError, ValueError):
            return Lost()
        if response.status_code == 200:
            return Done()
        if said.get("outcome") == "refused" and response.status_code not in (429, 503):
            return Refused(said["reason"], tuple(said.get("runs", ())))
        return Lost()

    def close(self) -> None:
        """Close the client."""
        self._client.close()
