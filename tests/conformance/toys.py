"""Systems that are wrong as adapters, or as systems, in one way each. Opened as `toys:Class`."""

import os
import signal
import sys
import time
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
    Submit,
)

HANG_SECONDS = 60
"""Of a toy that hangs: so that what does not notice it fails a test, and not a night."""


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


class RaisesOnTheThird(SpineOnly):
    """An adapter with a bug that shows at its third command."""

    name = "raises on the third"
    raises_at = 3

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0

    def perform(self, command: Command) -> Outcome:
        self._asked += 1
        if self._asked == self.raises_at:
            raise ValueError("a field was renamed")
        return super().perform(command)


class RaisesLate(RaisesOnTheThird):
    """The same, once and deep in the search."""

    name = "raises late"
    raises_at = 2500


class ExitsOnTheThird(RaisesOnTheThird):
    """Written as a script: what it does not like ends the program, with the code of its choice."""

    name = "exits on the third"

    def perform(self, command: Command) -> Outcome:
        try:
            return super().perform(command)
        except ValueError:
            sys.exit(1)


class HangsOnTheThird(RaisesOnTheThird):
    """It waits for an answer that does not come; and whatever interrupts it there, it takes for its own."""

    name = "hangs on the third"
    _is_stubborn = False

    def perform(self, command: Command) -> Outcome:
        try:
            return super().perform(command)
        except ValueError:
            try:
                time.sleep(HANG_SECONDS)
            except BaseException:
                if not self._is_stubborn:
                    raise
            return Lost()


class HangsStubbornly(HangsOnTheThird):
    name = "hangs stubbornly"
    _is_stubborn = True


class DiesOnTheThird(RaisesOnTheThird):
    """A crash below the adapter takes the whole process with it."""

    name = "dies on the third"

    def perform(self, command: Command) -> Outcome:
        try:
            return super().perform(command)
        except ValueError:
            os.kill(os.getpid(), signal.SIGKILL)
            return Lost()


class EndsWellOnTheThird(RaisesOnTheThird):
    """Something in it ends the process, and says that all is well."""

    name = "ends well on the third"

    def perform(self, command: Command) -> Outcome:
        try:
            return super().perform(command)
        except ValueError:
            os._exit(0)


class DoesNotClose(SpineOnly):
    name = "does not close"

    def close(self) -> None:
        raise OSError("it is gone already")


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


class RaisesWhenWatched(SpineOnly):
    name = "raises when watched"

    def observe(self, runs: Sequence[RunId]) -> Observation:
        raise KeyError("fence")


class RaisesOnTick(SpineOnly):
    name = "raises on tick"

    def tick(self, seconds: int) -> None:
        raise OSError("no clock")


class AnswersNothing(SpineOnly):
    """The author forgot the return."""

    name = "answers nothing"

    def perform(self, command: Command) -> Outcome:
        super().perform(command)
        return None  # type: ignore[return-value] # that is what is wrong with it


class ShowsStrings(SpineOnly):
    """States as text, as they come from a database."""

    name = "shows strings"

    def observe(self, runs: Sequence[RunId]) -> Observation:
        shown = super().observe(runs)
        return Observation(tuple(replace(run, state=str(run.state)) for run in shown.runs))  # type: ignore[arg-type]


class ShowsTooMuch(SpineOnly):
    """Every run there is, asked for or not."""

    name = "shows too much"

    def observe(self, runs: Sequence[RunId]) -> Observation:
        return super().observe(list(dict.fromkeys([*runs, *self._submitted])))

    def __init__(self) -> None:
        super().__init__()
        self._submitted = [RunId("somebody-else's")]
        self.perform(Submit(CommandId("0"), self._submitted[0], Contract.SETTLE, 1))


class WritesWhenWatched(SpineOnly):
    """Whoever looks at a run ends it."""

    name = "writes when watched"

    def observe(self, runs: Sequence[RunId]) -> Observation:
        shown = super().observe(runs)
        for run in runs:
            super().perform(Fail(CommandId(f"watched {run}"), run, Fence(1)))
        return shown


class ShowsNumbers(SpineOnly):
    """What it keeps beside runs comes as text, too."""

    name = "shows numbers"

    def observe(self, runs: Sequence[RunId]) -> Observation:
        return replace(super().observe(runs), served=("1", "2"))  # type: ignore[arg-type]


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


class LacksHooks(SpineOnly):
    """Declares what a harness could not make happen in it."""

    capabilities = frozenset({Capability.WAITS, Capability.SESSIONS, Capability.STREAMS})
    restart = perform_in = None  # type: ignore[assignment] # that is what is wrong with it


class OffersWords(SpineOnly):
    """Declares what it offers in words of its own."""

    capabilities = ("waits",)


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


class DoesNotStart(SpineOnly):
    def __init__(self) -> None:
        raise ConnectionError("nobody listens on port 5432")


class LacksParts:
    name = "lacks parts"

    def perform(self, command: Command) -> Outcome:
        return Lost()


class PromisesNothing(SpineOnly):
    contracts = frozenset()


not_a_class = 3
