"""Adapters that break the protocol in one way each, so that there is no verdict. Opened as `broken:Class`."""

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

from toys import SpineOnly

from keepfact.spec.vocabulary import (
    Capability,
    Command,
    CommandId,
    Contract,
    Lost,
    Observation,
    Outcome,
    RunId,
    Submit,
)

HANG_SECONDS = 60
"""Of one that hangs: so that what does not notice it fails a test, and not a night."""


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


class ShowsNumbers(SpineOnly):
    """What it keeps beside runs comes as text, too."""

    name = "shows numbers"

    def observe(self, runs: Sequence[RunId]) -> Observation:
        return replace(super().observe(runs), served=("1", "2"))  # type: ignore[arg-type]


class LacksHooks(SpineOnly):
    """Declares what a harness could not make happen in it."""

    capabilities = frozenset({Capability.WAITS, Capability.SESSIONS, Capability.STREAMS})
    restart = perform_in = None  # type: ignore[assignment] # that is what is wrong with it


class OffersWords(SpineOnly):
    """Declares what it offers in words of its own."""

    capabilities = ("waits",)


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
