"""Worker processes that start in a moment: they are forked from one that has already imported all that they need.

A sweep starts a worker for every seam, and importing the libraries takes a new process many times longer than its
work. So a nursery, started once, forks them. Each is a process of its own, a child of ours and no other's: Linux lets a
process have a child that is its sibling. Whoever waits for it, kills it or looks it up in /proc sees no difference.
"""

import json
import os
import platform
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from keepfact.conformance.abilities import Outside, Process
from keepfact.conformance.errors import KeepfactError
from keepfact.impl.connect import with_parts
from keepfact.impl.settings import dsn_name
from keepfact.impl.store import Identity

DOORS = ("work", "observe", "wake", "recover")
"""The entry points of a worker that may also take up what waits, and go on with what was lost."""

RECOVERY_DOORS = ("recover", "reconcile", "observe")
"""The entry points of a recovery that settles, and asks tools."""

CLONE = {"x86_64": 56, "aarch64": 220}.get(platform.machine())
"""The number of the system call that makes a process; elsewhere every worker is started anew."""


class Kind(StrEnum):
    """What can be forked, by the module of the implementation that it runs."""

    WORKER = "worker"
    RECOVERY = "recovery"


class Forked:
    """A child process of ours, used as one that `subprocess` started."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ended = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """Its exit status if it has ended, negative for the signal that ended it."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
                os.close(self._ended)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The same, once it has ended. Raises subprocess.TimeoutExpired after so many seconds."""
        while self.poll() is None:
            if not select.select([self._ended], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired([f"process {self.pid}"], timeout or 0.0)
        assert self.returncode is not None
        return self.returncode

    def kill(self) -> None:
        """SIGKILL, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


class Nursery:
    """Starts workers and recoveries of the implementation; itself started with the first."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, arguments: Sequence[str], environment: Mapping[str, str], kind: Kind = Kind.WORKER) -> Process:
        """One with these arguments, in a session and so in a process group of its own."""
        if CLONE is None:
            return subprocess.Popen(
                [sys.executable, "-P", "-m", f"keepfact.impl.{kind}", *arguments],
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", f"{__package__}.forking"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        wanted = {"kind": kind, "arguments": list(arguments), "environment": dict(environment)}
        try:
            self._process.stdin.write(json.dumps(wanted).encode() + b"\n")
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = b""
        if not answer:
            raise KeepfactError("expected the process that workers are forked from to start one, but it has ended.")
        return Forked(int(answer))

    def close(self) -> None:
        """End the nursery; its workers live on."""
        if self._process is not None:
            with self._process:
                assert self._process.stdin is not None
                self._process.stdin.close()
            self._process = None


def settings_of(
    dsns: Mapping[str, str], identity: Identity, outside: Outside, seams: Path | None, release: str
) -> dict[str, str]:
    """The environment of a worker: our own, and in it where it works, for whom and as which release: module:NAME."""
    return _settings(DOORS, dsns, identity, outside, seams) | {
        "KEEPFACT_RELEASE": release,
        "KEEPFACT_MODEL_URL": outside.model_url,
    }


def recovery_settings_of(
    dsns: Mapping[str, str], identity: Identity, outside: Outside, seams: Path | None
) -> dict[str, str]:
    """The environment of a recovery: our own, and in it where it recovers and for whom, and which tools it asks."""
    return _settings(RECOVERY_DOORS, dsns, identity, outside, seams)


def _settings(
    doors: Sequence[str], dsns: Mapping[str, str], identity: Identity, outside: Outside, seams: Path | None
) -> dict[str, str]:
    settings = {
        **{dsn_name(door): _through(outside, dsns[door]) for door in doors},
        "KEEPFACT_TOOL_URL": outside.tool_url,
        "KEEPFACT_TENANT": identity.tenant,
        "KEEPFACT_PRINCIPAL": identity.principal,
        "KEEPFACT_LOG": "ERROR",
    }
    own = {name: value for name, value in os.environ.items() if name != "KEEPFACT_SEAMS"}
    return own | settings | ({} if seams is None else {"KEEPFACT_SEAMS": str(seams)})


def _through(outside: Outside, dsn: str) -> str:
    """The connection string by which a worker reaches the database, if it is to do so elsewhere."""
    if outside.database is None:
        return dsn
    host, port = outside.database.host, str(outside.database.port)
    return with_parts(dsn, host=host, port=port, sslmode="disable", gssencmode="disable")
