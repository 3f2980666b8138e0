"""Runs a module as `python -m` would, for as long as whoever started it lives: it ends when its standard input does.

`python -m keepfact.conformance.leash MODULE`. So nothing is left behind, also when the harness is killed.
"""

import os
import runpy
import sys
import threading


def main() -> None:
    """Run the module that the first argument names."""
    threading.Thread(target=_end_with_input, daemon=True).start()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def _end_with_input() -> None:
    while os.read(0, 1024):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
