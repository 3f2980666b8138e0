"""Gateways in processes of their own, which do not outlive whoever started them."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keepfact.impl.installation import Installation

from ..driving import PATIENCE_SECONDS, wait_until
from .served import ISSUED

COMMAND = [sys.executable, "-m", "keepfact.impl.gateway"]


@dataclass
class GatewayProcess:
    """A process that serves at `url`, and tells of it in a file."""

    popen: "subprocess.Popen[bytes]"
    log: Path

    @property
    def url(self) -> str:
        return str(self._serving()["url"])

    def told(self) -> list[dict[str, Any]]:
        """All that it has told so far; what it is telling just now is left out."""
        return [json.loads(line) for line in self.log.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def is_serving(self) -> bool:
        assert self.popen.poll() is None, self.log.read_text()
        return self._serving() != {}

    def _serving(self) -> dict[str, Any]:
        return next((line for line in self.told() if line["message"] == "serving"), {})


def environment(installation: Installation, folder: Path) -> dict[str, str]:
    """What a gateway is set up with, its tokens written to the folder."""
    tokens = folder / "tokens.json"
    lines = [{"token_sha256": one.digest, **one.identity._asdict(), "scopes": sorted(one.scopes)} for one in ISSUED]
    tokens.write_text(json.dumps(lines))
    dsns = {f"KEEPFACT_{name.upper()}_DSN": dsn for name, dsn in installation.dsns.items()}
    return {**dsns, "KEEPFACT_TOKENS_FILE": str(tokens), "KEEPFACT_PORT": "0"}


def ended(installation: Installation, folder: Path, **more: str) -> tuple[int, dict[str, Any]]:
    """The status of a process that ends by itself, and the one thing that it told."""
    settings = {**os.environ, **environment(installation, folder), **more}
    process = subprocess.run(COMMAND, env=settings, stderr=subprocess.PIPE, text=True, timeout=PATIENCE_SECONDS)
    return process.returncode, json.loads(process.stderr)


@contextmanager
def started(installation: Installation, folder: Path, **more: str) -> Iterator[GatewayProcess]:
    """A process that serves."""
    log = folder / "gateway.log"
    with log.open("wb") as told:
        popen = subprocess.Popen(
            COMMAND,
            env={**os.environ, **environment(installation, folder), **more},
            stderr=told,
        )
    try:
        process = GatewayProcess(popen, log)
        wait_until(process.is_serving)
        yield process
    finally:
        popen.kill()
        popen.wait()
