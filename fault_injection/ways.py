"""The way of each worker to its database: a proxy of its own, which can be broken without harm to anybody else."""

from contextlib import ExitStack
from types import TracebackType
from typing import Self

from keepfact.conformance.abilities import DatabaseAddress, KeepsInPostgres
from keepfact.spec.vocabulary import RunId

from .pgwire import Proxy, Upstream
from .subject import ExperimentError, Subject
from .trial import Trial


class Ways:
    """Those of the first worker of each run, for as long as the context lasts."""

    def __init__(self, system: Subject) -> None:
        """Raises ExperimentError if the system does not say where its PostgreSQL is."""
        if not isinstance(system, KeepsInPostgres):
            raise ExperimentError(f"expected {system.name} to say where its PostgreSQL is, but it has no `database`.")
        self.system: KeepsInPostgres = system
        self._proxies: dict[RunId, Proxy] = {}
        self._open = ExitStack()

    def start(self, trial: Trial) -> None:
        """Start the trial with a worker that goes this way; whoever comes after it goes straight."""
        proxy = self._proxies[trial.run] = self._open.enter_context(Proxy(Upstream.of(self.system.database())))
        trial.database = DatabaseAddress(*proxy.address)
        trial.start()
        trial.database = None

    def of(self, trial: Trial) -> Proxy:
        """The way of the worker with which the trial was started."""
        return self._proxies[trial.run]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()
