"""What is at hand when the next step is chosen: the runs of a trial as they likely are, names, fences, time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from keepfact.conformance.system import System, capabilities_of
from keepfact.conformance.trial import Trial
from keepfact.model.state import Call, Run, State
from keepfact.spec.vocabulary import (
    FIRST_BUNDLE,
    Asking,
    BundleId,
    Capability,
    Command,
    CommandId,
    Contract,
    Fence,
    RunId,
    Tick,
    WorkerId,
)

Draw = Callable[[Sequence[Any]], Any]
"""Draws one of the options; the first is the simplest."""

RUNS_MAX = 3
BORN_MAX = 6
"""So many runs are submitted, and so many there are with those that are spawned by others or continue them."""

STALE_BUNDLE = BundleId("bundle-0")


class Hand:
    """What a trial offers to choose from. `at` is the run that is looked at; `offered` is what is tried in this trial.

    Every run ever asked about and every command ever sent stay at hand.
    """

    def __init__(self, trial: Trial, system: System) -> None:
        self.trial = trial
        self.lease_seconds = system.lease_seconds
        self.contracts = [contract for contract in Contract if contract in system.contracts]
        self.offered = capabilities_of(system)
        self.runs: list[RunId] = []
        self.at = RunId("")
        self.sent: list[Command | Asking] = []
        self._ids = count(1)

    @property
    def state(self) -> State:
        """All runs, and what is kept beside them, as they likely are."""
        return self.trial.likely()

    @property
    def run(self) -> Run | None:
        """The run that is looked at, if it was admitted."""
        return self.trial.run(self.at)

    @property
    def calls(self) -> list[Call]:
        """The calls of that run."""
        return list(self.run.calls) if self.run else []

    def offers(self, *capabilities: Capability) -> bool:
        """Whether all of these are tried here."""
        return self.offered.issuperset(capabilities)

    def used_ids(self) -> list[CommandId]:
        """The ids of commands sent in the usual sessions, the latest first."""
        return [asked.command_id for asked in reversed(self.sent) if not isinstance(asked, Asking)]

    def id(self) -> CommandId:
        """An id that no command had yet."""
        return CommandId(f"{self.trial.recorder.trace}-{next(self._ids)}")

    def named(self, what: str, number: int) -> str:
        """A name within the trial."""
        return f"{self.trial.recorder.trace}-{what}-{number}"

    def new_run(self) -> RunId:
        """A run that nobody has asked about yet."""
        run = RunId(self.named("run", len(self.runs) + 1))
        self.runs.append(run)
        return run

    def may_submit(self) -> bool:
        return len(self.runs) < RUNS_MAX

    def may_bear(self) -> bool:
        """Whether a run may yet have a child, or be continued."""
        return len(self.runs) < BORN_MAX

    def fence(self, draw: Draw) -> Fence:
        """Mostly the current one; also every older one, and one that was never granted."""
        now = self.run.fence if self.run else 0
        return Fence(draw([now] * 6 + [*range(now - 1, 0, -1)] * 2 + [now + 1]))

    def call(self, draw: Draw, is_promising: Callable[[Call], bool]) -> Call:
        """Mostly one that stands as the command needs it."""
        calls = self.calls
        found: Call = draw([call for call in calls if is_promising(call)] * 4 + calls)
        return found

    def worker(self, draw: Draw) -> WorkerId:
        return WorkerId(draw(("w1", "w2")))

    def supports(self, draw: Draw) -> tuple[BundleId, ...]:
        """What a worker's release can run: mostly also the bundle of the run."""
        if not self.offers(Capability.RELEASES):
            return (FIRST_BUNDLE,)
        own = self.run.bundle if self.run else FIRST_BUNDLE
        every = tuple(bundle.bundle for bundle in self.state.bundles)
        supports: tuple[BundleId, ...] = draw(((own,), (own,), every, every, (FIRST_BUNDLE,), (STALE_BUNDLE,), ()))
        return supports

    def tick(self, draw: Draw) -> Tick:
        whole = self.lease_seconds
        return Tick(draw((whole, 1, whole - 1, whole + 1)))


Kind = Callable[[Hand, Draw], Any]
Kinds = list[Kind]
"""Ways to make a cause; one that stands twice is drawn twice as often."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What may be tried with systems that offer all that it `needs`.

    `promising` can succeed where the run at hand stands, `anything` can be asked at all.
    """

    needs: frozenset[Capability]
    promising: Callable[[Hand, Run], Kinds]
    anything: Callable[[Hand], Kinds]
