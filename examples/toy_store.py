"""An adapter to start from: everything keepfact asks of a system, around a store that is wrong in one way.

    cd examples && keepfact verify --system toy_store:ToyStore

The store behind it is keepfact's own model, so that this file shows the adapter and nothing else; put your system where
`self._store` is. The one thing that is wrong is the heartbeat: it names the run and not the lease, as many do, so a
worker that lost its run extends the lease of whoever has it now. keepfact says that FENCE.2 is broken, tells how, and
leaves a replay. Without the two lines marked NAIVE the same command ends with HOLDS.
"""

from collections.abc import Sequence
from dataclasses import replace

from keepfact.conformance.systems.reference import Reference
from keepfact.spec.vocabulary import Command, Contract, Observation, Outcome, Renew, RunId


class ToyStore:
    """A system under test. keepfact makes one without arguments, drives it, and closes it."""

    name = "toy store"
    lease_seconds = 30
    contracts = frozenset({Contract.SETTLE})

    def __init__(self) -> None:
        self._store = Reference()

    def perform(self, command: Command) -> Outcome:
        """Do what the command says, and answer Done, Refused with a reason, or Lost when nobody knows."""
        if isinstance(command, Renew) and (shown := self._store.observe([command.run]).runs):  # NAIVE
            command = replace(command, fence=shown[0].fence)  # NAIVE
        return self._store.perform(command)

    def observe(self, runs: Sequence[RunId]) -> Observation:
        """Show these runs as they are stored now, and write nothing."""
        return self._store.observe(runs)

    def tick(self, seconds: int) -> None:
        """Move the clock that leases follow; a real system has a clock that tests can set."""
        self._store.tick(seconds)

    def versions(self) -> dict[str, str]:
        """What is under test, for the evidence."""
        return {"toy store": "1"}

    def close(self) -> None:
        """Stop what was started."""
        self._store.close()
