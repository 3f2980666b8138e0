"""The process that workers and recoveries are forked from.

Nothing imports it, since Python warns where a module that runs has been imported before.
"""

import ctypes
import gc
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence

import httpcore  # noqa: F401  httpx imports it with its first client, which would be in each of them

from keepfact.conformance.forked import run_and_exit
from keepfact.impl import recovery, worker
from keepfact.impl.outside.wire import trusted

from . import clocks
from .workers import CLONE, Kind

_CLONE_PARENT = 0x8000
_MAINS = {Kind.WORKER: worker.main, Kind.RECOVERY: recovery.main}


def main() -> None:
    """Fork one for every line of the input, until it ends; in each of them, be what was asked for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for those who use us
    trusted()  # read once for all of them
    gc.freeze()  # what is here already is shared with them as long as nobody looks at whether it is in use
    for line in sys.stdin.buffer:
        if _fork_sibling() == 0:
            wanted = json.loads(line)
            _become(wanted["arguments"], wanted["environment"])
            run_and_exit(_MAINS[Kind(wanted["kind"])])


def _fork_sibling() -> int:
    """As os.fork, but the child is one of our parent's. There is no other thread here that could hold a lock."""
    libc = ctypes.CDLL(None, use_errno=True)
    pid = int(libc.syscall(CLONE, _CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0))
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
    clocks.serve_if_asked(environment)
    os.write(sys.stdout.fileno(), f"{os.getpid()}\n".encode())
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, sys.stdin.fileno())
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


if __name__ == "__main__":
    main()
