"""The world is a process of its own that never outlives whoever started it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from keepfact.fault_injection.processes import members_of
from keepfact.fault_injection.waiting import NotReachedError, wait_until
from keepfact.fault_injection.world.client import World

OPENS_A_WORLD = """
from keepfact.fault_injection.world.client import World
import sys
with World() as world:
    print(world.pid, flush=True)
    sys.stdin.read()
"""


def test_a_closed_world_leaves_no_process_and_no_descriptor() -> None:
    descriptors = os.listdir("/proc/self/fd")
    with World() as world:
        assert members_of(world.pid) == {world.pid}
    assert not members_of(world.pid)
    assert os.listdir("/proc/self/fd") == descriptors


def test_the_world_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OPENS_A_WORLD]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}  # a killed parent cannot clear up after itself
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        world = int(parent.stdout.readline())
        assert members_of(world) == {world}
        parent.send_signal(signal.SIGKILL)
    wait_until(lambda: not members_of(world), "the orphaned world has ended")


def test_a_world_that_cannot_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(NotReachedError, match="FileNotFoundError"):
        World(tmp_path / "missing" / "ledger")


def test_the_ledger_stays_where_it_was_asked_for(tmp_path: Path) -> None:
    with World(tmp_path / "ledger"):
        pass
    assert (tmp_path / "ledger").exists()
