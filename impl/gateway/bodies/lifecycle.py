"""How a run comes to be, is recovered, is cancelled, and is spoken of afterwards."""

from typing import Literal

from pydantic import ConfigDict, Field

from ...commands import BUNDLE
from .fields import Body, Id, Name, Names, Number, Text, User, Whole, Worked

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
    user: User
    contract: Contract
    budget_cents: Whole
    request: Id | None = None
    input: Text | None = None


class Claim(Body):
    """Ask for a lease on a queued run; done, it carries the grant."""

    worker: Name
    supports: Names = (BUNDLE,)
    schema_: Whole = Field(1, alias="schema")


class Recover(Body):
    """Bring a run whose worker was lost to an honest end, or, under resume, grant it to a worker to go on."""

    worker: Name | None = None
    supports: Names = (BUNDLE,)
    seen_fence: Whole | None = None
    schema_: Whole | None = Field(None, alias="schema")


class Cancel(Body):
    """Ask a run and its children to stop."""


class Stop(Worked):
    """End a run that was asked to stop, as cancelled; sealed as unknown while anything is unresolved."""


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
