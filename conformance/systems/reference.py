"""The model itself as a system under test: what lockstep says of it, it says of the harness."""

from collections.abc import Sequence
from importlib.metadata import version

from keepfact.model.state import State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec.vocabulary import (
    Asking,
    Capability,
    Command,
    Contract,
    Drift,
    Drifted,
    Observation,
    Outcome,
    Restarted,
    RunId,
    Session,
    Tick,
)


class Reference:
    """Perfect, in memory, without workers."""

    name = "reference"
    lease_seconds = 30
    contracts = frozenset(Contract)
    capabilities = frozenset(Capability) - {Capability.LOOKUP}  # it has no tool that could be asked

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self._state = State(self.lease_seconds)

    def perform(self, command: Command) -> Outcome:
        return self._take(command)

    def perform_in(self, session: Session, command: Command) -> Outcome:
        return self._take(Asking(session, command))

    def observe(self, runs: Sequence[RunId]) -> Observation:
        return view(self._state, runs)

    def tick(self, seconds: int) -> None:
        _, self._state = step(self._state, Tick(seconds))

    def drift(self, what: Drift) -> None:
        _, self._state = step(self._state, Drifted(what))

    def restart(self) -> None:
        _, self._state = step(self._state, Restarted())

    def versions(self) -> dict[str, str]:
        return {"keepfact": version("keepfact")}

    def close(self) -> None:
        """Nothing was started."""

    def _take(self, asked: Command | Asking) -> Outcome:
        outcome, self._state = step(self._state, asked)
        if outcome is None:
            raise AssertionError(f"a command has an outcome, but {asked} had none")
        return outcome
