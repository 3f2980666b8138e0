"""What lasts too long is interrupted, whatever it does about that; what does not is left alone."""

import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.patience import VARIABLE, TookTooLong, patience_seconds, patiently
from keepfact.conformance.systems.http import SECONDS_NAME, OverHttp

HANG_SECONDS = 60


def test_what_is_quick_enough_is_left_alone_and_no_timer_stays() -> None:
    with patiently("be quick", HANG_SECONDS):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_what_hangs_is_interrupted() -> None:
    with pytest.raises(TookTooLong), patiently("hang", 0.05):
        time.sleep(HANG_SECONDS)


def test_a_lock_that_nobody_releases_is_interrupted() -> None:
    lock = threading.Lock()
    lock.acquire()
    with pytest.raises(TookTooLong), patiently("hang", 0.05):
        lock.acquire()


def test_who_swallows_the_interruption_is_told_afterwards() -> None:
    with pytest.raises(TookTooLong), patiently("hang", 0.05), suppress(BaseException):
        time.sleep(HANG_SECONDS)


def test_a_timer_of_somebody_else_is_left_alone() -> None:
    def ring(number: int, frame: object) -> None:
        """Nothing."""

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, HANG_SECONDS)
    try:
        with patiently("be quick", 0.05):
            assert signal.getsignal(signal.SIGALRM) is ring
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


@pytest.mark.parametrize("said", ["soon", "0", "-1", "nan", "inf", "1e9"])
@pytest.mark.parametrize(("variable", "read"), [
    (VARIABLE, patience_seconds), (SECONDS_NAME, lambda: OverHttp("http://127.0.0.1:1")),
])  # fmt: skip
def test_patience_that_is_none_is_told(
    monkeypatch: pytest.MonkeyPatch, variable: str, read: Callable[[], object], said: str
) -> None:
    monkeypatch.setenv(variable, said)
    with pytest.raises(
        KeepfactError, match=rf"{variable} to be .* seconds above 0 and below 86400, but it is {said!r}"
    ):
        read()
