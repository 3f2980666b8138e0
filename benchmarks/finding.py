"""How many steps it takes to find a defect: our search beside a plain Hypothesis machine, on the same systems.

    python benchmarks/finding.py [--every 6] [--seeds 3] [--steps 10000] [--whole] [--postgres 0]

The systems are the model with one of its defects each; every sixth of them is taken, or as many as are asked for, and
with `--postgres 4` also four of those in our SQL. Both searches have the same commands, the same judge and the same
seeds; a defect that one has not found after so many steps counts as more than that, and is said. By default a system
offers only what its defect needs, which is kind to the plain machine: with `--whole` it offers everything. Defects that
show only to strangers are left out, since the plain machine knows the usual sessions only; the control is the model
without a defect, in which neither may find anything.

Seen, of 17 defects with one seed and at most 5,000 steps: ours 52 steps to the median defect and 1 not found, plain
4,873 and 8 not found, a ratio of 94; of 4 in our SQL ours 23 to 546, plain found 1 within 2,000. Before the tours went
first to what shows the most new things for their steps the ratio was 2.1: the whole spine came before anything else.

Hypothesis' `target` was tried in the search that follows the tours, on the reference, in 400 traces of 30 steps with
three seeds. Classes of edges that no tour had taken, for 1,000 steps: 19, 22 and 22 without it; 20 and 17 with the
number of new classes of a trace as its target (the third time Hypothesis gave up early: what is new depends on what
came before); 13, 13 and 11 with the number of different classes; 16, 13 and 18 with those that no tour takes. It
makes traces more alike, so it was not added.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from statistics import median

# A package beside this script.
from searching.counting import CountingJudge, Mutant
from searching.plain import search_plainly

from keepfact.conformance.lockstep import search
from keepfact.conformance.profiles import Effort
from keepfact.conformance.system import System, capabilities_of
from keepfact.conformance.systems.reference import Reference
from keepfact.model.defects import DEFECTS, Defect
from keepfact.model.scopes import SCOPES
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Capability

SEARCHES = ("ours", "plain")
CONTROL_STEPS = 3_000

Steps = int | None
"""Until something was wrong; None if that was not seen."""


def main() -> None:
    """Print a line for each defect, then the medians."""
    asked = _arguments()
    for name in SEARCHES:
        control = _steps(name, Reference(), CONTROL_STEPS, 1)
        print(f"the control, {name}: {'nothing in it' if control is None else f'WRONG after {control} steps'}")
    found: dict[str, list[Steps]] = {name: [] for name in SEARCHES}
    for title, opened in _systems(asked):
        told = []
        for name in SEARCHES:
            steps = [_of(name, opened, asked.steps, seed) for seed in range(1, asked.seeds + 1)]
            found[name] += steps
            told.append(f"{name} {_told(_median(steps, asked.steps), asked.steps):>8}")
        print(f"  {title:55}{'  '.join(told)}", flush=True)
    _conclude(found, asked.steps)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=6, help="of the model's defects each so-manieth")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=10_000, help="after so many the plain machine gives up, and ours")
    parser.add_argument("--whole", action="store_true", help="systems offer all that there is")
    parser.add_argument("--postgres", type=int, default=0, help="so many defects in our SQL besides")
    return parser.parse_args()


def _systems(asked: argparse.Namespace) -> Iterator[tuple[str, Callable[[], System]]]:
    for defect in list(filter(_can_show, DEFECTS.values()))[:: asked.every]:
        yield defect.name, lambda defect=defect: _mutant(defect, whole=asked.whole)  # type: ignore[misc] # bound now
    if asked.postgres:
        # Loaded only when it is wanted: a server is started.
        from keepfact.conformance.systems.defective import MUTATIONS, open_defective

        chosen = [one.name for one in MUTATIONS.values() if not one.shows_in_meetings]
        for name in islice(chosen[:: len(chosen) // asked.postgres], asked.postgres):
            yield f"defective:{name}", lambda name=name: open_defective(name)  # type: ignore[misc] # bound now


def _can_show(defect: Defect) -> bool:
    """Some rule can see it without servers outside, and neither a stranger nor a lookup is needed."""
    is_driven = _needs(defect).isdisjoint({Capability.SESSIONS, Capability.LOOKUP})
    return is_driven and not all(BOOK.rule(rule).needs_world for rule in defect.predicted)


def _needs(defect: Defect) -> frozenset[Capability]:
    return defect.needs.union(*(BOOK.rule(rule).needs for rule in defect.predicted))


def _mutant(defect: Defect, *, whole: bool) -> System:
    mutant = Mutant(defect)
    if not whole:
        enough = [scope.needs for scope in SCOPES if _needs(defect) <= scope.needs]
        mutant.capabilities = frozenset(min(enough, key=len, default=_needs(defect)))
    return mutant


def _of(name: str, opened: Callable[[], System], steps_max: int, seed: int) -> Steps:
    with closing(opened()) as system:
        return _steps(name, system, steps_max, seed)


def _steps(name: str, system: System, steps_max: int, seed: int) -> Steps:
    judge = CountingJudge(system.contracts, capabilities=capabilities_of(system))
    if name == "plain":
        search_plainly(system, judge, steps_max, seed)
    else:
        search(system, judge, None, Effort(traces=steps_max // 30, steps=30, tours_in_brief=True), seed, shortens=False)
    return judge.first if judge.first is not None and judge.first <= steps_max else None


def _median(steps: Sequence[Steps], steps_max: int) -> float:
    return median(steps_max + 1 if made is None else made for made in steps)


def _told(steps: float, steps_max: int) -> str:
    return f"> {steps_max}" if steps > steps_max else f"{steps:.0f}"


def _conclude(found: dict[str, list[Steps]], steps_max: int) -> None:
    for name, steps in found.items():
        lost = sum(made is None for made in steps)
        middle = _told(_median(steps, steps_max), steps_max)
        print(f"{name:6} median {middle} steps; not found within {steps_max}: {lost} of {len(steps)}")
    ours, plain = (_median(found[name], steps_max) for name in SEARCHES)
    print(f"ratio of the medians: {'at least ' if plain > steps_max else ''}{plain / ours:.1f}")


if __name__ == "__main__":
    main()
