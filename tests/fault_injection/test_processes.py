"""A kill is proven: the process was alive, and died of just that."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from keepfact.fault_injection.processes import is_alive, kill_group, members_of, remove_group
from keepfact.fault_injection.waiting import NotReachedError, wait_until


@contextmanager
def _process(*command: str, own_group: bool = True) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, process_group=0 if own_group else None, stdout=subprocess.PIPE)
    try:
        yield process
    finally:
        remove_group(process)


def test_a_living_process_dies_by_signal_9() -> None:
    with _process("sleep", "60") as process:
        assert is_alive(process)
        death = kill_group(process)
        assert (death.pid, death.signal) == (process.pid, signal.SIGKILL)
        assert death.state in {"S", "R", "D"}
        assert not is_alive(process)


def test_a_stopped_process_can_be_killed() -> None:
    with _process("sleep", "60") as process:
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        assert kill_group(process).state == "T"


def test_a_process_that_had_ended_is_no_delivery() -> None:
    with _process("true") as process:
        wait_until(lambda: not is_alive(process), "the process has ended")
        with pytest.raises(NotReachedError, match="ended by itself"):
            kill_group(process)
        assert process.wait() == 0


def test_children_die_with_their_parent() -> None:
    with _process("sh", "-c", "sleep 60 & echo started; wait") as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert len(members_of(process.pid)) == 2
        kill_group(process)
        assert not members_of(process.pid)


def test_a_process_in_our_own_group_is_not_killed_by_group() -> None:
    with _process("sleep", "60", own_group=False) as process:
        with pytest.raises(NotReachedError, match="process group of its own"):
            kill_group(process)
        assert is_alive(process)


def test_children_that_outlived_their_parent_are_removed_with_it() -> None:
    with _process("sh", "-c", "sleep 60 & exit 7") as process:
        wait_until(lambda: not is_alive(process), "the parent has ended")
        assert len(members_of(process.pid)) == 1
        remove_group(process)
        wait_until(lambda: not members_of(process.pid), "the child is gone")
        assert process.returncode == 7
