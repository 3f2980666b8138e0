"""Drives a system step by step, and keeps what was asked, answered and seen."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from keepfact.spec.vocabulary import (
    NOTHING,
    Asking,
    Cause,
    Command,
    Drifted,
    Happening,
    Lost,
    Observation,
    Outcome,
    Restarted,
    RunId,
    Session,
    Spawn,
    Step,
    Tick,
    Truth,
    run_of,
)

from . import asking
from .answers import Answers
from .evidence import EvidenceWriter, ShownRecord, record_of
from .judge import Judge, Violation
from .system import System


@dataclass(frozen=True, slots=True)
class Move:
    """One thing that was done to a system, in a form that can be done again.

    `fate` says what became of a command's answer: `answered`; `withheld`, the system answered and nobody heard it;
    `never sent`, and nobody knows that either. For a happening it is `answered`. An Asking is a command in a session
    that is not the usual one.
    """

    cause: Cause | Asking
    fate: str = "answered"

    @property
    def said(self) -> Cause:
        """What was asked, whoever asked it, or what happened."""
        return self.cause.command if isinstance(self.cause, Asking) else self.cause


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

    def perform(self, asked: Command | Asking, *, withheld: bool = False) -> Outcome:
        """Ask the system; `withheld` keeps its answer from whoever asked, as a cut connection would."""
        command, session = _who_asked(asked)
        self._follow(command)
        answer = asking.perform(self._system, command, session)
        outcome: Outcome = Lost() if withheld else answer
        self._step(Move(asked, "withheld" if withheld else "answered"), outcome)
        return outcome

    def hear(self, asked: Command, outcome: Outcome) -> None:
        """A command that somebody else has asked the system by now, and what was answered."""
        self._follow(asked)
        self._step(Move(asked), outcome)

    def lose(self, asked: Command | Asking) -> Outcome:
        """A command that is cut before it arrives: the system never hears of it, and its sender cannot know."""
        self._follow(_who_asked(asked)[0])
        self._step(Move(asked, "never sent"), Lost())
        return Lost()

    def happen(self, happening: Happening) -> None:
        """Time passes, or something happened by itself; look what has become of the system."""
        match happening:
            case Tick():
                asking.tick(self._system, happening.seconds)
            case Drifted():
                asking.drift(self._system, happening.what)
            case Restarted():
                asking.restart(self._system)
            case _:
                pass  # it happens outside, or to the system by itself
        self._follow(happening)
        self._step(Move(happening), None)

    def look_around(self, causes: Iterable[Cause]) -> Observation:
        """Look once more, also at the runs that these name; no step."""
        for cause in causes:
            self._follow(cause)
        return asking.observe(self._system, self._runs, self.observation)

    def also_show(self, causes: Iterable[Cause]) -> None:
        """From here on look also at the runs that these name. It is no step: what they are like was there before."""
        self.observation = self.look_around(causes)
        if self._evidence is not None:
            self._evidence.write(ShownRecord(trace=self.trace, observed=self.observation))

    def _step(self, move: Move, outcome: Outcome | None) -> None:
        before, truth_before, cause = self.observation, self._known_truth, move.said
        session = move.cause.session if isinstance(move.cause, Asking) else None
        self.observation = _as_known(before, asking.observe(self._system, self._runs, before))
        truth = self._truth()
        self._known_truth = truth_before if truth == truth_before else truth
        repeats = self._answers.before(cause)
        step = Step(before, cause, outcome, self.observation, truth_before, self._known_truth, repeats, session)
        self._answers.remember(cause, outcome)
        self.steps.append(step)
        self.moves.append(move)
        self.broken = self._judge.see(step, self.trace, self.steps)
        if self._evidence is not None:
            self._evidence.write(record_of(self.trace, len(self.steps), step))

    def _follow(self, cause: Cause) -> None:
        named = [run_of(cause), cause.child if isinstance(cause, Spawn) else None]
        self._runs += [run for run in named if run is not None and run not in self._runs]


def _as_known(known: Observation, seen: Observation) -> Observation:
    """What was seen, in which all that has not changed is the very object that was known.

    Rules look for that first, and whoever judges the step again from evidence must come to the same.
    """
    if seen == known:
        return known
    old = {run.run: run for run in known.runs}
    return replace(seen, runs=tuple(old[run.run] if old.get(run.run) == run else run for run in seen.runs))


def _who_asked(asked: Command | Asking) -> tuple[Command, Session | None]:
    return (asked.command, asked.session) if isinstance(asked, Asking) else (asked, None)
