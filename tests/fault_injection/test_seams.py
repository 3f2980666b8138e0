"""A worker stands still at its seams until it is let go."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from keepfact.fault_injection.processes import remove_group
from keepfact.fault_injection.seams import Seams
from keepfact.fault_injection.waiting import NotReachedError, wait_until

WORKER = """
import socket, sys
seams = socket.socket(socket.AF_UNIX)
seams.connect(sys.argv[1])
lines = seams.makefile("rw")
for name in sys.argv[2:]:
    lines.write(name + chr(10))
    lines.flush()
    assert lines.readline() == "go" + chr(10)
"""


@pytest.fixture
def seams(tmp_path: Path) -> Iterator[Seams]:
    with Seams(tmp_path / "seams") as seams:
        yield seams


def _worker(seams: Seams, *names: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-S", "-c", WORKER, str(seams.path), *names]
    return subprocess.Popen(command, process_group=0, stderr=subprocess.DEVNULL)


def test_a_worker_goes_from_seam_to_seam(seams: Seams) -> None:
    worker = _worker(seams, "claiming", "claimed")
    seams.accept(worker)
    assert seams.next() == "claiming"
    assert not seams.has_news()
    seams.go()
    assert seams.next() == "claimed"
    seams.go()
    assert seams.next() is None
    assert worker.wait() == 0


def test_a_worker_that_is_gone_is_noticed(seams: Seams) -> None:
    worker = _worker(seams, "claiming")
    seams.accept(worker)
    seams.next()
    remove_group(worker)
    wait_until(seams.has_news, "the death is noticed")
    assert seams.next() is None
    with pytest.raises(NotReachedError):
        seams.go()


def test_a_worker_that_never_comes_is_reported(seams: Seams) -> None:
    worker = subprocess.Popen(["true"], process_group=0)
    with pytest.raises(NotReachedError, match="ended before"):
        seams.accept(worker)
    worker.wait()
