"""Being asked to stop, by Ctrl-C, SIGTERM or a closed terminal: heard once, wherever it comes, and never lost."""

import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
_AGAIN_SECONDS = 0.25


class Interrupted(BaseException):
    """Somebody wants us to stop. What was started is stopped on its way up."""


_undisturbed = [0]


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hear of it only after this: what is started in here would otherwise be lost sight of, and go on alone."""
    _undisturbed[0] += 1
    try:
        yield
    finally:
        _undisturbed[0] -= 1


class Listener:
    """Turns the first signal into Interrupted, raised in the main thread; later ones are ignored.

    An exception can get lost: where garbage is collected, in a destructor, or when another one is raised on its way,
    as Hypothesis does. Then it is raised again, until `heard` is called; but never while it is cleaned up after, and
    never in what is `undisturbed`.
    """

    def __init__(self) -> None:
        self.was_asked = False

    def listen(self) -> None:
        """From now on. What whoever started us has set to be ignored, as nohup does, stays ignored."""
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._interrupt)
        sys.unraisablehook = _tell_unless_interrupted

    def heard(self) -> None:
        """It has come to where it should: say no more."""
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self.was_asked = True
        logging.disable()  # whatever libraries have to say now is about being interrupted
        for other in SIGNALS:
            signal.signal(other, signal.SIG_IGN)
        signal.signal(signal.SIGALRM, self._interrupt_again)
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS, _AGAIN_SECONDS)
        if not _undisturbed[0]:
            raise Interrupted

    def _interrupt_again(self, number: int, frame: FrameType | None) -> None:
        if _undisturbed[0]:
            return
        handled = sys.exception()
        while handled is not None:
            if isinstance(handled, Interrupted):
                return
            handled = handled.__context__
        raise Interrupted


def _tell_unless_interrupted(unraisable: "sys.UnraisableHookArgs") -> None:
    if not isinstance(unraisable.exc_value, Interrupted):
        sys.__unraisablehook__(unraisable)
