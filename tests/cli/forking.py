"""Forks commands off a process that has imported already what they need: each is a process of its own all the same.

One line of JSON for each on standard input, and one with its exit code on standard output.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    import keepfact.cli  # what takes most of a command's time
    from keepfact.__main__ import main as run
    from keepfact.conformance.forked import run_and_exit

    assert keepfact.cli
    for line in sys.stdin:
        asked = json.loads(line)
        pid = os.fork()
        if pid == 0:
            become(asked)
            run_and_exit(run)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def become(asked: dict[str, Any]) -> None:
    """As a shell starts a command: its own folder, environment, arguments and files."""
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = [asked["program"], *asked["arguments"]]
    sys.path[:0] = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    files = [(os.devnull, os.O_RDONLY), (asked["stdout"], os.O_WRONLY), (asked["stderr"], os.O_WRONLY)]
    for number, (path, flags) in enumerate(files):
        opened = os.open(path, flags)
        os.dup2(opened, number)
        os.close(opened)


if __name__ == "__main__":
    sys.path[0] = str(Path(sys.executable).parent)  # where the command stands, and not this file
    main()
