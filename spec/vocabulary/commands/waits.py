"""How a run comes to wait, what may wake it, and how the wake is used."""

from dataclasses import dataclass

from keepfact.spec.vocabulary.terms import (
    FIRST_BUNDLE,
    FORMAT,
    BundleId,
    CallId,
    EntryPoint,
    RunId,
    SpawnId,
    WaitId,
    WaitKind,
    WorkerId,
)

from .asked import AskedOfRun, Worked


@dataclass(frozen=True, slots=True)
class Spawn(Worked):
    """Start one child for one spawn id: a run of its own, with a budget of its own."""

    spawn: SpawnId
    child: RunId
    budget_cents: int


@dataclass(frozen=True, slots=True)
class Wait(Worked):
    """Seal a checkpoint and wait, without lease and worker, for a callback, a child or a timer.

    `digest` is that of the request that is waited on. A callback is complete with `arrivals` arrivals, numbered from 1;
    anything else comes once. A timer is due after `seconds`; any other wait expires after them. `child` is the run that
    is waited for.
    """

    wait: WaitId
    kind: WaitKind
    digest: str
    seconds: int
    arrivals: int = 1
    child: RunId | None = None


@dataclass(frozen=True, slots=True)
class RequestApproval(Worked):
    """Seal a checkpoint and wait for a person to approve one operation with these effective arguments.

    What else the approval is bound to (versions in force, permission) the store takes down itself, in the same commit.
    """

    wait: WaitId
    call: CallId
    digest: str
    risk: str
    basis: str
    seconds: int


@dataclass(frozen=True, slots=True)
class Decide(AskedOfRun):
    """A person answers a request: the decision and the wake, in one commit. `digest` is of what was shown."""

    entry_point = EntryPoint.DECIDE

    wait: WaitId
    approved: bool
    digest: str


@dataclass(frozen=True, slots=True)
class Deliver(AskedOfRun):
    """A callback, a child's report or a due timer arrives: the arrival and with the last the wake, in one commit."""

    entry_point = EntryPoint.DELIVER

    wait: WaitId
    kind: WaitKind
    number: int
    digest: str


@dataclass(frozen=True, slots=True)
class Wake(AskedOfRun):
    """Consume an accepted wake; done, it carries the grant. `format` and `digest` are what the worker takes up."""

    entry_point = EntryPoint.WAKE

    wait: WaitId
    worker: WorkerId
    digest: str
    supports: tuple[BundleId, ...] = (FIRST_BUNDLE,)
    format: int = FORMAT
