"""The gateway as a process of its own: started, killed, and started again at a place it finds for itself."""

import hashlib
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from keepfact.conformance.stopping import undisturbed
from keepfact.conformance.system import SystemUnavailableError
from keepfact.spec.vocabulary import EntryPoint

STARTING_SECONDS_MAX = 60.0
ENDING_SECONDS_MAX = 30.0
NO_LIMIT = "1000000000"
POLL_SECONDS = "0.05"
"""A store that gives no hints is looked at so often for what is to be streamed."""


class GatewayProcess:
    """`keepfact serve`, with the doors of `dsns`, and a file of tokens: one for each door of each of the identities."""

    def __init__(self, dsns: Mapping[str, str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="keepfact-gateway-")
        self._secret = secrets.token_hex(16)
        self._dsns = dsns
        self._process: subprocess.Popen[bytes] | None = None
        self.issue([])

    def issue(self, identities: Iterable[tuple[str, str]]) -> None:
        """From the next request on there are tokens for these, each a tenant and a principal, and for nobody else."""
        lines = [
            {
                "token_sha256": hashlib.sha256(self.token(tenant, principal, door).encode()).hexdigest(),
                "tenant": tenant,
                "principal": principal,
                "scopes": [door.value],
            }
            for tenant, principal in identities
            for door in EntryPoint
        ]
        written = self._path("tokens.new")
        written.write_text(json.dumps(lines))
        written.replace(self._path("tokens.json"))

    def token(self, tenant: str, principal: str, door: EntryPoint) -> str:
        """What opens this door, and no other, to this principal."""
        return hashlib.sha256(f"{self._secret} {tenant} {principal} {door.value}".encode()).hexdigest()

    def start(self) -> str:
        """Its URL, once it listens. Raises SystemUnavailableError with the last that it said."""
        told = self._path("told")
        with told.open("wb") as stderr, undisturbed():
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "keepfact.conformance.leash", "keepfact.impl.gateway"],
                env=self._environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                start_new_session=True,
            )
        give_up_at = time.monotonic() + STARTING_SECONDS_MAX
        while time.monotonic() < give_up_at:
            has_ended = self._process.poll() is not None
            for line in told.read_text().splitlines(keepends=True):
                if '"url"' in line and line.endswith("\n"):  # a whole one
                    return str(json.loads(line)["url"])
            if has_ended:
                break
            time.sleep(0.02)
        raise SystemUnavailableError(f"expected the gateway to serve, but {self.last_words()}. Put that right.")

    def last_words(self) -> str:
        """What became of it, and what it said last."""
        lines = self._path("told").read_text().splitlines() or ["nothing"]
        if self._process is None:
            state = "it is gone"
        else:
            code = self._process.poll()
            state = "it still runs" if code is None else f"it ended with {code}"
        return f"{state}; it said last: {lines[-1][:500]}"

    def kill(self) -> None:
        """By SIGKILL, as a machine that is gone would leave it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(ENDING_SECONDS_MAX)
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process = None

    def close(self) -> None:
        """Leave nothing behind."""
        self.kill()
        self._folder.cleanup()

    def _environment(self) -> dict[str, str]:
        """Nothing of what is set for keepfact outside, and limits that no harness comes to."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("KEEPFACT_")},
            **{f"KEEPFACT_{door.upper()}_DSN": dsn for door, dsn in self._dsns.items()},
            "KEEPFACT_TOKENS_FILE": str(self._path("tokens.json")),
            "KEEPFACT_HOST": "127.0.0.1",
            "KEEPFACT_PORT": "0",
            "KEEPFACT_REQUESTS_PER_SECOND": NO_LIMIT,
            "KEEPFACT_REQUESTS_BURST": NO_LIMIT,
            "KEEPFACT_POLL_SECONDS": POLL_SECONDS,
        }

    def _path(self, name: str) -> Path:
        return Path(self._folder.name, name)
