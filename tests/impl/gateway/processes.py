"""Gateways in processes of their own, which do not outlive whoever started them."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from keepfact.impl.installation import Installation

from .served import ALL, TOKEN


@dataclass
class GatewayProcess:
    """A process that serves at `url`."""

    popen: "subprocess.Popen[str]"
    url: str = ""

    def rest(self) -> list[str]:
        """All lines that it has not said yet, to its end."""
        assert self.popen.stderr is not None
        return list(self.popen.stderr)


def environment(installation: Installation, folder: Path) -> dict[str, str]:
    """What a gateway is set up with, its tokens written to the folder."""
    tokens = folder / "tokens.json"
    digest = hashlib.sha256(TOKEN.encode()).hexdigest()
    tokens.write_text(json.dumps([{"token_sha256": digest, "tenant": "acme", "principal": "ann", "scopes": ALL}]))
    dsns = {f"KEEPFACT_{name.upper()}_DSN": dsn for name, dsn in installation.dsns.items()}
    return {**dsns, "KEEPFACT_TOKENS_FILE": str(tokens), "KEEPFACT_PORT": "0"}


@contextmanager
def started(installation: Installation, folder: Path, **more: str) -> Iterator[GatewayProcess]:
    """A process that serves."""
    popen = subprocess.Popen(
        [sys.executable, "-m", "keepfact.impl.gateway"],
        env={**os.environ, **environment(installation, folder), **more},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert popen.stderr is not None
        said = next(json.loads(line) for line in popen.stderr if '"url"' in line)
        yield GatewayProcess(popen, said["url"])
    finally:
        popen.kill()
        popen.communicate()
