"""What a worker may ask under its lease and fence."""

from dataclasses import dataclass

from keepfact.spec.vocabulary.terms import Branch, CallId, CallKind, Undo, WaitId

from .asked import Worked


@dataclass(frozen=True, slots=True)
class Renew(Worked):
    """Extend a live lease to its full length from now. A heartbeat, not progress: the history does not grow."""


@dataclass(frozen=True, slots=True)
class Release(Worked):
    """Hand the run back to the queue. Refused while a call is open."""


@dataclass(frozen=True, slots=True)
class Intend(Worked):
    """Commit the intent of a call before anything is sent: id, digest of the arguments, cost ceiling.

    `supersedes` names an earlier attempt, already unknown, that this one asks again (HISTORY.7). `approval` names the
    wait in which a person approved it, `compensates` an operation that this one undoes as far as `undo` says.
    `recognises`: the tool promises to recognise the id, so that sending again is a lookup (EFFECT.7). `sends_max`
    bounds how often it may be sent (EFFECT.8). `credential` goes out with the request and is stored nowhere.
    """

    call: CallId
    kind: CallKind
    digest: str
    ceiling_cents: int
    supersedes: CallId | None = None
    approval: WaitId | None = None
    compensates: CallId | None = None
    undo: Undo | None = None
    recognises: bool = False
    sends_max: int = 1
    credential: str | None = None


@dataclass(frozen=True, slots=True)
class SendAgain(Worked):
    """Commit that a call is sent once more under its id: it was not found, or its tool recognises the id."""

    call: CallId


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
class Mark(Worked):
    """Record which branch of a changed program this run takes."""

    marker: str
    branch: Branch


@dataclass(frozen=True, slots=True)
class Succeed(Worked):
    """End the run as succeeded; sealed as unknown instead while a cost is unresolved."""


@dataclass(frozen=True, slots=True)
class Fail(Worked):
    """End the run as failed; its open calls become unknown, and with one unresolved the run is sealed as unknown.

    `error` says why; a text that cannot be stored is recorded in constant size (HISTORY.9).
    """

    error: str | None = None
