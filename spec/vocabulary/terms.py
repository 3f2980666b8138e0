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


ENDS = frozenset({RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELLED, RunState.INTERRUPTED})


class CallKind(StrEnum):
    """An attempt is a request to the model, an operation one to a tool. Both are calls."""

    ATTEMPT = "attempt"
    OPERATION = "operation"


class CallState(StrEnum):
    """What the system knows about a call. `open` is in flight under a live worker; `unknown` is lost until evidence."""

    OPEN = "open"
    CONFIRMED = "confirmed"
    UNKNOWN = "unknown"
    NOT_FOUND = "not_found"


class Evidence(StrEnum):
    """What a provider, a tool or a named person says about an unresolved call."""

    CONFIRMED = "confirmed"
    NOT_FOUND = "not_found"
    AMBIGUOUS = "ambiguous"


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
