"""The words between a program and the worker that carries out what it decides."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

FIRST_BUNDLE = "bundle-1"


@dataclass(frozen=True, slots=True)
class CallFact:
    """What is known of a call.

    `open`, `answered` with the text of the answer, `lost`, `confirmed` by evidence without an answer, `not_found`, or
    `denied` by whoever was asked to approve it.
    """

    state: Literal["open", "answered", "lost", "confirmed", "not_found", "denied"]
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """A request for approval: under which wait, of arguments with which digest, and what was decided so far."""

    wait: str
    digest: str
    approved: bool | None = None


@dataclass(frozen=True, slots=True)
class Handed:
    """A finding that was handed over from another run: its label, and its text once it was read."""

    origin: str
    label: Literal["current", "stale", "superseded", "judgement"]
    content: str | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come, by its history alone. Calls, waits and children go by their names within the run."""

    calls: Mapping[str, CallFact] = field(default_factory=dict)
    publications: int = 0
    input: str | None = None
    requests: Mapping[str, Request] = field(default_factory=dict)
    woken: frozenset[str] = frozenset()
    children: frozenset[str] = frozenset()
    branches: Mapping[str, str] = field(default_factory=dict)
    saved: frozenset[str] = frozenset()
    handed: Mapping[str, Handed] = field(default_factory=dict)
    unresolved_before: tuple[str, ...] = ()
    is_cancelled: bool = False


@dataclass(frozen=True, slots=True)
class AskModel:
    """Send messages to the model. `attempt` names the call within the run, `supersedes` one that it asks again."""

    attempt: str
    messages: tuple[Mapping[str, Any], ...]
    ceiling_cents: int
    supersedes: str | None = None


@dataclass(frozen=True, slots=True)
class Approval:
    """A person must approve before it is sent: how risky it is, who may permit it, for how long the request stands."""

    risk: str
    basis: str
    seconds: int


@dataclass(frozen=True, slots=True)
class UseTool:
    """Have a tool act. `operation` names the call within the run.

    Decided again for a call that was not found, or is lost at a tool that `recognises` its id, it is sent once more.
    """

    operation: str
    tool: str
    arguments: Mapping[str, Any]
    ceiling_cents: int
    approval: Approval | None = None
    recognises: bool = False
    sends_max: int = 1


@dataclass(frozen=True, slots=True)
class Publish:
    """Show the user the next version of the body."""

    body: str
    qualified: bool


@dataclass(frozen=True, slots=True)
class SaveMaterial:
    """Save a finding with its lineage."""

    material: str
    source: str
    content: str
    as_of: str
    fresh_seconds: int
    derived_from: tuple[str, ...] = ()
    replaces: str | None = None
    judgement: bool = False


@dataclass(frozen=True, slots=True)
class ReadMaterial:
    """Use a finding that was handed over, as it stands."""

    material: str


@dataclass(frozen=True, slots=True)
class WaitFor:
    """Wait for callbacks, for a child or for a timer."""

    wait: str
    kind: Literal["callback", "child", "timer"]
    seconds: int
    arrivals: int = 1
    child: str | None = None


@dataclass(frozen=True, slots=True)
class Spawn:
    """Start a child, once for each name."""

    spawn: str
    budget_cents: int
    input: str | None = None


@dataclass(frozen=True, slots=True)
class TakeBranch:
    """Record which way this run takes where a release has changed the program."""

    marker: str


@dataclass(frozen=True, slots=True)
class Succeed:
    """The program is through."""


@dataclass(frozen=True, slots=True)
class Fail:
    """The program cannot go on, and why."""

    reason: str


Decision = AskModel | UseTool | Publish | SaveMaterial | ReadMaterial | WaitFor | Spawn | TakeBranch | Succeed | Fail
