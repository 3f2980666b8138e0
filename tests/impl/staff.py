"""Worker and recovery processes at an installation, for tests of what they do by themselves."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from keepfact.impl.installation import Installation
from keepfact.impl.settings import dsn_name

from . import errands
from .driving import PATIENCE_SECONDS
from .warden import Warden, warden

DOORS = ("work", "observe", "wake", "recover", "reconcile", "deliver")
ROOT = Path(__file__).parents[2]


@dataclass
class Staff:
    """Processes that are told to stop at the end, and must then end in good order."""

    installation: Installation
    url: str
    guard: Warden
    processes: list["subprocess.Popen[str]"] = field(default_factory=list)

    def worker(self, name: str = "w", **environment: str) -> "subprocess.Popen[str]":
        """One that works on whatever there is, with the program of the errands."""
        return self._start("-m", "keepfact.impl.worker", "--all", "--worker", name, **environment)

    def recovery(self, **environment: str) -> "subprocess.Popen[str]":
        """One that recovers over and over."""
        return self._start("-m", "keepfact.impl.recovery", **environment)

    def _start(self, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
        settings = {
            **{dsn_name(door): self.installation.dsns[door] for door in DOORS},
            "KEEPFACT_MODEL_URL": self.url,
            "KEEPFACT_TOOL_URL": self.url,
            "KEEPFACT_RELEASE": errands.NAME,
            "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        }
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env={**os.environ, **settings, **environment},
            stderr=subprocess.PIPE,
            text=True,
        )
        self.processes.append(process)
        self.guard.watch(process.pid)
        return process


@contextmanager
def staff(installation: Installation, url: str) -> Iterator[Staff]:
    """Nobody of it outlives the context."""
    with warden() as guard:
        hired = Staff(installation, url, guard)
        try:
            yield hired
            for process in hired.processes:
                process.terminate()
            for process in hired.processes:
                process.communicate(timeout=PATIENCE_SECONDS)
        finally:
            for process in hired.processes:
                process.kill()
                process.communicate()
