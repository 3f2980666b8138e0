"""The end of a forked process whose whole program is one function: as a process of its own ends, and cheaper."""

import logging
import os
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn


def run_and_exit(main: Callable[[], object]) -> NoReturn:
    """Run it, and end with the status that Python would end with.

    Nothing is taken apart: that would copy all that is shared with our parent, only to throw it away. So what was
    registered with atexit is not called.
    """
    status = _status_of(main)
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _status_of(main: Callable[[], object]) -> int:
    try:
        main()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0
