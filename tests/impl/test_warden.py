"""Whoever is killed leaves nothing behind that a warden watches."""

import subprocess
import sys
from pathlib import Path

from .driving import wait_until
from .warden import running, warden

STARTS = """
import subprocess, sys
from pathlib import Path
from tests.impl.warden import warden
with warden() as guard:
    left = subprocess.Popen(["sleep", "600"])
    guard.watch(left.pid)
    guard.remove(Path(sys.argv[1]))
    print(left.pid, flush=True)
    sys.stdin.read()
"""


def test_what_somebody_who_was_killed_had_started_is_ended_and_removed(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    directory.mkdir()
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTS, str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert starter.stdout is not None
    left = int(starter.stdout.readline())
    starter.kill()
    starter.communicate()
    wait_until(lambda: left not in running() and not directory.exists())


def test_whoever_is_through_by_themselves_has_nothing_ended() -> None:
    left = subprocess.Popen(["sleep", "600"])
    with warden() as guard:
        guard.watch(left.pid)
    assert left.poll() is None
    left.kill()
    left.wait()
