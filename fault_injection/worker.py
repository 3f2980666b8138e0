"""One process at work on a run, as an experiment holds it: it stops at each of its seams until it is let go on."""

from dataclasses import dataclass, field

from keepfact.conformance.abilities import Process
from keepfact.spec.vocabulary import EntryPoint, WorkerId

from .processes import Death, ended, is_alive, kill_group, remove_group
from .seams import Seams
from .waiting import NotReachedError, wait_until_readable

_DOORS = {"waking": EntryPoint.WAKE, "recovering": EntryPoint.RECOVER, "reconciling": EntryPoint.RECONCILE}
"""Through which door it writes after a seam, by the first word of that; else it is that of work."""


def door_after(seam: str) -> EntryPoint:
    """The entry point through which a process writes, if it does, on the way from that seam."""
    return _DOORS.get(seam.split()[0], EntryPoint.WORK)


@dataclass
class Worker:
    """A started worker, or a recovery; `seams` are those it has reached so far."""

    name: WorkerId
    process: Process
    socket: Seams
    seams: list[str] = field(default_factory=list)
    is_gone: bool = False

    def accept(self) -> None:
        """Wait for it to come to its seams. Raises NotReachedError if it ended instead."""
        self.socket.accept(self.process)

    def next_seam(self) -> str | None:
        """Wait for its next seam; None when it has gone."""
        seam = self.socket.next()
        if seam is not None:
            self.seams.append(seam)
        self.is_gone = seam is None
        return seam

    @property
    def door(self) -> EntryPoint:
        """The entry point through which it writes, if it does, on the way from the seam at which it stands."""
        return door_after(self.seams[-1]) if self.seams else EntryPoint.WORK

    def go(self) -> None:
        """Let it go on."""
        self.socket.go()

    def stand_at(self, number: int, name: str) -> None:
        """Raises NotReachedError unless it stands at its seam of that number, from 1, and of that name."""
        if self.socket.has_news():
            raise NotReachedError(f"expected the worker to wait at its seam {self.seams[-1]}, but it went on.")
        if self.seams[number - 1 :] != [name]:
            raise NotReachedError(f"expected seam {number} to be {name}, as in rehearsal, but there were {self.seams}.")

    def wait_for_exit(self) -> int:
        """Wait until it has ended, which has passed its last seam; its exit status."""
        if is_alive(self.process):
            with ended(self.process) as end:
                wait_until_readable(f"worker {self.process.pid} ends after its last seam", end)
        return remove_group(self.process)

    def kill(self) -> Death:
        """SIGKILL it. What it had sent may still be on its way."""
        return kill_group(self.process)

    def close(self) -> None:
        """Leave no process and no socket."""
        remove_group(self.process)
        self.socket.close()
