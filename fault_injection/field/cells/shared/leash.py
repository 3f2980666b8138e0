"""Runs a script for as long as whoever started it lives: `python leash.py SCRIPT`.

It ends when its standard input does, with all that it has started in its process group, so that nothing is left behind
when the kit is killed.
"""

import os
import runpy
import signal
import sys
import threading


def _end_with_input(held):
    while os.read(held, 1024):
        pass
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    held = os.dup(0)
    os.set_inheritable(held, False)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # what is started from here must not read from the kit
    threading.Thread(target=_end_with_input, args=(held,), daemon=True).start()
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")
