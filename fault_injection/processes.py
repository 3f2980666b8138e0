"""Processes that die by SIGKILL, with proof that they were alive until then. Linux: reads /proc."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import IO

from keepfact.conformance.abilities import Process

from .waiting import PATIENCE_SECONDS, NotReachedError, wait_until


@dataclass(frozen=True, slots=True)
class Death:
    """How a process died: the state it was in just before the kill, and what waitpid said after it."""

    pid: int
    state: str
    signal: int

    @property
    def proof(self) -> str:
        return (
            f"process {self.pid} was alive (state {self.state}, not reaped) just before SIGKILL; "
            f"waitpid says it died by signal {self.signal}"
        )


def is_alive(process: Process) -> bool:
    """The process has not ended. Reaps nothing, so that the exit status stays there to be asked for."""
    return process.returncode is None and os.waitid(os.P_PID, process.pid, _ENDED_ALREADY) is None


@contextmanager
def ended(process: Process) -> Iterator[IO[bytes]]:
    """A file that can be read as soon as the process has ended."""
    with os.fdopen(os.pidfd_open(process.pid), "rb", buffering=0) as file:
        yield file


def kill_group(process: Process) -> Death:
    """SIGKILL the process and all that it started, and reap it. Raises NotReachedError unless it died of just that."""
    if not is_alive(process):
        raise NotReachedError(f"expected process {process.pid} to be alive for its kill, but it had ended by itself.")
    if os.getpgid(process.pid) != process.pid:
        raise NotReachedError(
            f"expected process {process.pid} to lead a process group of its own, but it is in group "
            f"{os.getpgid(process.pid)}. Start workers with process_group=0."
        )
    state = _state_of(process.pid)
    os.killpg(process.pid, signal.SIGKILL)
    status = process.wait(PATIENCE_SECONDS)
    if state in _DEAD or status != -signal.SIGKILL:
        raise NotReachedError(
            f"expected process {process.pid} (state {state}) to die by signal 9, but its status is {status}."
        )
    wait_until(lambda: not members_of(process.pid), f"all of process group {process.pid} is gone")
    return Death(process.pid, state, -status)


def stop_group(process: Process) -> str:
    """SIGSTOP the process and all that it started; the proof. Raises NotReachedError if it has ended."""
    if not is_alive(process):
        raise NotReachedError(f"expected process {process.pid} to be alive to be stopped, but it had ended by itself.")
    os.killpg(process.pid, signal.SIGSTOP)
    wait_until(lambda: _state_of(process.pid) == "T", f"process {process.pid} is stopped")
    return f"process {process.pid} was stopped (state T)"


def continue_group(process: Process) -> str:
    """SIGCONT what was stopped; the proof that it had not died meanwhile."""
    state = _state_of(process.pid)
    if state != "T":
        raise NotReachedError(f"expected process {process.pid} to be stopped still, but it is in state {state}.")
    os.killpg(process.pid, signal.SIGCONT)
    return f"it was stopped still when it was continued (state {state})"


def remove_group(process: Process) -> int:
    """Leave nothing behind of a process and what it started, whether it still runs or not. Its exit status."""
    if process.returncode is None:  # not reaped, so its number is still its own
        if os.getpgid(process.pid) == process.pid:
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
    status = process.wait(PATIENCE_SECONDS)
    if isinstance(process, Popen):
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
    return status


def members_of(group: int) -> frozenset[int]:
    """The processes of a group that are still running."""
    return frozenset(pid for pid in _pids() if _is_running_member(pid, group))


_ENDED_ALREADY = os.WEXITED | os.WNOHANG | os.WNOWAIT
_DEAD = frozenset("ZX")


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _is_running_member(pid: int, group: int) -> bool:
    try:
        return _stat_of(pid)[2] == str(group) and _state_of(pid) not in _DEAD
    except (FileNotFoundError, ProcessLookupError):
        return False


def _state_of(pid: int) -> str:
    return _stat_of(pid)[0]


def _stat_of(pid: int) -> list[str]:
    """State, parent, group … of a process; its name before them may hold spaces and brackets."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
