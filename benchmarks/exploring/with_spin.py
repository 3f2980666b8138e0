"""The scope under Spin, from a version written by hand in its own language; its verifier is compiled beforehand."""

import re
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

MODEL = Path(__file__).parent / "core.pml"
SIZES = ("-m100000", "-w18")
"""The deepest path, and the hash table as a power of 2: ample, and small enough that clearing them takes no time."""


def is_at_hand() -> bool:
    """Whether Spin, and the compiler that its verifiers need, are installed."""
    return all(shutil.which(program) for program in ("spin", "gcc"))


def explored(rounds: int) -> tuple[int, float]:
    """The number of states, and the least CPU seconds of that many runs of the compiled verifier."""
    with tempfile.TemporaryDirectory() as directory:
        _run(directory, "spin", "-o2", "-a", str(MODEL))
        _run(directory, "gcc", "-O2", "-w", "-DSAFETY", "-o", "pan", "pan.c")
        runs = [_measured(directory) for _ in range(rounds)]
    return runs[0][0], min(seconds for _, seconds in runs)


def _measured(directory: str) -> tuple[int, float]:
    before = _seconds_of_children()
    said = _run(directory, "./pan", *SIZES)
    seconds = _seconds_of_children() - before
    stored = re.search(r"(\d+) states, stored", said)
    if stored is None or "errors: 0" not in said:
        raise AssertionError(f"expected the verifier to end without an error, but it said: {said}")
    return int(stored[1]), seconds


def _run(directory: str, *words: str) -> str:
    return subprocess.run(words, cwd=directory, check=True, capture_output=True, text=True).stdout


def _seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
