"""Who counts the seams of sessions, and says what shall happen at which."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from .faults import At, Cut, Fault, Hold, Partition
from .seams import Client, Seam, Side, Whose, everyone
from .statements import Kind

F = TypeVar("F", bound=Fault)


class Watch:
    """Numbers the seams of the sessions it is about, from 1, in the order in which they are reached."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        partitions: list[Partition],
        whose: Whose,
        which: Callable[[str], bool],
    ) -> None:
        self._loop, self._partitions = loop, partitions
        self._whose, self._which = whose, which
        self._seams: list[Seam] = []
        self._faults: list[Fault] = []
        self.is_ended = False

    @property
    def seams(self) -> tuple[Seam, ...]:
        """All that were reached so far."""
        return tuple(self._seams)

    def hold(self, at: At) -> Hold:
        """Have the session held there."""
        return self._add(Hold(self._loop, at))

    def cut(self, at: At) -> Cut:
        """Have the connection cut there."""
        return self._add(Cut(self._loop, at))

    def partition(self, at: At, whose: Whose = everyone) -> Partition:
        """Have silence fall there, for those sessions and for new ones of theirs."""
        return self._add(Partition(self._loop, at, whose, self._partitions))

    def end(self) -> None:
        """Count no more, and strike no more."""
        self.is_ended = True

    def is_about(self, client: Client, statement: str) -> bool:
        """Whether it counts the seams of that statement."""
        return not self.is_ended and self._whose(client) and self._which(statement)

    async def reach(self, side: Side, kind: Kind, statement: str, client: Client, answer: str = "") -> None:
        """A session has come to a seam; returns when it may go on. Raises CutError. In the proxy's thread."""
        seam = Seam(len(self._seams) + 1, side, kind, statement, client, answer)
        self._seams.append(seam)
        for fault in self._faults:
            if fault.fits(seam):
                fault.is_spent = True
                await fault.strike(seam)

    def _add(self, fault: F) -> F:
        self._faults.append(fault)
        return fault
