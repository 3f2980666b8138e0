"""Drives a system step by step, and keeps what was asked, answered and seen."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from keepfact.spec.vocabulary import (
    NOTHING,
    AskedOfRun,
    Cause,
    Command,
    CommandId,
    Done,
    Happening,
    Lost,
    Observation,
    Outcome,
    RunId,
    RunView,
    Step,
    Tick,
    Truth,
)

from .evidence import EvidenceWriter, StepRecord
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
        self._answers: dict[CommandId, tuple[Command, Outcome]] = {}
        self._known_truth = NOTHING
        self.trace = trace
        self.observation = Observation()
        self.steps: list[Step] = []
        self.moves: list[Move] = []
        self.broken: tuple[Violation, ...] = ()
        """What the latest step broke."""

    def perform(self, command: Command, *, withheld: bool = False) -> Outcome:
        """Ask the system; `withheld` keeps its answer from whoever asked, as a cut connection would."""
        self._follow(command.run)
        answer = self._system.perform(command)
        outcome: Outcome = Lost() if withheld else answer
        self._step(command, outcome, "withheld" if withheld else "answered")
        return outcome

    def lose(self, command: Command) -> Outcome:
        """A command that is cut before it arrives: the system never hears of it, and its sender cannot know."""
        self._follow(command.run)
        self._step(command, Lost(), "never sent")
        return Lost()

    def happen(self, happening: Happening) -> None:
        """Time passes, or something happened by itself; look what has become of the system."""
        if isinstance(happening, Tick):
            self._system.tick(happening.seconds)
        else:
            self._follow(happening.run)
        self._step(happening, None, "answered")

    def _step(self, cause: Cause, outcome: Outcome | None, fate: str) -> None:
        before, truth_before = self.observation, self._known_truth
        self.observation = self._system.observe(self._runs)
        self._known_truth = self._truth()
        step = Step(before, cause, outcome, self.observation, truth_before, self._known_truth, self._repeats(cause))
        self._remember(cause, outcome)
        self.steps.append(step)
        self.moves.append(Move(cause, fate))
        self.broken = self._judge.see(step)
        if self._evidence is not None:
            self._evidence.write(_record(self.trace, len(self.steps), step))

    def _follow(self, run: RunId) -> None:
        if run not in self._runs:
            self._runs.append(run)

    def _repeats(self, cause: Cause) -> Outcome | None:
        if not isinstance(cause, AskedOfRun):
            return None
        first, answer = self._answers.get(cause.command_id, (None, None))
        return answer if first == cause else None

    def _remember(self, cause: Cause, outcome: Outcome | None) -> None:
        """A refusal is not remembered: asked again, it is a new question. A lost answer may have been a Done."""
        if isinstance(cause, AskedOfRun) and isinstance(outcome, Done | Lost):
            first, known = self._answers.get(cause.command_id, (cause, None))
            if first == cause and not isinstance(known, Done):
                self._answers[cause.command_id] = (cause, outcome)


def _record(trace: str, number: int, step: Step) -> StepRecord:
    """The step without what the step before it has already said."""
    old = {run.run: run for run in step.before.runs}
    runs, history_from = [], {}
    for run in step.after.runs:
        before = old.get(run.run)
        if before == run:
            continue
        kept = _common(before, run)
        history_from[run.run] = kept + 1
        runs.append(_cut(run, kept))
    gone = tuple(name for name in old if step.after.run(name) is None)
    return StepRecord(
        trace=trace,
        number=number,
        cause=step.cause,
        outcome=step.outcome,
        runs=tuple(runs),
        history_from=history_from,
        gone=gone,
        truth=None if step.truth == step.truth_before else step.truth,
    )


def _common(before: RunView | None, after: RunView) -> int:
    """How many events at the start of both histories are the same."""
    pairs = zip(before.history if before else (), after.history, strict=False)
    return next((n for n, (old, new) in enumerate(pairs) if old != new), min(_length(before), _length(after)))


def _length(run: RunView | None) -> int:
    return len(run.history) if run else 0


def _cut(run: RunView, kept: int) -> RunView:
    return replace(run, history=run.history[kept:])
