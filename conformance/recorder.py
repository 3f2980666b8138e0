"""Drives a system step by step, and keeps what was asked, answered and seen."""

from collections.abc import Callable
from dataclasses import dataclass

from keepfact.spec.vocabulary import (
    NOTHING,
    Cause,
    Command,
    Happening,
    Lost,
    Observation,
    Outcome,
    RunId,
    Spawn,
    Step,
    Tick,
    Truth,
    run_of,
)

from . import asking
from .answers import Answers
from .evidence import EvidenceWriter, record_of
from .judge import Judge, Violation
from .system import System


@dataclass(frozen=True, slots=True)
class Move:
    """One thing that was done to a system, in a form that can be done again.

    `fate` says what became of a command's answer: `answered`; `withheld`, the system answered and nobody heard it;
    `never sent`, and nobody knows that either. For a happening it is `answered`.
    """

    cause: Cause
    fate: str = "answered"


Moves = tuple[Move, ...]


class Recorder:
    """One trace. Every step is judged and, with a writer, on disk before the next begins."""

    def __init__(
        self,
        system: System,
        judge: Judge,
        evidence: EvidenceWriter | None,
        trace: str,
        truth: Callable[[], Truth] = lambda: NOTHING,
    ) -> None:
        self._system = system
        self._judge = judge
        self._evidence = evidence
        self._truth = truth
        self._runs: list[RunId] = []
        self._answers = Answers()
        self._known_truth = NOTHING
        self.trace = trace
        self.observation = Observation()
        self.steps: list[Step] = []
        self.moves: list[Move] = []
        self.broken: tuple[Violation, ...] = ()
        """What the latest step broke."""

    def perform(self, command: Command, *, withheld: bool = False) -> Outcome:
        """Ask the system; `withheld` keeps its answer from whoever asked, as a cut connection would."""
        self._follow(command)
        answer = asking.perform(self._system, command)
        outcome: Outcome = Lost() if withheld else answer
        self._step(command, outcome, "withheld" if withheld else "answered")
        return outcome

    def lose(self, command: Command) -> Outcome:
        """A command that is cut before it arrives: the system never hears of it, and its sender cannot know."""
        self._follow(command)
        self._step(command, Lost(), "never sent")
        return Lost()

    def happen(self, happening: Happening) -> None:
        """Time passes, or something happened by itself; look what has become of the system."""
        if isinstance(happening, Tick):
            asking.tick(self._system, happening.seconds)
        self._follow(happening)
        self._step(happening, None, "answered")

    def _step(self, cause: Cause, outcome: Outcome | None, fate: str) -> None:
        before, truth_before = self.observation, self._known_truth
        self.observation = asking.observe(self._system, self._runs, before)
        self._known_truth = self._truth()
        repeats = self._answers.before(cause)
        step = Step(before, cause, outcome, self.observation, truth_before, self._known_truth, repeats)
        self._answers.remember(cause, outcome)
        self.steps.append(step)
        self.moves.append(Move(cause, fate))
        self.broken = self._judge.see(step, self.trace, self.steps)
        if self._evidence is not None:
            self._evidence.write(record_of(self.trace, len(self.steps), step))

    def _follow(self, cause: Cause) -> None:
        named = [run_of(cause), cause.child if isinstance(cause, Spawn) else None]
        self._runs += [run for run in named if run is not None and run not in self._runs]
