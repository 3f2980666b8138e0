"""However the process that works comes to its end: only what it has said is how it ends."""

import subprocess
import sys

import pytest

from keepfact.conformance.verdicts import ExitCode

BEFORE = """
import os, signal, sys
from keepfact.conformance.guardian import guarded, say
guardian = os.getpid()
guarded()
"""


def started(body: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", BEFORE + body], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def ended(body: str) -> tuple[int, str]:
    """Its exit code, and what it warned of."""
    process = started(body)
    _, warned = process.communicate()
    return process.returncode, warned


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("say(0)", 0),
        ("say(3); os._exit(0)", 3),
        ("say(1); os.kill(os.getpid(), signal.SIGKILL)", 1),
        ("say(0); say(1)", 1),
        ("os.fork() or os._exit(say(0) or 0); os.wait(); say(1)", 1),
    ],
    ids=["well", "and ended otherwise", "and was killed", "the last counts", "another does not count"],
)
def test_it_ends_as_it_said(body: str, code: int) -> None:
    assert ended(body) == (code, "")


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("os._exit(0)", "ended with 0"),
        ("os._exit(1)", "ended with 1"),
        ("os.execv('/bin/true', ['true'])", "ended with 0"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "was killed by SIGKILL"),
        (
            "if not os.fork(): say(0); os.close(1); os.close(2); signal.alarm(5); signal.pause()\nos._exit(0)",
            "ended with 0",
        ),
    ],
    ids=["exit", "another exit", "another program", "killed", "a fork of it is there still"],
)
def test_without_a_word_nothing_ends_well(body: str, how: str) -> None:
    code, warned = ended(body)
    assert code == ExitCode.BROKEN
    assert warned.startswith(f"keepfact: expected a verdict, but the process that was to reach it {how} before")


HEARS = """
def hear(number, frame):
    say(42); os._exit(0)
signal.signal(signal.SIGTERM, hear)
print(os.getpid(), flush=True)
while True: signal.pause()
"""


def test_it_is_told_to_stop_and_may_say_how_it_ended() -> None:
    process = started(HEARS)
    assert process.stdout is not None
    process.stdout.readline()
    process.terminate()
    process.communicate()
    assert process.returncode == 42


def test_it_does_not_outlive_who_watches_it() -> None:
    process = started(HEARS)
    assert process.stdout is not None
    assert int(process.stdout.readline()) != process.pid
    process.kill()
    assert process.stdout.read() == ""  # at its end, since nobody holds it open any more
    process.communicate()
