"""What experiments are done on, and whom they tell how far they are."""

from collections.abc import Collection
from typing import Protocol

from keepfact.conformance.abilities import (
    AwaitsCallbacks,
    KeepsFindings,
    KeepsInPostgres,
    RunsRecovery,
    RunsWorkers,
    ServesStreams,
    SkewsClocks,
)
from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.system import System, capabilities_of
from keepfact.spec.vocabulary import Capability, Contract


class ExperimentError(KeepfactError):
    """The experiment cannot be done with this system; says what was expected, what was seen and what to do."""


class Subject(System, RunsWorkers, Protocol):
    """A system that is driven by commands and whose workers are processes of their own."""


ABILITIES: dict[type, str] = {
    RunsWorkers: "workers that are processes of their own",
    RunsRecovery: "a recovery that is a process of its own",
    AwaitsCallbacks: "workers that wait for callbacks",
    SkewsClocks: "workers whose clocks can be made wrong",
    KeepsFindings: "workers that save findings and read those of others",
    KeepsInPostgres: "a PostgreSQL whose place is known",
    ServesStreams: "streams of events over HTTP",
}
"""What an adapter can offer that experiments need, and what that is."""


class Progress(Protocol):
    """Told how far an experiment is."""

    def __call__(self, done: int, total: int, text: str) -> None: ...


def not_declared(
    name: str, system: System, contracts: Collection[Contract], needs: Collection[Capability]
) -> str | None:
    """Why what is called so cannot be done with this system: it declares none of these contracts, or not all of these
    capabilities. None if it does.
    """
    if not system.contracts & set(contracts):
        named = " or ".join(f"`{contract}`" for contract in contracts)
        return f"{name} is about runs under {named}, which {system.name} does not declare"
    if missing := set(needs) - capabilities_of(system):
        return f"{name} needs {', '.join(sorted(missing))}, which {system.name} does not declare"
    return None
