"""A process ends well only if it has said so: one that does nothing else watches the one that works.

An adapter runs in the process of the harness, and can end it with whatever exit code it likes: `os._exit(0)`, a library
in C that does the same, another program in its place. Nothing within that process can be relied on to notice.
"""

import os
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import NoReturn

from .stopping import SIGNALS
from .verdicts import ExitCode


def guarded() -> None:
    """From here on in a process of its own. The one before waits for it, and ends with the code that `say` was given.

    Without one it says so and ends with BROKEN, however the other ended. It passes on the signals to stop by; if it is
    killed, so is the other. No other thread may be running yet.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    hearing, saying = socket.socketpair()
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # what comes now is for the child, and must find it
    child = os.fork()
    if child:
        saying.close()
        _watch(child, hearing)
    hearing.close()
    _voice.take(saying)
    threading.Thread(target=_end_with_the_guardian, args=(saying,), name="keepfact-guarded", daemon=True).start()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def say(code: int) -> None:
    """Whatever becomes of this process from now on, this is how it ends. Nobody hears of it unless it is guarded."""
    _voice.say(code)


class _Voice:
    """That of the guarded process. One that was forked from it, by whomever, has none."""

    def __init__(self) -> None:
        self._heard_from = 0
        self._saying: socket.socket | None = None

    def take(self, saying: socket.socket) -> None:
        self._heard_from, self._saying = os.getpid(), saying

    def say(self, code: int) -> None:
        if self._saying is not None and self._heard_from == os.getpid():
            self._saying.send(bytes([code & 0xFF]))


_voice = _Voice()


def _watch(child: int, hearing: socket.socket) -> NoReturn:
    def pass_on(number: int, frame: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, number)

    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, pass_on)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    _, status = os.waitpid(child, 0)
    # Not by way of sys.exit: what libraries would do at the end has been done by the child, or is not to be done.
    os._exit(_code(hearing, os.waitstatus_to_exitcode(status)))


def _code(hearing: socket.socket, ended: int) -> int:
    """The last code that was said; else BROKEN, and why."""
    hearing.setblocking(False)  # others that were forked from the child may be there still
    with suppress(BlockingIOError):
        if said := hearing.recv(64):
            return said[-1]
    how = f"was killed by {signal.Signals(-ended).name}" if ended < 0 else f"ended with {ended}"
    message = (
        f"keepfact: expected a verdict, but the process that was to reach it {how} before: the adapter, or something "
        "below it, has ended it. There is no verdict. Have the adapter answer or raise; the last step in the evidence, "
        "if there is any, is the one before.\n"
    )
    os.write(2, message.encode())
    return ExitCode.BROKEN


def _end_with_the_guardian(saying: socket.socket) -> None:
    """It never says anything: it is there until it is gone."""
    saying.recv(1)
    os.kill(os.getpid(), signal.SIGKILL)
