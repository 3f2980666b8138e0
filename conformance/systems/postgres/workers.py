"""Worker processes that start in a moment: they are forked from one that has already imported all that a worker needs.

A sweep starts a worker for every seam, and importing the libraries takes a new process many times longer than its
work. So a nursery, started once, forks them. Each is a process of its own, a child of ours and no other's: Linux lets a
process have a child that is its sibling. Whoever waits for it, kills it or looks it up in /proc sees no difference.
"""

import ctypes
import json
import os
import platform
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.system import Process

_CLONE = {"x86_64": 56, "aarch64": 220}.get(platform.machine())
"""The number of the system call; elsewhere every worker is started anew."""

_CLONE_PARENT = 0x8000


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
    """Starts workers of the implementation; itself started with the first."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, arguments: Sequence[str], environment: Mapping[str, str]) -> Process:
        """A worker with these arguments, in a session and so in a process group of its own."""
        if _CLONE is None:
            return subprocess.Popen(
                [sys.executable, "-P", "-m", "keepfact.impl.worker", *arguments],
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        wanted = {"arguments": list(arguments), "environment": dict(environment)}
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


def main() -> None:
    """Fork a worker for every line of the input, until it ends; in each of them, be that worker."""
    from keepfact.impl import worker

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for those who use us
    for line in sys.stdin.buffer:
        if _fork_sibling() == 0:
            _become(**json.loads(line))
            worker.main()
            return


def _fork_sibling() -> int:
    """As os.fork, but the child is one of our parent's. There is no other thread here that could hold a lock."""
    libc = ctypes.CDLL(None, use_errno=True)
    pid = int(libc.syscall(_CLONE, _CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0))
    if pid < 0:
        raise OSError(ctypes.get_errno(), "clone")
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
    return pid


def _become(arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Be like a process that was started with these; its number is told once it is."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[1:] = arguments
    os.write(sys.stdout.fileno(), f"{os.getpid()}\n".encode())
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, sys.stdin.fileno())
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


if __name__ == "__main__":
    main()
