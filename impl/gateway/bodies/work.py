"""What a worker may ask under its lease and fence."""

from typing import Literal

from .fields import Id, Name, Number, Text, Whole, Word, Worked


class Renew(Worked):
    """Extend a live lease to its full length from now."""


class Release(Worked):
    """Hand the run back to the queue."""


class Intend(Worked):
    """Commit the intent of a call before anything is sent: its id, the digest of its arguments, its cost ceiling."""

    call: Id
    kind: Literal["attempt", "operation"]
    digest: Word
    ceiling_cents: Whole
    supersedes: Id | None = None
    approval: Name | None = None
    compensates: Id | None = None
    undo: Literal["reversible", "correctable", "irreversible"] | None = None
    recognises: bool = False
    sends_max: Number = 1


class SendAgain(Worked):
    """Commit that a call is sent once more under its id."""

    call: Id


class RecordAnswer(Worked):
    """Store the answer of an open call. Without an amount the cost is null, which is not 0."""

    call: Id
    answer: Text
    cost_cents: Whole | None


class MarkUnknown(Worked):
    """Say that the answer of an open call was lost."""

    call: Id


class Publish(Worked):
    """Store the next version of the body shown to the user; qualified once validated as deliverable."""

    body: Text
    qualified: bool


class Mark(Worked):
    """Record which branch of a changed program this run takes."""

    marker: Name
    branch: Literal["old", "new"]


class Succeed(Worked):
    """End the run as succeeded; sealed as unknown while a cost is unresolved."""


class Fail(Worked):
    """End the run as failed; its open calls become unknown."""

    error: Text | None = None
