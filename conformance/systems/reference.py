"""The model itself as a system under test: what lockstep says of it, it says of the harness."""

from collections.abc import Sequence
from importlib.metadata import version

from keepfact.model.state import State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec.vocabulary import (
    Asking,
    Capability,
    Cause,
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
        return self._ask(command)

    def perform_in(self, session: Session, command: Command) -> Outcome:
        return self._ask(Asking(session, command))

    def observe(self, runs: Sequence[RunId]) -> Observation:
        return view(self._state, runs)

    def tick(self, seconds: int) -> None:
        self._take(Tick(seconds))

    def drift(self, what: Drift) -> None:
        self._take(Drifted(what))

    def restart(self) -> None:
        self._take(Restarted())

    def versions(self) -> dict[str, str]:
        return {"keepfact": version("keepfact")}

    def close(self) -> None:
        """Nothing was started."""

    def _ask(self, asked: Command | Asking) -> Outcome:
        outcome = self._take(asked)
        if outcome is None:
            raise AssertionError(f"a command has an outcome, but {asked} had none")
        return outcome

    def _take(self, cause: Cause | Asking) -> Outcome | None:
        outcome, self._state = step(self._state, cause)
        return outcome
