"""Being asked to stop, by Ctrl-C, SIGTERM or a closed terminal: heard once, wherever it comes, and never lost."""

import signal
import sys
from types import FrameType

SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
_AGAIN_SECONDS = 0.01


class Interrupted(BaseException):
    """Somebody wants us to stop. What was started is stopped on its way up."""


class Listener:
    """Turns the first signal into Interrupted, raised in the main thread; later ones are ignored."""

    def __init__(self) -> None:
        self.was_asked = False

    def listen(self) -> None:
        """From now on. What whoever started us has set to be ignored, as nohup does, stays ignored."""
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._interrupt)
        sys.unraisablehook = self._raise_again

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self.was_asked = True
        for other in (*SIGNALS, signal.SIGALRM):
            signal.signal(other, signal.SIG_IGN)
        raise Interrupted

    def _raise_again(self, unraisable: "sys.UnraisableHookArgs") -> None:
        """In a destructor, or while garbage is collected, nothing can be raised: it is swallowed, and comes later."""
        if isinstance(unraisable.exc_value, Interrupted):
            signal.signal(signal.SIGALRM, self._interrupt)
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS)
        else:
            sys.__unraisablehook__(unraisable)
