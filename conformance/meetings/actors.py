"""What a system must offer so that several commands can be under way in it at once, in an order that we choose."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from keepfact.spec.vocabulary import Asking, Command, Outcome


@dataclass(frozen=True, slots=True)
class At:
    """The actor stands still at a milestone, in the middle of its command, and can go on."""

    milestone: str


@dataclass(frozen=True, slots=True)
class Behind:
    """The actor waits for what another holds, and goes on by itself once it is let go."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The actor has its answer."""

    outcome: Outcome


Stand = At | Behind | Ended
START = At("start")
"""The command has not been sent yet."""


class Meeting(Protocol):
    """Actors, each with one command. None moves unless it is told to, but for one that waits behind another."""

    def stands(self) -> Sequence[Stand]:
        """Where each actor stands, once none is moving any more."""

    def go_on(self, actor: int) -> None:
        """Let it go on from where it stands to the next milestone."""


@runtime_checkable
class Interleaves(Protocol):
    """A system in which commands can be stopped in the middle."""

    def meeting(self, asked: Sequence[Command | Asking]) -> AbstractContextManager[Meeting]:
        """One actor for each command. Leaving lets all of them run to their ends."""
