"""Everything that may be asked of a system, one frozen class a command, grouped by the entry point it belongs to.

A command says *what* is asked. Who asks comes from the authenticated session, never from the command (TENANT.3).
Amounts are whole cents; durations are whole seconds of the store's clock.
"""

from dataclasses import dataclass
from typing import ClassVar

from .terms import CallId, CallKind, CommandId, Contract, EntryPoint, Evidence, Fence, RunId, WorkerId


@dataclass(frozen=True, slots=True)
class Asked:
    """What all commands have in common: the id under which repeating them is safe (ENTRY.6)."""

    entry_point: ClassVar[EntryPoint]

    command_id: CommandId


@dataclass(frozen=True, slots=True)
class AskedOfRun(Asked):
    """A command about one run."""

    run: RunId


@dataclass(frozen=True, slots=True)
class Observe(AskedOfRun):
    """Read a run. Writes nothing at all."""

    entry_point = EntryPoint.OBSERVE


@dataclass(frozen=True, slots=True)
class Submit(AskedOfRun):
    """Admit a new run, pinned to its contract, with a budget."""

    entry_point = EntryPoint.SUBMIT

    contract: Contract
    budget_cents: int


@dataclass(frozen=True, slots=True)
class Claim(AskedOfRun):
    """Ask for a lease on a queued run; done, it carries the grant."""

    entry_point = EntryPoint.WORK

    worker: WorkerId


@dataclass(frozen=True, slots=True)
class Worked(AskedOfRun):
    """A command of a worker that holds, or believes it holds, a lease."""

    entry_point = EntryPoint.WORK

    fence: Fence


@dataclass(frozen=True, slots=True)
class Renew(Worked):
    """Extend a live lease to its full length from now. A heartbeat, not progress: the history does not grow."""


@dataclass(frozen=True, slots=True)
class Release(Worked):
    """Hand the run back to the queue. Refused while a call is open."""


@dataclass(frozen=True, slots=True)
class Intend(Worked):
    """Commit the intent of a call before anything is sent: id, digest of the arguments, cost ceiling.

    `supersedes` names an earlier attempt, already unknown, that this one asks again (HISTORY.7).
    """

    call: CallId
    kind: CallKind
    digest: str
    ceiling_cents: int
    supersedes: CallId | None = None


@dataclass(frozen=True, slots=True)
class RecordAnswer(Worked):
    """Store the answer of an open call. `cost_cents` is None when the answer names no amount, which is not 0."""

    call: CallId
    answer: str
    cost_cents: int | None


@dataclass(frozen=True, slots=True)
class MarkUnknown(Worked):
    """Say that the answer of an open call was lost: a timeout, a cut. Nothing about the effect is claimed."""

    call: CallId


@dataclass(frozen=True, slots=True)
class Publish(Worked):
    """Store the next version of the body shown to the user; qualified once validated as deliverable."""

    body: str
    qualified: bool


@dataclass(frozen=True, slots=True)
class Succeed(Worked):
    """End the run as succeeded; sealed as unknown instead while a cost is unresolved."""


@dataclass(frozen=True, slots=True)
class Fail(Worked):
    """End the run as failed; its open calls become unknown, and with one unresolved the run is sealed as unknown."""


@dataclass(frozen=True, slots=True)
class Recover(AskedOfRun):
    """Bring a run whose lease lapsed to an honest end (settle)."""

    entry_point = EntryPoint.RECOVER


@dataclass(frozen=True, slots=True)
class Reconcile(AskedOfRun):
    """Bring evidence on an unresolved call; `cost_cents` is an amount only with `confirmed`, else None."""

    entry_point = EntryPoint.RECONCILE

    call: CallId
    evidence: Evidence
    cost_cents: int | None


Command = (
    Observe
    | Submit
    | Claim
    | Renew
    | Release
    | Intend
    | RecordAnswer
    | MarkUnknown
    | Publish
    | Succeed
    | Fail
    | Recover
    | Reconcile
)
"""The commands that the model predicts and systems are driven with today; `assert_never` leads through the rest."""


# The commands of chapters that are not rules yet. A command moves into `Command` together with its rules.


@dataclass(frozen=True, slots=True)
class Continue(AskedOfRun):
    """Admit a new run that may read what `source` left; nothing is written in `source`."""

    entry_point = EntryPoint.CONTINUE

    source: RunId


@dataclass(frozen=True, slots=True)
class SaveMaterial(Worked):
    """Save a finding with its source."""

    material: str
    source: str
    digest: str


@dataclass(frozen=True, slots=True)
class Wait(Worked):
    """Seal a checkpoint and wait for a person, a child, a callback or a timer."""

    checkpoint: str
    subject: str


@dataclass(frozen=True, slots=True)
class Spawn(Worked):
    """Start one child for one spawn id."""

    child: RunId


@dataclass(frozen=True, slots=True)
class Mark(Worked):
    """Record which branch of a changed program this run takes."""

    marker: str


@dataclass(frozen=True, slots=True)
class Decide(AskedOfRun):
    """A person answers a request: the decision and the wake, in one commit."""

    entry_point = EntryPoint.DECIDE

    checkpoint: str
    approved: bool


@dataclass(frozen=True, slots=True)
class Deliver(AskedOfRun):
    """A callback, a child's report or a timer arrives."""

    entry_point = EntryPoint.DELIVER

    checkpoint: str
    digest: str


@dataclass(frozen=True, slots=True)
class Wake(AskedOfRun):
    """Consume an accepted wake; done, it carries the grant."""

    entry_point = EntryPoint.WAKE

    checkpoint: str
    worker: WorkerId


@dataclass(frozen=True, slots=True)
class Cancel(AskedOfRun):
    """Ask a run to stop; nothing new is dispatched from its commit on."""

    entry_point = EntryPoint.CANCEL


@dataclass(frozen=True, slots=True)
class Grant(Asked):
    """Let a user read a source."""

    entry_point = EntryPoint.GRANT

    source: str
    user: str


@dataclass(frozen=True, slots=True)
class Revoke(Asked):
    """Withdraw a grant, also from whatever was derived from the source."""

    entry_point = EntryPoint.GRANT

    source: str
    user: str


@dataclass(frozen=True, slots=True)
class Deploy(Asked):
    """Let workers take runs of a bundle."""

    entry_point = EntryPoint.DEPLOY

    bundle: str


@dataclass(frozen=True, slots=True)
class Retire(Asked):
    """Withdraw a bundle that no run needs any more."""

    entry_point = EntryPoint.DEPLOY

    bundle: str


LaterCommand = (
    Continue | SaveMaterial | Wait | Spawn | Mark | Decide | Deliver | Wake | Cancel | Grant | Revoke | Deploy | Retire
)
