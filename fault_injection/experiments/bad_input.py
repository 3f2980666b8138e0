"""Commands with a field that is no such field: each is answered definitely, and what is refused leaves no trace."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from keepfact.conformance import asking
from keepfact.conformance.asking import AdapterError
from keepfact.conformance.evidence import FaultRecord
from keepfact.conformance.judge import Violation
from keepfact.conformance.recorder import Move
from keepfact.conformance.system import declared_by
from keepfact.conformance.touring import on, tours_of_all
from keepfact.conformance.trial import RuleBrokenError, Trial
from keepfact.model.paths import Walk, taken
from keepfact.spec.vocabulary import Asked, Asking, Command, Contract, Done, Lost, Observation, Outcome, Refused, Step

from ..experiment import Experiment
from ..strikes import Sample, Strike, chosen, told
from ..subject import Progress
from ..tally import Tally
from ..trial import Stage

RULE = "ENTRY.5"
SIDE = "each field spoiled in every way"
_LONG = "".join(hashlib.sha256(number.to_bytes(2)).hexdigest() for number in range(400))
TEXTS = ("", "\0", "\ud800", "two\nlines", _LONG, "x" * 1_000_000)
"""Nothing at all, a NUL, half a character, a break, more than an index can take, a million characters."""

NUMBERS = (-1, -(2**63), 2**63, 2**200)
"""Below all amounts, and beyond what a word of a machine holds."""


def spoiled(command: Command) -> Iterator[tuple[str, Command]]:
    """The command once for each of its fields and each way to spoil that, and which field it is."""
    for field in fields(command):
        value = getattr(command, field.name)
        for bad in _bad_for(value):
            yield field.name, replace(command, **{field.name: bad})


def _bad_for(value: object) -> Sequence[Any]:
    match value:
        case bool():
            return ()
        case int():
            return NUMBERS
        case str() if type(value) is str:  # what is one of a few words is right by its type
            return TEXTS
        case tuple():
            return tuple((text,) for text in TEXTS)
        case _:
            return ()


def ways_to_each_command(walks: Sequence[Walk]) -> dict[str, Walk]:
    """For each kind of command a shortest walk at whose end it is done, by the name of its class."""
    ways: dict[str, Walk] = {}
    for walk in walks:
        for end, step in enumerate(taken(walk), 1):
            name = type(step.cause).__name__
            if isinstance(step.cause, Asked) and isinstance(step.outcome, Done) and step.repeats is None:
                ways[name] = min(ways.get(name, walk), walk[:end], key=len)
    return ways


def course(stage: Stage, progress: Progress, *, deliver: bool, sample: Sample | None) -> Tally:
    """One command after the other; the harness plays the outside, as in lockstep."""
    _, capabilities = declared_by(stage.system)
    ways = ways_to_each_command(tours_of_all(frozenset({stage.contract}), capabilities))
    planned = [Strike(number, name, SIDE) for number, name in enumerate(ways, 1)]
    strikes, delivered, undone = chosen(planned, sample), 0, list[str]()
    for done, strike in enumerate(strikes, 1):
        tried = _Tried(stage, f"{stage.title}-{strike.number:02}", ways[strike.seam])
        if deliver:
            tried.spoil()
            delivered += bool(tried.answers)
            undone += tried.troubles
        _record(stage, strike, tried)
        progress(done, len(strikes), strike.seam)
    return Tally(
        seams=tuple(ways),
        runs=len(strikes),
        delivered=delivered,
        undone=tuple(undone),
        is_whole=len(strikes) == len(planned),
        told=(f"{stage.contract}: {len(ways)} commands, {told(strikes, planned)}",),
    )


@dataclass
class _Tried:
    """One kind of command, after a walk to where it would be done. `answers` counts what became of the spoiled ones."""

    stage: Stage
    name: str
    walk: Walk

    def __post_init__(self) -> None:
        self.answers = Counter[str]()
        self.troubles = list[str]()

    def spoil(self) -> None:
        """Ask each spoiled one. Where one is done all the same, the others are asked after a walk of their own."""
        moves = on(self.stage.system, self.walk, "")
        waiting = list(spoiled(_command(moves[-1])))
        for number in range(1, len(waiting) + 1):
            if not waiting:
                return
            waiting = self._after_one_walk(f"{self.name}-{number}", waiting)

    def _after_one_walk(self, trace: str, waiting: list[tuple[str, Command]]) -> list[tuple[str, Command]]:
        """What is still to be asked."""
        stage = self.stage
        trial = Trial(stage.system, stage.judge, stage.evidence, trace)
        *before, last = on(stage.system, self.walk, f"{trace}-")
        whole = _command(last)
        try:
            for move in before:
                trial.make(move)
            for place, (field, bad) in enumerate(waiting, 1):
                asked = replace(whole, **{field: getattr(bad, field)})
                if isinstance(self._ask(trial, field, asked, last), Done):
                    return waiting[place:]
            trial.make(last)  # and the whole one is done as if nothing had been
        except RuleBrokenError as error:
            self.troubles.append(f"{trace}: the command itself was not answered as it should be: {error}")
        return []

    def _ask(self, trial: Trial, field: str, command: Command, last: Move) -> Outcome:
        stage, session = self.stage, last.cause.session if isinstance(last.cause, Asking) else None
        seen = trial.recorder.observation
        if stage.watch is not None:
            stage.watch.news()
        try:
            outcome, said = asking.perform(stage.system, command, session), ""
        except AdapterError as error:
            outcome, said = Lost(), str(error)
        after = trial.recorder.look_around([])
        self.answers[type(outcome).__name__.lower()] += 1
        written = () if stage.watch is None or not isinstance(outcome, Refused) else stage.watch.news()
        expected = f"{type(command).__name__} with a {field} that is none is answered for certain, and changes nothing"
        if isinstance(outcome, Lost):
            self._convict(trial, seen, command, outcome, after, expected, said or "its answer was lost")
        elif isinstance(outcome, Refused) and (after != seen or written):
            what = "what the system shows has changed" if after != seen else f"{len(written)} transactions were written"
            self._convict(trial, seen, command, outcome, after, expected, f"it was refused, and {what}")
        else:
            told = f"it was {type(outcome).__name__.lower()}"
            stage.judge.weigh(RULE, trial.recorder.trace, expected, told, stage.evidence)
        return outcome

    def _convict(
        self,
        trial: Trial,
        before: Observation,
        command: Command,
        outcome: Outcome,
        after: Observation,
        expected: str,
        seen: str,
    ) -> None:
        step, trace = Step(before, command, outcome, after, trial.truth, trial.truth), trial.recorder.trace
        broken = Violation(RULE, step, expected, seen, trace=trace, steps=(*trial.recorder.steps, step))
        self.stage.judge.weigh(RULE, trace, expected, seen, self.stage.evidence, broken)


def _command(move: Move) -> Command:
    said = move.said
    assert isinstance(said, Asked)  # the walks end in one
    return said


def _record(stage: Stage, strike: Strike, tried: _Tried) -> None:
    if stage.evidence is not None:
        answers = ", ".join(f"{count} {name}" for name, count in tried.answers.items()) or "none was asked"
        stage.evidence.write(
            FaultRecord(
                experiment=stage.experiment,
                trace=tried.name,
                seam=f"{strike.number} {strike.seam}",
                side=strike.side,
                delivered=bool(tried.answers),
                proof=f"spoiled commands and their answers: {answers}",
            )
        )


EXPERIMENT = Experiment(
    name="bad_input",
    fault="Every command that would be done is asked with each of its fields spoiled: empty, with a NUL, half a "
    "character, a break, a million characters, below every amount, beyond every word.",
    rules=(RULE,),
    not_shown=(
        "One field was spoiled at a time.",
        "What a door over HTTP makes of requests that are no commands at all was not tried here.",
    ),
    course=course,
    contracts=(Contract.SETTLE, Contract.RESUME),
    abilities=(),
)
