"""What is answered when it went well, as the OpenAPI document tells it. Nothing here is checked at run time."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Shown(BaseModel):
    """Fields that are always there. A later release may show more beside them."""

    model_config = ConfigDict(extra="allow")


class Lease(Shown):
    """A lease under `fence`, for `lease_seconds` from the commit on the store's clock."""

    run: str
    fence: int
    lease_seconds: int


class Done(Shown):
    """It happened and is durable. A claim, a wake or a recovery under resume carries the grant."""

    outcome: Literal["done"]
    grant: Lease | None = None


class Event(Shown):
    """One event of a history. `concerns` is the id of what it is about; digests chain the events."""

    number: int = Field(ge=1)
    type: str
    entry_point: str
    principal: str
    fence: int | None
    concerns: str | None
    payload_digest: str | None
    digest: str | None
    previous_digest: str | None
    payload: Any


class Events(BaseModel):
    """Events in order, without gaps. `next_after` asks for the next page; once `is_over`, no more will come."""

    events: list[Event]
    next_after: int
    is_over: bool


class Delivered(Shown):
    """The version of the body that a sealed run hands to its user, marked partial unless the run succeeded."""

    version: int
    partial: bool


class Run(Shown):
    """One run. The true cost lies in [`known_cents`, `known_cents + held_cents`]."""

    run: str
    contract: str
    state: str
    fence: int
    budget_cents: int
    known_cents: int
    held_cents: int
    unresolved: int
    worker: str | None
    lease_left_seconds: int | None
    sealed_for: str | None
    delivered: Delivered | None
    calls: list[Any]
    publications: list[Any]
    history: list[Event]
    tenant: str
    bundle: str
    request: str | None
    parent: str | None
    children: list[Any]
    waits: list[Any]
    arrivals: list[Any]
    markers: list[Any]
    materials: list[Any]
    continues: str | None
    inherited: list[Any]
    open_calls: list[str]
    deaths: int
    assessment: bool | None
    error: str | None


class Listed(Shown):
    """One run among others; `admitted` is its place in their order."""

    admitted: int
    run: str
    contract: str
    state: str
    bundle: str


class Runs(BaseModel):
    """Runs in order of admission. `next_after` asks for the next page; without it there was no more."""

    runs: list[Listed]
    next_after: str | None


class Health(BaseModel):
    """It is as asked."""

    status: Literal["ok"]


class Problem(Shown):
    """Problem details after RFC 9457. `lost`: nobody knows whether it happened. `refused`: it certainly did not."""

    type: str
    title: str
    status: int
    detail: str
    outcome: Literal["refused", "lost"]
    reason: str
    rule: str | None = Field(None, description="the rule of the book behind a refusal of the store")
    expected: str
    seen: str
    next_step: str
    runs: list[str] | None = Field(None, description="the runs that stand in the way")


class Document(BaseModel):
    """This document."""
