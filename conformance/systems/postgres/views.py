"""What the reference implementation shows, in the words of the specification.

Field by field: this is done after every step, and a library that does it would cost more than the query.
"""

from collections.abc import Mapping
from typing import Any

from keepfact.spec.vocabulary import (
    ArrivalView,
    Branch,
    BundleView,
    CallKind,
    CallState,
    CallView,
    Checkpoint,
    ChildView,
    Contract,
    Delivered,
    EntryPoint,
    EventType,
    EventView,
    InForce,
    InheritedView,
    Label,
    MarkerView,
    MaterialView,
    Observation,
    PayloadView,
    PublicationView,
    ReaderView,
    RunState,
    RunView,
    Shown,
    TenantId,
    Undo,
    WaitKind,
    WaitState,
    WaitView,
)

Said = Mapping[str, Any]
"""An object as the database gives it."""


def observation(said: Said, tenants: Mapping[str, TenantId]) -> Observation:
    """A survey. `tenants` says what each tenant is called outside, where that is something else."""
    oldest, newest = said["served"]
    return Observation(
        tuple(run_view(run, tenants) for run in said["runs"]),
        tuple(BundleView(one["bundle"], tuple(one["markers"]), one["is_retired"]) for one in said["bundles"]),
        (oldest, newest),
        InForce(**said["in_force"]),
        tuple(ReaderView(**one) for one in said["readers"]),
        tuple(PayloadView(**one) for one in said["payloads"]),
    )


def run_view(said: Said, tenants: Mapping[str, TenantId]) -> RunView:
    """One run."""
    delivered = said["delivered"]
    return RunView(
        run=said["run"],
        contract=Contract(said["contract"]),
        state=RunState(said["state"]),
        fence=said["fence"],
        budget_cents=said["budget_cents"],
        known_cents=said["known_cents"],
        held_cents=said["held_cents"],
        unresolved=said["unresolved"],
        worker=said["worker"],
        lease_left_seconds=said["lease_left_seconds"],
        sealed_for=said["sealed_for"] and RunState(said["sealed_for"]),
        delivered=delivered and Delivered(**delivered),
        calls=tuple(map(_call_view, said["calls"])),
        publications=tuple(PublicationView(**publication) for publication in said["publications"]),
        history=tuple(map(event_view, said["history"])),
        tenant=tenants.get(said["tenant"], said["tenant"]),
        bundle=said["bundle"],
        request=said["request"],
        parent=said["parent"],
        children=tuple(ChildView(**child) for child in said["children"]),
        waits=tuple(map(_wait_view, said["waits"])),
        arrivals=tuple(ArrivalView(**arrival) for arrival in said["arrivals"]),
        markers=tuple(MarkerView(one["marker"], Branch(one["branch"])) for one in said["markers"]),
        materials=tuple(map(_material_view, said["materials"])),
        continues=said["continues"],
        inherited=tuple(
            InheritedView(one["material"], one["run"], Label(one["label"]), one["reads"]) for one in said["inherited"]
        ),
        open_calls=tuple(said["open_calls"]),
        deaths=said["deaths"],
        assessment=said["assessment"],
        error=said["error"],
    )


def event_view(said: Said) -> EventView:
    """One event of a history."""
    return EventView(
        number=said["number"],
        type=EventType(said["type"]),
        entry_point=EntryPoint(said["entry_point"]),
        principal=said["principal"],
        fence=said["fence"],
        concerns=said["concerns"],
        payload_digest=said["payload_digest"],
        digest=said["digest"],
        previous_digest=said["previous_digest"],
    )


def _call_view(said: Said) -> CallView:
    return CallView(
        call=said["call"],
        kind=CallKind(said["kind"]),
        digest=said["digest"],
        ceiling_cents=said["ceiling_cents"],
        fence=said["fence"],
        state=CallState(said["state"]),
        answer=said["answer"],
        cost_cents=said["cost_cents"],
        supersedes=said["supersedes"],
        over_ceiling=said["over_ceiling"],
        compensates=said["compensates"],
        undo=said["undo"] and Undo(said["undo"]),
        recognises=said["recognises"],
        sends=said["sends"],
        sends_max=said["sends_max"],
        told_to_stop=said["told_to_stop"],
    )


def _wait_view(said: Said) -> WaitView:
    return WaitView(
        wait=said["wait"],
        kind=WaitKind(said["kind"]),
        checkpoint=Checkpoint(**said["checkpoint"]),
        left_seconds=said["left_seconds"],
        state=WaitState(said["state"]),
        arrivals=said["arrivals"],
        child=said["child"],
        shown=said["shown"] and _shown(said["shown"]),
        approved=said["approved"],
        used_by=said["used_by"],
    )


def _shown(said: Said) -> Shown:
    in_force = InForce(**said["in_force"])
    return Shown(said["call"], said["digest"], said["risk"], said["basis"], in_force, tuple(said["differs"]))


def _material_view(said: Said) -> MaterialView:
    return MaterialView(**{**said, "derived_from": tuple(said["derived_from"])})
