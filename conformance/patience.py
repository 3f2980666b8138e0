"""How long an adapter may take for one thing that it is asked: a system that hangs must not hang us.

In the main thread a timer interrupts it, as Ctrl-C would. What cannot be interrupted, since it waits somewhere in C, is
ended together with this process: then nobody else can say any more what happened.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from . import guardian
from .errors import KeepfactError
from .verdicts import ExitCode

VARIABLE = "KEEPFACT_PATIENCE_SECONDS"
_SECONDS = 60.0
_DAY_SECONDS = 86_400
_GRACE_SECONDS = 5.0
"""After the interruption, before the process is ended."""


class TookTooLong(BaseException):  # it is an interruption, and adapters that catch every error must not
    """Raised within the adapter."""


def patience_seconds() -> float:
    """As the environment says it. KeepfactError if what it says is no number that fits."""
    return seconds_said(VARIABLE, _SECONDS)


def seconds_said(variable: str, otherwise: float) -> float:
    """As the environment says under this name, if it does. KeepfactError if that is no number, or none of a day."""
    said = os.environ.get(variable, "")
    try:
        seconds = float(said or otherwise)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < _DAY_SECONDS:
        raise KeepfactError(
            f"expected {variable} to be a number of seconds above 0 and below {_DAY_SECONDS}, but it is {said!r}. "
            "Correct it."
        )
    return seconds


@contextmanager
def patiently(what: str, seconds: float) -> Iterator[None]:
    """TookTooLong, in here, when it lasts longer; also afterwards, if what was asked has swallowed it.

    Where somebody else has set a timer, or outside the main thread, nothing interrupts but them.
    """
    is_ours = threading.current_thread() is threading.main_thread() and _is_free()
    if not is_ours:
        yield
        return
    interrupted = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        raise TookTooLong

    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    _watch.begin(what, seconds + _GRACE_SECONDS)
    try:
        yield
    finally:
        _watch.end()
        if signal.getsignal(signal.SIGALRM) is interrupt:  # else somebody has asked us to stop, and says so again
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
    if interrupted:
        raise TookTooLong


def _is_free() -> bool:
    return signal.getsignal(signal.SIGALRM) is signal.SIG_DFL and signal.getitimer(signal.ITIMER_REAL)[0] == 0


@dataclass
class _Watch:
    """Looks now and then whether the main thread is stuck, from a thread of its own."""

    until: float | None = None
    what: str = ""
    _thread: threading.Thread | None = field(default=None)

    def begin(self, what: str, seconds: float) -> None:
        self.what, self.until = what, time.monotonic() + seconds
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._look, name="keepfact-patience", daemon=True)
            self._thread.start()

    def end(self) -> None:
        self.until = None

    def _look(self) -> None:
        while True:
            time.sleep(1)
            until = self.until
            if until is not None and time.monotonic() > until:
                said = f"keepfact: expected the adapter to {self.what}, but it hangs and cannot be interrupted."
                os.write(sys.stderr.fileno() if sys.stderr else 2, f"{said} There is no verdict.\n".encode())
                guardian.say(ExitCode.BROKEN)
                os._exit(ExitCode.BROKEN)


_watch = _Watch()
