"""A process that ends what somebody has started, in case they are killed before they could do so themselves."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

REMOVALS_MAX = 50


@dataclass(frozen=True)
class Warden:
    """The process, told by lines; its input ends when whoever started it does."""

    process: "subprocess.Popen[str]"

    def watch(self, pid: int) -> None:
        """End this process with all its children."""
        self._tell(f"process {pid}")

    def remove(self, directory: Path) -> None:
        """Remove it with all that is in it, once the processes have ended."""
        self._tell(f"directory {directory}")

    def _tell(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()


@contextmanager
def warden() -> Iterator[Warden]:
    """One for as long as the context lasts; when that is left, everything is in order, and the warden does nothing."""
    started = Warden(
        subprocess.Popen([sys.executable, "-P", __file__], stdin=subprocess.PIPE, text=True, start_new_session=True)
    )
    try:
        yield started
    finally:
        started.process.communicate("done\n")


def children_of(parent: int) -> list[int]:
    """The processes that it has started."""
    return [int(pid) for pid, of, _, _ in _processes() if int(of) == parent]


def running() -> dict[int, str]:
    """When each process was started that still could do something; one that is only to be taken note of could not."""
    return {int(pid): since for pid, _, state, since in _processes() if not state.startswith("Z")}


def _processes() -> list[list[str]]:
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,stat=,lstart="], capture_output=True, text=True, check=True
    ).stdout
    return [line.split(maxsplit=3) for line in listed.splitlines()]


def main() -> None:
    """Listen. A process is known by its id and by when it was started, since ids are used again."""
    watched: dict[int, str] = {}
    directories: list[str] = []
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "done":
            return
        if word == "process":
            watched[int(rest)] = running().get(int(rest), "")
        else:
            directories.append(rest)
    for pid, since in watched.items():
        if running().get(pid) == since:
            for one in (*children_of(pid), pid):
                with suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)
    for directory in directories:
        _remove(directory)


def _remove(directory: str) -> None:
    """Something may still be written while it is removed."""
    for _ in range(REMOVALS_MAX):
        shutil.rmtree(directory, ignore_errors=True)
        if not Path(directory).exists():
            return
        time.sleep(0.1)


if __name__ == "__main__":
    main()
