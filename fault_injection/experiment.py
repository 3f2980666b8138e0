"""What an experiment is: it says what it breaks, what it needs and which rules it judges, and can be run."""

import importlib
import pkgutil
from dataclasses import dataclass
from typing import Protocol, TypeGuard

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.evidence import EvidenceWriter, ExperimentRecord
from keepfact.conformance.judge import Judge
from keepfact.conformance.system import RunsWorkers, System
from keepfact.spec.vocabulary import Contract

from . import experiments


class ExperimentError(KeepfactError):
    """The experiment cannot be done with this system; says what was expected, what was seen and what to do."""


class Subject(System, RunsWorkers, Protocol):
    """A system that is driven by commands and whose workers are processes of their own."""


class Progress(Protocol):
    """Told how far an experiment is."""

    def __call__(self, done: int, total: int, text: str) -> None: ...


class Run(Protocol):
    """Runs an experiment. With `deliver=False` everything is done but the fault: then it shows nothing."""

    def __call__(
        self,
        system: Subject,
        judge: Judge,
        evidence: EvidenceWriter | None,
        progress: Progress,
        *,
        deliver: bool = True,
    ) -> ExperimentRecord: ...


@dataclass(frozen=True, slots=True)
class Experiment:
    """One experiment. `not_shown` says what a reader might take as shown by it and is not."""

    name: str
    fault: str
    rules: tuple[str, ...]
    not_shown: tuple[str, ...]
    run: Run
    contract: Contract = Contract.SETTLE

    def suits(self, system: System) -> TypeGuard[Subject]:
        """Whether the experiment can be done with this system."""
        return self.why_not(system) is None

    def why_not(self, system: System) -> str | None:
        """Why the experiment cannot be done with this system; None if it can."""
        if self.contract not in system.contracts:
            return f"{self.name} is about runs under `{self.contract}`, which {system.name} does not declare"
        if not isinstance(system, RunsWorkers):
            return f"{self.name} needs workers that are processes of their own, which {system.name} does not offer"
        return None


def find_experiments() -> tuple[Experiment, ...]:
    """Every experiment in the folder, by name: each of its modules defines one as EXPERIMENT."""
    names = sorted(module.name for module in pkgutil.iter_modules(experiments.__path__))
    return tuple(importlib.import_module(f"{experiments.__name__}.{name}").EXPERIMENT for name in names)
