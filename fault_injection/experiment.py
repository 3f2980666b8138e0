"""What an experiment is: it says what it breaks, what it needs and which rules it judges, and can be run."""

import importlib
import pkgutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeGuard

from keepfact.conformance.evidence import EvidenceWriter, ExperimentRecord
from keepfact.conformance.judge import Judge
from keepfact.conformance.system import KeepsInPostgres, RunsWorkers, ServesStreams, System, capabilities_of
from keepfact.conformance.verdicts import Verdict
from keepfact.spec.vocabulary import Capability, Contract

from . import experiments
from .subject import Progress, Subject
from .tally import Tally
from .trial import Stage
from .wal import watched
from .world.client import World


class Course(Protocol):
    """What is done on the stage. With `deliver=False` everything but the fault: then it shows nothing.

    `most` bounds the strikes; without it there are all.
    """

    def __call__(self, stage: Stage, progress: Progress, *, deliver: bool, most: int | None) -> Tally: ...


@dataclass(frozen=True, slots=True)
class Experiment:
    """One experiment. It goes its course under each of its contracts that the system declares, and needs all of the
    capabilities in `needs`. `not_shown` says what a reader might take as shown by it and is not.
    """

    name: str
    fault: str
    rules: tuple[str, ...]
    not_shown: tuple[str, ...]
    course: Course
    contracts: tuple[Contract, ...] = (Contract.SETTLE,)
    needs: frozenset[Capability] = frozenset()
    needs_postgres: bool = False
    needs_streams: bool = False

    def run(
        self,
        system: Subject,
        judge: Judge,
        evidence: EvidenceWriter | None,
        progress: Progress,
        *,
        deliver: bool = True,
        most: int | None = None,
    ) -> ExperimentRecord:
        """Go the whole course, with a world of its own; the record is in the evidence then."""
        judge.part, violations_before = self.name, len(judge.violations)
        not_applicable = list[str]()
        with tempfile.TemporaryDirectory(prefix="keepfact-") as directory:
            ledger = (evidence.directory if evidence else Path(directory)) / f"truth-{self.name}.ndjson"
            with World(ledger) as world, watched(self.name, system, judge, evidence, not_applicable) as watch:
                tallies = [
                    self.course(
                        Stage(self.name, contract, system, world, judge, evidence, Path(directory), watch),
                        progress,
                        deliver=deliver,
                        most=most,
                    )
                    for contract in self.contracts
                    if contract in system.contracts
                ]
        violated = len(judge.violations) > violations_before
        unjudged = [f"never put to the test here: {rule}" for rule in self._unjudged(judge)]
        record = self._record(tallies, unjudged, not_applicable, violated)
        if evidence is not None:
            evidence.write(record)
        return record

    def suits(self, system: System) -> TypeGuard[Subject]:
        """Whether the experiment can be done with this system."""
        return self.why_not(system) is None

    def why_not(self, system: System) -> str | None:
        """Why the experiment cannot be done with this system; None if it can."""
        if not system.contracts & set(self.contracts):
            named = " or ".join(f"`{contract}`" for contract in self.contracts)
            return f"{self.name} is about runs under {named}, which {system.name} does not declare"
        if missing := self.needs - capabilities_of(system):
            return f"{self.name} needs {', '.join(sorted(missing))}, which {system.name} does not declare"
        if not isinstance(system, RunsWorkers):
            return f"{self.name} needs workers that are processes of their own, which {system.name} does not offer"
        if self.needs_postgres and not isinstance(system, KeepsInPostgres):
            return f"{self.name} needs a PostgreSQL between {system.name} and its workers, which it does not name"
        if self.needs_streams and not isinstance(system, ServesStreams):
            return f"{self.name} needs streams of events over HTTP, which {system.name} does not offer"
        return None

    def _unjudged(self, judge: Judge) -> list[str]:
        """Rules that the experiment is there to judge, and that no step of it met."""
        return [rule for rule in self.rules if not judge.spoken[rule][self.name]]

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
            not_applicable=tuple(not_applicable),
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
