"""How a run comes to wait, what may wake it, and how the wake is used."""

from typing import Literal

from pydantic import Field

from ...commands import BUNDLE
from .fields import Body, Id, Name, Names, Number, Text, Whole, Word, Worked

WaitKind = Literal["approval", "callback", "child", "timer"]


class Spawn(Worked):
    """Start one child for one spawn id: a run of its own, with a budget of its own."""

    spawn: Name
    child: Id
    budget_cents: Whole
    input: Text | None = None


class Wait(Worked):
    """Seal a checkpoint and wait, without lease and worker, for a callback, a child or a timer."""

    wait: Name
    kind: WaitKind
    digest: Word
    seconds: Whole
    arrivals: Number = 1
    child: Id | None = None


class RequestApproval(Worked):
    """Seal a checkpoint and wait for a person to approve one operation with these effective arguments."""

    wait: Name
    call: Id
    digest: Word
    risk: Word
    basis: Word
    seconds: Whole


class Decide(Body):
    """Answer a request for approval. The digest is of what was shown."""

    wait: Name
    approved: bool
    digest: Word


class Deliver(Body):
    """Let a callback, a child's report or a due timer arrive."""

    wait: Name
    kind: WaitKind
    number: Number
    digest: Word


class Wake(Body):
    """Consume an accepted wake; done, it carries the grant."""

    wait: Name
    worker: Name
    digest: Word
    supports: Names = (BUNDLE,)
    format: Whole = 1
    schema_: Whole | None = Field(None, alias="schema")
