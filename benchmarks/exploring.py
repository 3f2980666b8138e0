"""The time to explore the scope `core` to its end: ours beside minicheck, musil and Spin, in one run.

The Python tools get the model's own transitions, and the same rules on the same edges; each measure is taken in a fresh
process, in turn, and the least CPU time of some rounds counts. None of them is a dependency of ours. To have them all:
Python 3.12 or newer, `pip install minicheck musil`, `apt-get install spin gcc`; or `make bench-exploring`.
"""

import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from typing import TypeVar

# A package beside this script: a folder with an __init__.py goes before a module of the same name.
from exploring import ours, with_spin
from exploring.transitions import SCOPE

ROUNDS = 3
OURS = "keepfact"
TOOLS = {OURS: "exploring.ours", "minicheck": "exploring.with_minicheck", "musil": "exploring.with_musil"}
WORK = {"walked": "every state, no rule", "judged": "every rule on every edge, repeats included"}

T = TypeVar("T")

Measured = tuple[int, float]
"""How many states were found, and the CPU seconds that it took."""


def main() -> None:
    """Print a table for each kind of work, then what a state costs as more are known."""
    print(f"scope {SCOPE.name}: {SCOPE.states} states, {SCOPE.edges} edges; Python {sys.version.split()[0]}")
    tools = [name for name in TOOLS if name == OURS or _is_at_hand(name)]
    found = {work: {name: _least(name, work) for name in tools} for work in WORK}
    for work, measures in found.items():
        print(f"\n{WORK[work]}")
        for name, measured in measures.items():
            _tell(name, measured, measures[OURS])
    _tell_spin(found["walked"][OURS], found["judged"][OURS])
    _tell_growth()


def _is_at_hand(name: str) -> bool:
    if find_spec(name) is not None:
        return True
    needs = " (which needs Python 3.12 or newer)" if name == "musil" else ""
    print(f"{name}: skipped, it is not installed here; pip install {name}{needs}")
    return False


def _least(name: str, work: str) -> Measured:
    """The least time of some rounds. Whoever finds another number of states has not explored the same."""
    runs = [_alone(_timed, TOOLS[name], work) for _ in range(ROUNDS)]
    if {states for states, _ in runs} != {SCOPE.states}:
        raise AssertionError(f"expected {name} to find {SCOPE.states} states in {SCOPE.name}, but it found {runs}")
    return SCOPE.states, min(seconds for _, seconds in runs)


def _timed(module: str, work: str) -> Measured:
    explore: Callable[[], int] = getattr(import_module(module), work)
    started = time.process_time()
    states = explore()
    return states, time.process_time() - started


def _alone(function: Callable[..., T], *args: str) -> T:
    """What the function gives in a process of its own, where nothing is known from the measures before."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *args).result()


def _tell(name: str, measured: Measured, base: Measured) -> None:
    states, seconds = measured
    print(f"  {name:12}{states:7} states {seconds:8.2f} s   {seconds / base[1]:6.2f} of the time of {OURS}")


def _tell_spin(walked: Measured, judged: Measured) -> None:
    print("\nSpin, in its own language: one assertion, no rules, no repeats, compiled")
    if not with_spin.is_at_hand():
        print("  spin: skipped, it is not installed here; apt-get install spin gcc")
        return
    states, seconds = with_spin.explored(ROUNDS)
    print(f"  {'spin':12}{states:7} states {seconds:8.3f} s   ", end="")
    print(f"{OURS} takes {walked[1] / seconds:.0f} times as long without rules, {judged[1] / seconds:.0f} with them")


def _tell_growth() -> None:
    print(
        f"\nwhat a state costs {OURS}, every rule included, as more are known: by tenths of the states, in microseconds"
    )
    tenths = _alone(ours.growth)
    print("  a state:         " + "".join(f"{tenth.micros / tenth.states:6.0f}" for tenth in tenths))
    print("  each cause tried:" + "".join(f"{tenth.micros / tenth.causes:6.0f}" for tenth in tenths))


if __name__ == "__main__":
    main()
