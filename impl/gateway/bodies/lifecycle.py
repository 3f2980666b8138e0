"""How a run comes to be, is recovered, is cancelled, and is spoken of afterwards."""

from typing import Literal

from pydantic import ConfigDict, Field

from .fields import Body, Id, Ids, Number, Text, Whole, Word, Worked

Contract = Literal["settle", "resume"]


class Submit(Body):
    """Admit a new run, pinned to its contract and its bundle, with a budget."""

    run: Id
    contract: Contract
    budget_cents: Whole
    bundle: Id = "latest"
    request: Id | None = None
    input: Text | None = None


class Continue(Body):
    """Admit a new run that may read what the source left, as far as the user may read it."""

    run: Id
    user_: Id
    contract: Contract
    budget_cents: Whole
    request: Id | None = None
    input: Text | None = None


class Claim(Body):
    """Ask for a lease on a queued run; done, it carries the grant."""

    worker: Id
    supports: Ids = Field(["bundle-1"])
    schema_: Whole = 1


class Recover(Body):
    """Bring a run whose worker was lost to an honest end, or, under resume, grant it to a worker to go on."""

    worker: Id | None = None
    supports: Ids = Field(["bundle-1"])
    seen_fence: Whole | None = None
    schema_: Whole | None = None


class Cancel(Body):
    """Ask a run and its children to stop."""


class Stop(Worked):
    """End a run that was asked to stop, as cancelled; sealed as unknown while anything is unresolved."""


class Replay(Body):
    """Decide again from the stored history; done, it carries the next decision."""

    host: Word


class LookUp(Body):
    """Ask the tool what became of a call; done, it carries what the tool said."""

    call: Id


class Reconcile(Body):
    """Bring evidence on an unresolved call; an amount comes only with `confirmed`.

    Who asked a tool says as `sends` how often the call had been sent then: evidence is none about a later request.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "if": {"properties": {"evidence": {"const": "confirmed"}}},
            "else": {"properties": {"cost_cents": {"type": "null"}}},
        }
    )

    call: Id
    evidence: Literal["confirmed", "not_found", "ambiguous"]
    cost_cents: Whole | None
    sends: Number | None = None
    """How often the call had been sent when somebody was asked about it."""


class Assess(Body):
    """Say whether the result of an ended run is good."""

    good: bool
