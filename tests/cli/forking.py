"""Forks commands off a process that has imported already what they need: each is a process of its own all the same.

One line of JSON for each on standard input, and one with its exit code on standard output.
"""

import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn


def main() -> None:
    import keepfact.cli  # what takes most of a command's time
    from keepfact.__main__ import main as run

    assert keepfact.cli
    for line in sys.stdin:
        asked = json.loads(line)
        pid = os.fork()
        if pid == 0:
            become(asked)
            end(status_of(run))
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def status_of(run: Callable[[], object]) -> int:
    try:
        run()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def end(status: int) -> NoReturn:
    """Without taking everything apart: that would copy all that is shared with our parent, only to throw it away."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


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
