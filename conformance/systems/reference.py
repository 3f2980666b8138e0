"""The model itself as a system under test: what lockstep says of it, it says of the harness."""

from collections.abc import Sequence
from importlib.metadata import version

from keepfact.model.state import State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec.vocabulary import Command, Contract, Observation, Outcome, RunId, Tick


class Reference:
    """Perfect, in memory, without workers."""

    name = "reference"
    lease_seconds = 30
    contracts = frozenset({Contract.SETTLE})

    def __init__(self) -> None:
        self._state = State(self.lease_seconds)

    def perform(self, command: Command) -> Outcome:
        outcome, self._state = step(self._state, command)
        if outcome is None:
            raise AssertionError(f"a command has an outcome, but {command} had none")
        return outcome

    def observe(self, runs: Sequence[RunId]) -> Observation:
        return view(self._state, runs)

    def tick(self, seconds: int) -> None:
        _, self._state = step(self._state, Tick(seconds))

    def versions(self) -> dict[str, str]:
        return {"keepfact": version("keepfact")}

    def close(self) -> None:
        """Nothing was started."""
