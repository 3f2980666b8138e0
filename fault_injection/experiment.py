"""What an experiment is: it says what it breaks, what it needs and which rules it judges, and can be run."""

import importlib
import pkgutil
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeGuard

from keepfact.conformance.abilities import RunsWorkers
from keepfact.conformance.evidence import EvidenceWriter, ExperimentRecord
from keepfact.conformance.judge import Judge
from keepfact.conformance.system import System
from keepfact.conformance.verdicts import Verdict
from keepfact.spec.vocabulary import Capability, Contract

from . import experiments
from .strikes import Sample
from .subject import ABILITIES, ExperimentError, Progress, Subject, not_declared
from .tally import Tally
from .trial import Stage
from .wal import watched
from .world.client import World


class Course(Protocol):
    """What is done on the stage. With `deliver=False` everything but the fault: then it shows nothing.

    With a `sample` not every strike is made.
    """

    def __call__(self, stage: Stage, progress: Progress, *, deliver: bool, sample: Sample | None) -> Tally: ...


@dataclass(frozen=True, slots=True)
class Experiment:
    """One experiment. It goes its course under each of its contracts that the system declares.

    It needs the capabilities in `needs` and the `abilities` of the adapter, protocols that ABILITIES names. Where no
    worker runs, the harness plays the outside itself. `not_shown` says what a reader might take as shown and is not.
    """

    name: str
    fault: str
    rules: tuple[str, ...]
    not_shown: tuple[str, ...]
    course: Course
    contracts: tuple[Contract, ...] = (Contract.SETTLE,)
    needs: frozenset[Capability] = frozenset()
    abilities: tuple[type, ...] = (RunsWorkers,)

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
        """Go the whole course, with a world of its own; the record is in the evidence then.

        Raises ExperimentError if the system does not suit.
        """
        if self.suits(system):
            return self._go(system, judge, evidence, progress, deliver=deliver, sample=sample)
        raise ExperimentError(f"expected a system that the experiment suits, but {self.why_not(system)}.")

    def _go(
        self,
        system: Subject,
        judge: Judge,
        evidence: EvidenceWriter | None,
        progress: Progress,
        *,
        deliver: bool,
        sample: Sample | None,
    ) -> ExperimentRecord:
        violations_before = len(judge.violations)
        judge.enter(self.name, evidence, played=not self._has_workers)
        not_applicable = list[str]()
        with tempfile.TemporaryDirectory(prefix="keepfact-") as directory:
            ledger = (evidence.directory if evidence else Path(directory)) / f"truth-{self.name}.ndjson"
            outside = World(ledger) if self._has_workers else nullcontext()
            with outside as world, watched(self.name, system, judge, evidence, not_applicable) as watch:
                tallies = [
                    self.course(
                        Stage(self.name, contract, system, world, judge, evidence, Path(directory), watch),
                        progress,
                        deliver=deliver,
                        sample=sample,
                    )
                    for contract in self.contracts
                    if contract in system.contracts
                ]
        violated = len(judge.violations) > violations_before
        unjudged = self._unjudged(judge) if all(tally.is_whole for tally in tallies) else []
        record = self._record(tallies, unjudged, not_applicable, violated)
        if evidence is not None:
            evidence.write(record)
        return record

    def suits(self, system: System) -> TypeGuard[Subject]:
        """Whether the experiment can be done with this system."""
        return self.why_not(system) is None

    @property
    def needed(self) -> tuple[str, ...]:
        """What a system must offer for it, in words."""
        return (*(ABILITIES[ability] for ability in self.abilities), *sorted(self.needs))

    @property
    def _has_workers(self) -> bool:
        return RunsWorkers in self.abilities

    def why_not(self, system: System) -> str | None:
        """Why the experiment cannot be done with this system; None if it can."""
        if undeclared := not_declared(self.name, system, self.contracts, self.needs):
            return undeclared
        for ability in self.abilities:
            if not isinstance(system, ability):
                return f"{self.name} needs {ABILITIES[ability]}, which {system.name} does not offer"
        return None

    def _unjudged(self, judge: Judge) -> list[str]:
        """Rules that the experiment is there to judge, that can apply, and that no step of it met."""
        missed = [rule for rule in self.rules if judge.judges(rule) and not judge.spoken[rule][self.name]]
        return [f"never put to the test here: {rule}" for rule in missed]

    def _record(
        self, tallies: Sequence[Tally], unjudged: Sequence[str], not_applicable: Sequence[str], violated: bool
    ) -> ExperimentRecord:
        return ExperimentRecord(
            name=self.name,
            fault=self.fault,
            seams=tuple(dict.fromkeys(seam for tally in tallies for seam in tally.seams)),
            runs=sum(tally.runs for tally in tallies),
            delivered=sum(tally.delivered for tally in tallies),
            verdict=verdict(tallies, unjudged, violated=violated),
            note="; ".join([note for tally in tallies for note in tally.notes] + list(unjudged)),
            not_applicable=tuple(
                dict.fromkeys((*not_applicable, *(one for tally in tallies for one in tally.not_applicable)))
            ),
        )


def verdict(tallies: Sequence[Tally], unjudged: Sequence[str], *, violated: bool) -> Verdict:
    """What could not be struck or judged leaves the experiment undecided; no fault at all leaves it unexercised."""
    if violated:
        return Verdict.VIOLATED
    undone = any(tally.undone for tally in tallies)
    if not undone and not all(tally.delivered for tally in tallies):
        return Verdict.NOT_EXERCISED
    return Verdict.INCONCLUSIVE if undone or unjudged or any(tally.missed for tally in tallies) else Verdict.HOLDS


def find_experiments() -> tuple[Experiment, ...]:
    """Every experiment in the folder, by name: each of its modules defines one as EXPERIMENT."""
    names = sorted(module.name for module in pkgutil.iter_modules(experiments.__path__))
    return tuple(importlib.import_module(f"{experiments.__name__}.{name}").EXPERIMENT for name in names)
