"""Names and closed sets of values: what a thing may be called and which states it may be in."""

from enum import StrEnum
from typing import NewType

RunId = NewType("RunId", str)
WorkerId = NewType("WorkerId", str)
CommandId = NewType("CommandId", str)

CallId = NewType("CallId", str)
"""Names an attempt or an operation; stable, stored before anything is sent, and the idempotency key on the wire."""

Fence = NewType("Fence", int)
"""The number handed out with a lease: every grant of a run has a higher one than every grant before it."""

NO_FENCE = Fence(0)
"""The fence of a run that was never granted."""

WaitId = NewType("WaitId", str)
"""Names one checkpoint of a run and the wait that is sealed with it."""

SpawnId = NewType("SpawnId", str)
MaterialId = NewType("MaterialId", str)
SourceId = NewType("SourceId", str)
UserId = NewType("UserId", str)
TenantId = NewType("TenantId", str)

RequestId = NewType("RequestId", str)
"""Names what a user asked for once; one request admits one run (CONTINUE.10)."""

BundleId = NewType("BundleId", str)
"""Names resolved versions of workflow, prompt, tools, model and policy. A selector such as `latest` names none."""

FIRST_BUNDLE = BundleId("bundle-1")
LATEST = BundleId("latest")
"""A selector: admission resolves it to the bundle deployed last (VERSION.1)."""

TENANT = TenantId("tenant")
"""Whose runs they are where nobody says otherwise."""

FORMAT = 1
"""The format of checkpoints that is current."""

DEATHS_MAX = 2
"""So many workers may die on one step before the run is settled (EFFECT.13)."""

INLINE_MAX = 1_000
"""A text of more characters is kept once, by its digest (HISTORY.8)."""

TEXT_MAX = 100_000
"""A text of more characters cannot be stored (HISTORY.9)."""

RECORD_MAX = 200
"""So many characters stand at most for a text that cannot be stored."""


class EntryPoint(StrEnum):
    """The doors to the store. What each may write stands in `keepfact.spec.entry_points`."""

    OBSERVE = "observe"
    SUBMIT = "submit"
    CONTINUE = "continue"
    WORK = "work"
    RECOVER = "recover"
    DECIDE = "decide"
    DELIVER = "deliver"
    WAKE = "wake"
    CANCEL = "cancel"
    RECONCILE = "reconcile"
    GRANT = "grant"
    DEPLOY = "deploy"
    PURGE = "purge"


class Contract(StrEnum):
    """What a run promises after its worker is lost.

    `settle`: it is brought to an honest end and keeps every fact; nothing is executed on. `resume`: it goes on from the
    last committed fact.
    """

    SETTLE = "settle"
    RESUME = "resume"


class RunState(StrEnum):
    """Where a run stands. `unknown` is sealed but not ended: evidence turns it into the end it was sealed for."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING_APPROVAL = "waiting_approval"
    WAITING_EXTERNAL = "waiting_external"
    CANCELLING = "cancelling"
    UNKNOWN = "unknown"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


WAITS = frozenset({RunState.WAITING_APPROVAL, RunState.WAITING_EXTERNAL})
ENDS = frozenset({RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELLED, RunState.INTERRUPTED})


class CallKind(StrEnum):
    """An attempt is a request to the model, an operation one to a tool. Both are calls."""

    ATTEMPT = "attempt"
    OPERATION = "operation"


class CallState(StrEnum):
    """What the system knows about a call. `open` is in flight as far as anybody said; `unknown` waits for evidence."""

    OPEN = "open"
    CONFIRMED = "confirmed"
    UNKNOWN = "unknown"
    NOT_FOUND = "not_found"


class Evidence(StrEnum):
    """What a provider, a tool or a named person says about an unresolved call."""

    CONFIRMED = "confirmed"
    NOT_FOUND = "not_found"
    AMBIGUOUS = "ambiguous"


class WaitKind(StrEnum):
    """What a run waits for."""

    APPROVAL = "approval"
    CALLBACK = "callback"
    CHILD = "child"
    TIMER = "timer"


class WaitState(StrEnum):
    """`waiting` until what it waits for was accepted; then the wake is `consumed` by one grant. Or it is closed."""

    WAITING = "waiting"
    ACCEPTED = "accepted"
    CONSUMED = "consumed"
    CLOSED = "closed"


class Undo(StrEnum):
    """How far a compensation can undo what it compensates."""

    REVERSIBLE = "reversible"
    CORRECTABLE = "correctable"
    IRREVERSIBLE = "irreversible"


class Branch(StrEnum):
    """Which way a run takes where a release has changed the program."""

    OLD = "old"
    NEW = "new"


class Label(StrEnum):
    """How a material is handed over to a run that continues another."""

    CURRENT = "current"
    STALE = "stale"
    SUPERSEDED = "superseded"
    JUDGEMENT = "judgement"
    """What somebody once concluded: history, not a fact."""


class Drift(StrEnum):
    """What an approval is bound to and may have changed since."""

    RESOURCE = "resource"
    PLAN = "plan"
    POLICY = "policy"
    PERMISSION = "permission"


class EventType(StrEnum):
    """What a history can say. Each type may be written by the entry points that the authority table names."""

    ADMITTED = "admitted"
    GRANTED = "granted"
    RELEASED = "released"
    INTENDED = "intended"
    ANSWERED = "answered"
    LOST = "lost"
    PUBLISHED = "published"
    RECONCILED = "reconciled"
    SEALED = "sealed"
    ENDED = "ended"
    SENT_AGAIN = "sent_again"
    WAITED = "waited"
    DECIDED = "decided"
    ARRIVED = "arrived"
    ARRIVED_LATE = "arrived_late"
    CANCEL_REQUESTED = "cancel_requested"
    SPAWNED = "spawned"
    MARKED = "marked"
    SAVED = "saved"
    ASSESSED = "assessed"


MOVES = {
    EventType.ADMITTED: frozenset({RunState.QUEUED}),
    EventType.RELEASED: frozenset({RunState.QUEUED}),
    EventType.GRANTED: frozenset({RunState.RUNNING}),
    EventType.WAITED: WAITS,
    EventType.CANCEL_REQUESTED: frozenset({RunState.CANCELLING}),
    EventType.SEALED: frozenset({RunState.UNKNOWN}),
    EventType.ENDED: ENDS,
}
"""The events that move a run, and where each may leave it."""
