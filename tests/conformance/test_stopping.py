"""Being asked to stop is heard once and never lost, and what is being cleaned up is cleaned up."""

import signal
import subprocess
import sys

import pytest

HEARD, SECONDS_MAX = 42, 60
BEFORE = f"""
import gc, os, signal, sys, time
from keepfact.conformance.stopping import Interrupted, Listener, undisturbed
listener = Listener()
listener.listen()
def is_asked(number=signal.SIGTERM):
    os.kill(os.getpid(), number)
try:
{{body}}
    for _ in range({SECONDS_MAX * 100}):
        time.sleep(0.01)
    print("it was lost")
except Interrupted:
    listener.heard()
    assert listener.was_asked
    sys.exit({HEARD})
"""


def run(body: str, **options: object) -> "subprocess.CompletedProcess[str]":
    script = BEFORE.format(body="\n".join(f"    {line}" for line in body.strip().splitlines()))
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, **options)  # type: ignore[call-overload, no-any-return] # options of run


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_each_way_of_asking_is_heard(number: str) -> None:
    done = run(f"is_asked(signal.{number})")
    assert (done.returncode, done.stdout, done.stderr) == (HEARD, "", "")


SWALLOWED_BY_A_COLLECTION = """
def collecting(phase, info):
    gc.callbacks.remove(collecting)
    is_asked()
    time.sleep(0)
gc.callbacks.append(collecting)
gc.collect()
"""
SWALLOWED_BY_A_DESTRUCTOR = """
class Dying:
    def __del__(self):
        is_asked()
        time.sleep(0)
Dying()
"""
SWALLOWED_BY_ANOTHER_ERROR = """
try:
    try:
        is_asked()
        time.sleep(5)
    finally:
        raise KeyError
except KeyError:
    pass
"""
SWALLOWED_BY_AN_ADAPTER = """
from keepfact.conformance.patience import patiently
with patiently("work", 60):
    try:
        is_asked()
        time.sleep(5)
    except BaseException:
        pass
"""


@pytest.mark.parametrize(
    "body",
    [SWALLOWED_BY_A_COLLECTION, SWALLOWED_BY_A_DESTRUCTOR, SWALLOWED_BY_ANOTHER_ERROR, SWALLOWED_BY_AN_ADAPTER],
    ids=["gc", "del", "error", "adapter"],
)
def test_where_it_gets_lost_it_comes_again(body: str) -> None:
    done = run(body)
    assert (done.returncode, done.stdout, done.stderr) == (HEARD, "", "")


def test_cleaning_up_is_not_interrupted_however_long_it_takes_and_whatever_goes_wrong_in_it() -> None:
    """Longer than it takes to be asked again, and with errors of its own that are handled there."""
    done = run(
        """
try:
    is_asked()
    time.sleep(5)
finally:
    for _ in range(10):
        try:
            raise LookupError
        except LookupError:
            time.sleep(0.1)
            is_asked(signal.SIGINT)
    time.sleep(0.5)
    print("cleaned up")
"""
    )
    assert (done.returncode, done.stdout, done.stderr) == (HEARD, "cleaned up\n", "")


def test_what_must_not_be_left_half_done_is_done_first() -> None:
    done = run(
        """
with undisturbed():
    with undisturbed():
        is_asked()
    time.sleep(0.6)
    print("done")
"""
    )
    assert (done.returncode, done.stdout, done.stderr) == (HEARD, "done\n", "")


def test_what_was_to_be_ignored_stays_ignored() -> None:
    done = run(
        "is_asked(signal.SIGHUP); print('still here'); is_asked()",
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    assert (done.returncode, done.stdout) == (HEARD, "still here\n")


def test_other_errors_that_nobody_can_raise_are_told_as_ever() -> None:
    done = run(
        """
class Dying:
    def __del__(self):
        raise KeyError("told")
Dying()
is_asked()
"""
    )
    assert done.returncode == HEARD
    assert "KeyError: 'told'" in done.stderr
