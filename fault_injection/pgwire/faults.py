"""What can be made to happen at a seam, and the proof that it did. Asked from any thread; done in the proxy's own."""

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from ..waiting import PATIENCE_SECONDS, NotReachedError
from .seams import Client, Seam, Side, Whose

At = int | Callable[[Seam], bool]
"""A seam by its number, or the first for which something is true."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """The proof of a fault: at which seam (none: at once), when (wall time), and what was done and seen."""

    seam: Seam | None
    at: float
    says: str

    @property
    def proof(self) -> str:
        where = "" if self.seam is None else f"{self.seam.client} at seam {self.seam.number}, {self.seam}: "
        return where + self.says


class Fault:
    """Strikes once, at the first seam that fits."""

    what: ClassVar[str]

    def __init__(self, loop: asyncio.AbstractEventLoop, at: At) -> None:
        self._loop, self._at = loop, at
        self._happened = threading.Event()
        self._delivered: Delivered | None = None
        self.is_spent = False

    @property
    def is_delivered(self) -> bool:
        return self._happened.is_set()

    @property
    def delivered(self) -> Delivered:
        """The proof. Raises NotReachedError while there is none."""
        if self._delivered is None:
            raise NotReachedError(f"expected that {self.what}, but no seam that fits was reached.")
        return self._delivered

    def wait_until_delivered(self, patience_seconds: float = PATIENCE_SECONDS) -> Delivered:
        """Return the proof as soon as it has happened. Raises NotReachedError."""
        if not self._happened.wait(patience_seconds):
            raise NotReachedError(f"expected within {patience_seconds:g} s that {self.what}, but it did not happen.")
        return self.delivered

    def fits(self, seam: Seam) -> bool:
        """Whether it is to strike there."""
        return not self.is_spent and (seam.number == self._at if isinstance(self._at, int) else self._at(seam))

    async def strike(self, seam: Seam) -> None:
        """Do it; called in the proxy's thread."""
        raise NotImplementedError

    def happened(self, seam: Seam | None, says: str) -> None:
        """Keep the proof; called in the proxy's thread."""
        self._delivered = Delivered(seam, time.time(), says)
        self._happened.set()


class Hold(Fault):
    """The session stands still at its seam until it is let go: its statement, or the answer, with it."""

    what = "a session is held at its seam"

    def __init__(self, loop: asyncio.AbstractEventLoop, at: At) -> None:
        super().__init__(loop, at)
        self._gone_on = asyncio.Event()

    async def strike(self, seam: Seam) -> None:
        held = "the statement" if seam.side is Side.BEFORE else "the answer"
        self.happened(seam, f"{held} is held")
        await self._gone_on.wait()

    def let_go(self) -> None:
        """Let it go on; from now on nobody is held."""
        self.is_spent = True
        _call(self._loop, self._gone_on.set)


class CutError(Exception):
    """Ends a session at its seam."""

    def __init__(self, cut: "Cut", seam: Seam) -> None:
        super().__init__(str(seam))
        self.cut, self.seam = cut, seam


class Cut(Fault):
    """The connection is cut. At a seam before a statement this never reaches the server; at one after it, the server
    has answered, and the client never hears of it.
    """

    what = "a connection is cut at its seam, and its server session ends"

    async def strike(self, seam: Seam) -> None:
        raise CutError(self, seam)

    def was_cut(self, seam: Seam, is_server_gone: bool) -> None:
        """Called in the proxy's thread once both sides are over."""
        lost = "the server got nothing of the statement" if seam.side is Side.BEFORE else "the client got no answer"
        server = "the server ended its session" if is_server_gone else "the server has not ended its session yet"
        self.happened(seam, f"connection reset; {lost}, or not all of it; {server}")


class Partition(Fault):
    """Silence until healed: no byte and no end of a connection gets through in either direction, and who comes newly
    is let in and hears nothing. What was sent meanwhile arrives afterwards, as in a network that comes back.
    """

    what = "the network is silent"

    def __init__(self, loop: asyncio.AbstractEventLoop, at: At, whose: Whose, all_: list["Partition"]) -> None:
        super().__init__(loop, at)
        self.whose = whose
        self._all = all_
        self._healed = asyncio.Event()
        self._kept: list[str] = []

    async def strike(self, seam: Seam) -> None:
        self.begin(seam)

    def begin(self, seam: Seam | None) -> None:
        """Called in the proxy's thread."""
        if not self._healed.is_set():
            self._all.append(self)
            self.happened(seam, "nothing gets through in either direction")

    def concerns(self, client: Client) -> bool:
        return self.whose(client)

    async def keep(self, client: Client, what: str) -> None:
        """Keep something back until it is healed."""
        self._kept.append(f"{client}: {what}")
        await self._healed.wait()

    @property
    def kept(self) -> tuple[str, ...]:
        """What was kept back so far: the proof that somebody met the silence."""
        return tuple(self._kept)

    def heal(self) -> None:
        """Let everything through again. Healing again does nothing."""
        self.is_spent = True
        _call(self._loop, self._heal)

    def _heal(self) -> None:
        self._healed.set()
        if self in self._all:
            self._all.remove(self)

    def __enter__(self) -> "Partition":
        return self

    def __exit__(self, *_: object) -> None:
        self.heal()


def _call(loop: asyncio.AbstractEventLoop, function: Callable[[], None]) -> None:
    """Have it done in the loop's thread; in a loop that is closed there is nothing left to do it for."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(function)
