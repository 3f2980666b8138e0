"""Systems that promise little, or are wrong in one way each. Opened as `toys:Class`."""

from collections.abc import Sequence
from dataclasses import replace

from keepfact.conformance.systems.reference import Reference
from keepfact.model.defects import DEFECTS, Defect
from keepfact.spec.vocabulary import (
    Asking,
    Cancel,
    Capability,
    Cause,
    Command,
    CommandId,
    Contract,
    Fail,
    Fence,
    Lost,
    Observation,
    Outcome,
    Reason,
    Refused,
    RunId,
)


class SpineOnly(Reference):
    """Right, and offers no more than every system must."""

    name = "spine only"
    contracts = frozenset({Contract.SETTLE})
    capabilities = frozenset[Capability]()


class RefusesEverything(SpineOnly):
    """Safe, in a way. Its contracts are in a set that could be changed."""

    name = "refuses everything"
    contracts = {Contract.SETTLE}  # type: ignore[assignment] # noqa: RUF012 # as adapters are written

    def perform(self, command: Command) -> Outcome:
        return Refused(Reason.NO_SUCH_RUN)


class ForbidsEverything(SpineOnly):
    """It refuses for a reason that no step shows to be untrue."""

    name = "forbids everything"

    def perform(self, command: Command) -> Outcome:
        return Refused(Reason.NOT_ALLOWED)


class LosesEverything(SpineOnly):
    """Nobody ever hears from it, and it does nothing."""

    name = "loses everything"

    def perform(self, command: Command) -> Outcome:
        return Lost()


class LosesSome(SpineOnly):
    """Right, but on a bad line: some commands never arrive, some answers never do, and never the same ones."""

    name = "loses some"

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0

    def perform(self, command: Command) -> Outcome:
        self._asked += 1
        if self._asked % 41 == 0:
            return Lost()
        outcome = super().perform(command)
        return Lost() if self._asked % 37 == 0 else outcome


class ClockJumps(SpineOnly):
    """Its clock is set by somebody else, too."""

    name = "clock jumps"

    def tick(self, seconds: int) -> None:
        super().tick(seconds + 1)


class ClockStands(SpineOnly):
    name = "clock stands"

    def tick(self, seconds: int) -> None:
        """Time is what others have."""


class ClockRunsBack(SpineOnly):
    """After a command the lease is longer than before."""

    name = "clock runs back"

    def observe(self, runs: Sequence[RunId]) -> Observation:
        shown = super().observe(runs)
        left = [run.lease_left_seconds and run.lease_left_seconds + 1 for run in shown.runs]
        runs = zip(shown.runs, left, strict=True)
        return replace(shown, runs=tuple(replace(run, lease_left_seconds=seconds) for run, seconds in runs))


class DeclaresMore(Reference):
    """Says that it can cancel, and refuses to."""

    name = "declares more"
    contracts = frozenset({Contract.SETTLE})
    capabilities = frozenset({Capability.CANCELLING})

    def perform(self, command: Command) -> Outcome:
        return Refused(Reason.NOT_ALLOWED) if isinstance(command, Cancel) else super().perform(command)


class WritesWhenWatched(SpineOnly):
    """Whoever looks at a run ends it."""

    name = "writes when watched"

    def observe(self, runs: Sequence[RunId]) -> Observation:
        shown = super().observe(runs)
        for run in runs:
            super().perform(Fail(CommandId(f"watched {run}"), run, Fence(1)))
        return shown


class PromisesToResume(SpineOnly):
    name = "promises to resume"
    contracts = frozenset({Contract.RESUME})


class PromisesBoth(SpineOnly):
    name = "promises both"
    contracts = frozenset(Contract)


class OffersWaits(SpineOnly):
    name = "offers waits"
    capabilities = frozenset({Capability.WAITS})


class OffersLookups(SpineOnly):
    """What it says it offers, it may do; but nobody tries it here."""

    name = "offers lookups"
    capabilities = frozenset({Capability.LOOKUP})


class DefectOfTheModel(Reference):
    """The reference with a defect of the model switched on."""

    def __init__(self, defect: Defect) -> None:
        super().__init__()
        self.defect, self.name = defect, defect.name

    def observe(self, runs: Sequence[RunId]) -> Observation:
        shown = self.defect.show(self._state)
        return replace(shown, runs=tuple(view for run in runs if (view := shown.run(run)) is not None))

    def _take(self, cause: Cause | Asking) -> Outcome | None:
        outcome, self._state = self.defect.step(self._state, cause)  # type: ignore[arg-type] # they pass on sessions
        return outcome


class TakesLapsedRuns(DefectOfTheModel, SpineOnly):
    def __init__(self) -> None:
        super().__init__(DEFECTS["a_lapsed_run_is_claimed"])


class IgnoresFences(DefectOfTheModel, SpineOnly):
    """A stale fence is refused only for whatever else is wrong."""

    def __init__(self) -> None:
        super().__init__(DEFECTS["the_fence_is_not_checked"])


class WrongOnce(SpineOnly):
    """Something that happens once and not again when it is looked for."""

    name = "wrong once"

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0

    def perform(self, command: Command) -> Outcome:
        self._asked += 1
        return Refused(Reason.SEALED) if self._asked == 5 else super().perform(command)
