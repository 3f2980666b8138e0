"""The system of one pytest process, and what can be tried with it."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from keepfact.conformance import asking
from keepfact.conformance.asking import AdapterError
from keepfact.conformance.judge import Judge
from keepfact.conformance.lockstep import Search, search
from keepfact.conformance.profiles import EFFORTS, Effort, Profile
from keepfact.conformance.replay import write_replay
from keepfact.conformance.shorten import relabelled
from keepfact.conformance.story import in_full, tell
from keepfact.conformance.system import System, SystemUnavailableError, capabilities_of
from keepfact.conformance.systems import open_system
from keepfact.conformance.trial import Failure
from keepfact.model.paths import Walk
from keepfact.spec.vocabulary import Contract

TRIES = 10
"""So often a tour is made again while answers get lost on it. On a bad line one of these is heard to its end."""

_TOUR_ONLY = Effort(traces=0, steps=0)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options say. No `contracts` stands for all that the system declares. `process` names one of several."""

    system: str
    contracts: frozenset[Contract]
    profile: Profile
    seed: int
    replays: Path
    process: str

    @property
    def effort(self) -> Effort:
        return EFFORTS[self.profile]


@dataclass
class Bench:
    """One system, opened. After its adapter has failed once nothing more is tried: what it is in then, nobody knows."""

    wanted: Wanted
    system: System
    versions: dict[str, str]
    broken: AdapterError | None = None
    tried: int = field(default=0)

    def tour(self, walk: Walk) -> "Tried":
        """Take one walk; where answers get lost, again, about other runs."""
        for _ in range(TRIES):
            tried = self._try(_TOUR_ONLY, 0, (walk,))
            if tried.found.failures or not tried.unheard:
                break
        return tried

    def search(self, effort: Effort, seed: int) -> "Tried":
        """Search by chance, from this seed."""
        return self._try(effort, seed, ())

    def _try(self, effort: Effort, seed: int, walks: Sequence[Walk]) -> "Tried":
        if self.broken is not None:
            raise AdapterError(f"nothing was tried here, since the adapter has failed before: {self.broken}")
        self.tried += 1
        judge = Judge(self.system.contracts, capabilities=capabilities_of(self.system))
        name = f"{self.wanted.process}try-{self.tried}-"
        try:
            return Tried(search(self.system, judge, None, effort, seed, name=name, walks=walks), judge)
        except AdapterError as error:
            self.broken = error
            raise

    def close(self) -> None:
        """Close the system; that it cannot be closed is said, and changes nothing of what was found."""
        try:
            asking.close(self.system)
        except AdapterError as error:
            print(f"keepfact: {error}", file=sys.stderr)

    def told(self, failure: Failure, note: str) -> str:
        """The story of a failure, with the replay that was written of it; one that did not come again has none."""
        path = None
        if not note:
            self.wanted.replays.mkdir(parents=True, exist_ok=True)
            first, moves = failure.violations[0], relabelled(failure.moves, failure.trace, "replay")
            path = write_replay(
                self.wanted.replays, self.wanted.system, first.rule, first.expected, moves, is_one_of_many=True
            )
        stories = tell(failure.trace, failure.steps, failure.moves, failure.violations, str(path) if path else None)
        return "\n\n".join(map(in_full, stories)) + (f"\n{note}" if note else "")


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one try, and the judge who saw it and nothing else."""

    found: Search
    judge: Judge

    @property
    def unheard(self) -> int:
        """How many answers were lost, in a tour, where nobody withholds any."""
        return sum(outcomes.get("Lost", 0) for outcomes in self.found.outcomes.values())

    @property
    def done(self) -> int:
        """How many commands were done."""
        return sum(outcomes.get("Done", 0) for outcomes in self.found.outcomes.values())


def open_bench(wanted: Wanted) -> Bench:
    """Open the system. KeepfactError if that cannot be done, or if it does not declare a contract that is wanted."""
    system = open_system(wanted.system)
    try:
        if undeclared := wanted.contracts - system.contracts:
            raise SystemUnavailableError(
                f"expected {wanted.system} to declare the contract {', '.join(sorted(undeclared))}, as --contract "
                f"says, but it declares {', '.join(sorted(system.contracts))}. Leave --contract out, or declare it."
            )
        held = cast(System, _Held(system, wanted.contracts)) if wanted.contracts else system
        return Bench(wanted, held, asking.versions(system))
    except BaseException:
        asking.close(system)
        raise


class _Held:
    """A system that is held only to some of the contracts that it declares; in all else it is that system."""

    def __init__(self, system: System, contracts: frozenset[Contract]) -> None:
        self._system, self.contracts = system, contracts

    def __getattr__(self, name: str) -> Any:
        return getattr(self._system, name)
