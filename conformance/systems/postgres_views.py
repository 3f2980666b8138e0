"""What the reference implementation shows of a run, in the words of the specification."""

from collections.abc import Mapping
from typing import Any

from keepfact.spec.vocabulary import (
    CallKind,
    CallState,
    CallView,
    Contract,
    Delivered,
    EntryPoint,
    EventType,
    EventView,
    PublicationView,
    RunState,
    RunView,
)


def run_view(shown: Mapping[str, Any]) -> RunView:
    """One run. Field by field: this is done after every step, and unpacking would cost more than the query."""
    delivered = shown["delivered"]
    return RunView(
        run=shown["run"],
        contract=Contract(shown["contract"]),
        state=RunState(shown["state"]),
        fence=shown["fence"],
        budget_cents=shown["budget_cents"],
        known_cents=shown["known_cents"],
        held_cents=shown["held_cents"],
        unresolved=shown["unresolved"],
        worker=shown["worker"],
        lease_left_seconds=shown["lease_left_seconds"],
        sealed_for=shown["sealed_for"] and RunState(shown["sealed_for"]),
        delivered=delivered and Delivered(**delivered),
        calls=tuple(map(_call_view, shown["calls"])),
        publications=tuple(PublicationView(**publication) for publication in shown["publications"]),
        history=tuple(map(_event_view, shown["history"])),
    )


def _call_view(shown: Mapping[str, Any]) -> CallView:
    return CallView(
        call=shown["call"],
        kind=CallKind(shown["kind"]),
        digest=shown["digest"],
        ceiling_cents=shown["ceiling_cents"],
        fence=shown["fence"],
        state=CallState(shown["state"]),
        answer=shown["answer"],
        cost_cents=shown["cost_cents"],
        supersedes=shown["supersedes"],
        over_ceiling=shown["over_ceiling"],
    )


def _event_view(shown: Mapping[str, Any]) -> EventView:
    return EventView(
        number=shown["number"],
        type=EventType(shown["type"]),
        entry_point=EntryPoint(shown["entry_point"]),
        principal=shown["principal"],
        fence=shown["fence"],
        concerns=shown["concerns"],
        payload_digest=shown["payload_digest"],
        digest=shown["digest"],
        previous_digest=shown["previous_digest"],
    )
