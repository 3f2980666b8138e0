"""A fault that a real system had, told again in commands: a module of its own for each, found by walking the folder."""

import importlib
import pkgutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from keepfact.conformance.evidence import EvidenceWriter, ExperimentRecord, FaultRecord
from keepfact.conformance.judge import Judge
from keepfact.conformance.system import System
from keepfact.conformance.trial import RuleBrokenError, Trial
from keepfact.conformance.verdicts import Verdict
from keepfact.conformance.words import outcome_in_words
from keepfact.spec.vocabulary import Capability, Continue, Contract, Outcome, Submit

from . import regressions
from .experiment import Experiment
from .strikes import Sample
from .subject import Progress, not_declared
from .told import Story, Told, in_full


@dataclass(frozen=True, slots=True)
class Regression:
    """A reported fault. Any system in lockstep can be put to it; it is judged by every rule, and beside the model.

    `case` is the number of the report. `defects` are mutations of the implementation on which it must fail, by one of
    `rules`, each of which must have something to say from the fault on. A story is left out where the system does not
    declare its contract. `not_shown` says what of the report a reader might take as told by it and is not.
    """

    case: str
    name: str
    fault: str
    rules: tuple[str, ...]
    defects: tuple[str, ...]
    stories: tuple[Story, ...]
    contracts: tuple[Contract, ...] = tuple(Contract)
    needs: frozenset[Capability] = frozenset()
    not_shown: tuple[str, ...] = ()

    def run(
        self,
        system: System,
        judge: Judge,
        evidence: EvidenceWriter | None,
        progress: Progress,
        *,
        deliver: bool = True,
        sample: Sample | None = None,
    ) -> ExperimentRecord:
        """Play every story. A sample leaves nothing out: a story takes a moment."""
        violations_before = len(judge.violations)
        judge.enter(self.name, evidence, played=True)
        played = list[Played]()
        for number, one in enumerate(self.plays(system, judge, evidence, deliver=deliver), 1):
            played.append(one)
            for place, name in enumerate(one.faults, 1):
                if evidence is not None:
                    evidence.write(_fault_record(self.name, one.trace, place, name))
            progress(number, len(played), one.trace)
        faults = [name for one in played for name in one.faults]
        due = [rule for rule in self.rules if judge.judges(rule)]
        unjudged = [rule for rule in due if not any(rule in one.judged for one in played)]
        record = ExperimentRecord(
            name=self.name,
            fault=self.fault,
            seams=tuple(dict.fromkeys(faults)),
            runs=len(played),
            delivered=len(faults),
            verdict=_verdict(played, unjudged, violated=len(judge.violations) > violations_before),
            note="; ".join(
                [one.trouble for one in played if one.trouble]
                + [f"never put to the test here: {rule}" for rule in unjudged if deliver]
            ),
            not_applicable=(),
        )
        if evidence is not None:
            evidence.write(record)
        return record

    def plays(
        self, system: System, judge: Judge, evidence: EvidenceWriter | None, *, deliver: bool
    ) -> Iterator["Played"]:
        """Play one story after the other, of those whose contracts the system declares."""
        for number, story in enumerate(self.stories, 1):
            told = story(system.lease_seconds)
            if contracts_of(told) <= system.contracts:
                yield play(system, judge, evidence, f"{self.name}-{number}", told, deliver=deliver)

    @property
    def needed(self) -> tuple[str, ...]:
        """What a system must offer for it, in words."""
        return tuple(sorted(self.needs))

    def why_not(self, system: System) -> str | None:
        """Why it cannot be told of this system; None if it can."""
        return not_declared(self.name, system, self.contracts, self.needs)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfWorkers(Experiment):
    """A reported fault that takes real workers and a real outside: an experiment, that bears the number of the report.

    `defects` are variants of the implementation on which it must fail.
    """

    case: str
    defects: tuple[str, ...]


def find_regressions() -> tuple[Regression | OfWorkers, ...]:
    """Every regression in the folder, by its number: each of its modules defines one as REGRESSION."""
    names = sorted(module.name for module in pkgutil.iter_modules(regressions.__path__))
    return tuple(importlib.import_module(f"{regressions.__name__}.{name}").REGRESSION for name in names)


@dataclass(frozen=True, slots=True)
class Played:
    """`faults` are those that were brought about; `trouble` is where the story went otherwise, though nothing broke.

    `judged` are the rules that had something to say from the first fault on: what they say before shows nothing of it.
    """

    trace: str
    faults: tuple[str, ...] = ()
    trouble: str = ""
    judged: frozenset[str] = frozenset()


def play(
    system: System, judge: Judge, evidence: EvidenceWriter | None, trace: str, story: Sequence[Told], *, deliver: bool
) -> Played:
    """Play one story on a fresh trial, as far as it goes; without its fault, as far as that."""
    trial = Trial(system, judge, evidence, trace)
    faults, trouble, said_before = list[str](), "", dict[str, int]()
    for told in in_full(story, f"{trace}-"):
        if told.is_fault and not deliver:
            break
        if told.is_fault and not faults:
            said_before = _said(judge)
        try:
            outcome = trial.make(told.move)
        except RuleBrokenError:
            faults += [_named(told)] if told.is_fault else []
            break
        if not told.goes_as_told(outcome):
            trouble = f"{trace}: {_otherwise(told, outcome)}"
            break
        faults += [_named(told)] if told.is_fault else []
    said = _said(judge) if faults else {}
    judged = frozenset(rule for rule, times in said.items() if times > said_before.get(rule, 0))
    return Played(trace, tuple(faults), trouble, judged)


def contracts_of(told: Sequence[Told]) -> set[Contract]:
    """Under which contracts runs are submitted in a story."""
    return {one.move.said.contract for one in told if isinstance(one.move.said, Submit | Continue)}


def _said(judge: Judge) -> dict[str, int]:
    return {rule: parts[judge.part] for rule, parts in judge.spoken.items()}


_FATES = {"answered": "", "withheld": ", its answer lost", "never sent": ", lost on its way"}


def _named(told: Told) -> str:
    return type(told.move.said).__name__ + _FATES[told.move.fate]


def _otherwise(told: Told, outcome: Outcome | None) -> str:
    expected = told.expected.__name__.lower() if told.expected else "anything"
    seen = outcome_in_words(outcome) if outcome is not None else "nothing"
    return f"expected {_named(told)} to be {expected}, but it {seen}"


def _fault_record(name: str, trace: str, number: int, fault_name: str) -> FaultRecord:
    return FaultRecord(
        experiment=name,
        trace=trace,
        seam=f"{number} {fault_name}",
        side="told in commands",
        delivered=True,
        proof=f"{fault_name}: it was made, and what the system shows after it was seen and judged",
    )


def _verdict(played: list[Played], unjudged: list[str], *, violated: bool) -> Verdict:
    if violated:
        return Verdict.VIOLATED
    if not all(one.faults for one in played) and not any(one.trouble for one in played):
        return Verdict.NOT_EXERCISED
    return Verdict.INCONCLUSIVE if unjudged or any(one.trouble for one in played) else Verdict.HOLDS
