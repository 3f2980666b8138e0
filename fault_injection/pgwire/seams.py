"""Seams: the places in a session's talk with its server where something can be lost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from .statements import Kind


class Side(StrEnum):
    """Before it reaches the server, or after its effect but before its answer reaches the client."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Client:
    """Who has opened a session: the how manyth it is at this proxy, from 1, and what it said when it came."""

    number: int
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def application_name(self) -> str:
        return self.parameters.get("application_name", "")

    def __str__(self) -> str:
        return f"session {self.number}" + (f" ({self.application_name})" if self.application_name else "")


Whose = Callable[[Client], bool]
"""Which sessions are meant."""


def everyone(_: Client) -> bool:
    """All sessions."""
    return True


def named(application_name: str) -> Whose:
    """Those whose startup gave that `application_name`."""
    return lambda client: client.application_name == application_name


@dataclass(frozen=True, slots=True)
class Seam:
    """A place of a session, numbered from 1 by whoever watches.

    A statement is what a client sends up to Sync, or as one simple query: it may have several in it. `answer` is what
    the server has said to it, at a seam after it.
    """

    number: int
    side: Side
    kind: Kind
    statement: str
    client: Client
    answer: str = ""

    def __str__(self) -> str:
        answered = f", answered: {self.answer}" if self.answer else ""
        return f"{self.side} {self.kind}: {self.statement}{answered}"
