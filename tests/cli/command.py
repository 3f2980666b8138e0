"""Runs the installed `keepfact` as its users do, and looks for whatever it left behind."""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from ..sharing import made_once, shared_folder

KEEPFACT = Path(sys.executable).with_name("keepfact")
HANG_SECONDS = 300
"""So that a hang fails a test and not a night; no test looks at how long anything took."""


@dataclass(frozen=True)
class Ended:
    """How a command ended. `said` and `warned` are its outputs with all white space as single blanks."""

    code: int
    stdout: str
    stderr: str

    @property
    def said(self) -> str:
        return " ".join(self.stdout.split())

    @property
    def warned(self) -> str:
        return " ".join(self.stderr.split())


def keepfact(*arguments: object, cwd: Path, **environment: str) -> Ended:
    """Run it to its end."""
    done = subprocess.run(
        [KEEPFACT, *map(str, arguments)],
        cwd=cwd,
        env=_environment(environment),
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def quickly(*arguments: object, cwd: Path, **environment: str) -> Ended:
    """The same, forked off a process that has imported already what a command needs, which takes most of its time."""
    with tempfile.TemporaryDirectory() as directory:
        stdout, stderr = Path(directory, "stdout"), Path(directory, "stderr")
        stdout.touch()
        stderr.touch()
        asked = {
            "program": str(KEEPFACT),
            "arguments": list(map(str, arguments)),
            "cwd": str(cwd),
            "environment": _environment(environment),
            "stdout": str(stdout),
            "stderr": str(stderr),
        }
        nursery = _nursery()
        assert nursery.stdin is not None
        assert nursery.stdout is not None
        nursery.stdin.write(json.dumps(asked) + "\n")
        nursery.stdin.flush()
        assert select.select([nursery.stdout], [], [], HANG_SECONDS)[0], "the command hangs"
        return Ended(int(nursery.stdout.readline()), stdout.read_text(), stderr.read_text())


@cache
def _nursery() -> "subprocess.Popen[str]":
    """Ends when this process does, and with it its standard input."""
    return subprocess.Popen(
        [sys.executable, Path(__file__).with_name("forking.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=_environment({}),
    )


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Ended]) -> tuple[Path, Ended]:
    """Something expensive, made by the first pytest process that needs it; the others wait for it and share it."""
    shared = shared_folder(factory)
    return shared / name, made_once(shared, name, lambda: make(shared / name))


@contextmanager
def started(*arguments: object, cwd: Path, mark: str, **environment: str) -> Iterator["subprocess.Popen[str]"]:
    """Start it in a session of its own, as a terminal would; whatever bears the mark is killed in the end."""
    process = subprocess.Popen(
        [KEEPFACT, *map(str, arguments)],
        cwd=cwd,
        env={**_environment(environment), MARK: mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        for pid in [process.pid] if process.poll() is None else []:
            os.killpg(pid, signal.SIGKILL)
        for pid in marked(mark):
            os.kill(pid, signal.SIGKILL)
        process.communicate()


MARK = "KEEPFACT_TEST_MARK"


def marked(mark: str) -> list[int]:
    """The processes that were started, by whatever way, from the one with this mark in its environment."""
    found = []
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            environment = (directory / "environ").read_bytes()
            is_zombie = (directory / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except OSError:
            continue  # it has ended meanwhile
        if f"{MARK}={mark}".encode() in environment.split(b"\0") and not is_zombie:
            found.append(int(directory.name))
    return found


def wait_until(fact: Callable[[], bool]) -> None:
    """Return as soon as the fact holds."""
    give_up_at = time.monotonic() + HANG_SECONDS
    while not fact():
        assert time.monotonic() < give_up_at, "what was waited for never came true"
        time.sleep(0.02)


def _environment(more: dict[str, str]) -> dict[str, str]:
    """Without whatever the surroundings set for keepfact."""
    return {name: value for name, value in os.environ.items() if not name.startswith("KEEPFACT_")} | more
