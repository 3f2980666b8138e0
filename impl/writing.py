"""What a worker writes under its lease: one durable write at a time, with a seam before and after."""

from dataclasses import dataclass

from .insisting import insist
from .lease import Lease
from .prepared import Value
from .seams import Seams
from .store import Store


@dataclass(frozen=True)
class Writing:
    """Writes about the run of `lease`, under its fence."""

    store: Store
    seams: Seams
    lease: Lease

    def write(self, command: str, before: str, after: str, **fields: Value) -> None:
        """One durable write between its two seams. Raises StoppedError, and RefusedError."""
        grant = self.lease.grant
        self.seams.reach(before)
        insist(self.store, command, lambda: self.lease.is_live, run=grant.run, fence=grant.fence, **fields)
        self.seams.reach(after)
