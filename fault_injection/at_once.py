"""A reported fault that takes commands under way at once: they meet in every order with at most one preemption."""

from collections.abc import Iterator
from dataclasses import dataclass

from keepfact.conformance.evidence import EvidenceWriter
from keepfact.conformance.judge import Judge
from keepfact.conformance.meetings.actors import Interleaves
from keepfact.conformance.meetings.interleave import Schedules, meet
from keepfact.conformance.meetings.together import blamed, said_in
from keepfact.conformance.recorder import Move
from keepfact.conformance.system import System
from keepfact.conformance.trial import RuleBrokenError
from keepfact.spec.vocabulary import Command

from .regression import Played, Regression
from .told import Told, in_full

PREEMPTIONS = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AtOnce(Regression):
    """After the story these are asked at once. What they were told must be as if one had come after the other."""

    commands: tuple[Command, ...]

    def plays(
        self, system: System, judge: Judge, evidence: EvidenceWriter | None, *, deliver: bool
    ) -> Iterator[Played]:
        """Play the story once for each order."""
        (story,) = self.stories
        told = (*story(system.lease_seconds), *(Told(Move(command)) for command in self.commands))
        for number, choose in enumerate(Schedules(PREEMPTIONS), 1):
            trace = f"{self.name}-{number}"
            moves = tuple(one.move for one in in_full(told, f"{trace}-"))
            if not deliver:
                yield Played(trace)
                return
            try:
                met = meet(system, moves, judge, evidence, trace, choose, len(self.commands))
            except RuleBrokenError:
                yield Played(trace)
                return
            trouble = f"{trace}: too many orders to tell" if met.is_explained is None else ""
            judged = said_in(met, judge) if met.is_explained else frozenset()
            yield Played(trace, (" and ".join(type(command).__name__ for command in self.commands),), trouble, judged)
            if met.is_explained is False:
                for broken in blamed(met, judge):
                    judge.weigh(broken.rule, trace, broken.expected, broken.seen, evidence, broken)
                return
            for rule in self.rules:
                if rule in judged:
                    judge.weigh(rule, trace, "an order that explains what was told and seen", "there is", evidence)

    @property
    def needed(self) -> tuple[str, ...]:
        """What a system must offer for it, in words."""
        return ("commands that can be stopped in the middle", *sorted(self.needs))

    def why_not(self, system: System) -> str | None:
        """Why it cannot be told of this system; None if it can."""
        if not isinstance(system, Interleaves):
            return f"{self.name} needs commands that can be stopped in the middle, which {system.name} does not offer"
        return Regression.why_not(self, system)
