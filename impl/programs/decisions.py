"""The words between a program and the worker that carries it out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class CallFact:
    """What is known of a call: `open`, `answered` with the text of the answer, or `lost`."""

    state: Literal["open", "answered", "lost"]
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come: its calls by their name within the run, and the number of versions published."""

    calls: Mapping[str, CallFact]
    publications: int


@dataclass(frozen=True, slots=True)
class AskModel:
    """Send messages to the model. `attempt` names the call within the run."""

    attempt: str
    messages: tuple[Mapping[str, Any], ...]
    ceiling_cents: int


@dataclass(frozen=True, slots=True)
class UseTool:
    """Have a tool act. `operation` names the call within the run."""

    operation: str
    tool: str
    arguments: Mapping[str, Any]
    ceiling_cents: int


@dataclass(frozen=True, slots=True)
class Publish:
    """Show the user the next version of the body."""

    body: str
    qualified: bool


@dataclass(frozen=True, slots=True)
class Succeed:
    """The program is through."""


@dataclass(frozen=True, slots=True)
class Fail:
    """The program cannot go on; the reason is for the log."""

    reason: str


Decision = AskModel | UseTool | Publish | Succeed | Fail
