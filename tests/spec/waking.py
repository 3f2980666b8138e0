"""Steps written by hand, of runs that wait and are woken."""

from dataclasses import replace
from typing import Any

from keepfact.spec.vocabulary import (
    FIRST_BUNDLE,
    FORMAT,
    UNCHANGED,
    ArrivalView,
    BundleId,
    Cancel,
    Checkpoint,
    Decide,
    Deliver,
    EntryPoint,
    EventType,
    Fence,
    RequestApproval,
    RunId,
    RunState,
    RunView,
    Shown,
    Wait,
    WaitId,
    WaitKind,
    WaitState,
    WaitView,
    Wake,
)

from .steps import ID, PAY, RUN, WORKER, run, then

WAIT = WaitId("wait")
CHILD = RunId("child")
SHOWN = Shown(PAY, "arguments", "risk", "basis", UNCHANGED)
CANCEL = Cancel(ID, RUN)


def wait_view(
    kind: WaitKind = WaitKind.CALLBACK, *, name: WaitId = WAIT, number: int = 2, left_cents: int = 10, **fields: Any
) -> WaitView:
    """A wait that was sealed after that event of a run with so much of its budget left."""
    shown = SHOWN if kind is WaitKind.APPROVAL else None
    point = Checkpoint(FORMAT, FIRST_BUNDLE, "arguments" if shown else "request", number, left_cents)
    return replace(WaitView(name, kind, point, 60, shown=shown), **fields)


def waiting(*waits: WaitView, at: RunView | None = None, **fields: Any) -> RunView:
    """A run that waits, in the last of these."""
    is_asking = waits[-1].kind is WaitKind.APPROVAL
    before = at or run()
    held: dict[str, Any] = {
        "state": RunState.WAITING_APPROVAL if is_asking else RunState.WAITING_EXTERNAL,
        "waits": (*before.waits, *waits),
        "worker": None,
        "lease_left_seconds": None,
    }
    return then(before, *((EventType.WAITED, wait.wait) for wait in waits), **{**held, **fields})


def arrival(number: int = 1, *, late: bool = False, digest: str = "report", name: WaitId = WAIT) -> ArrivalView:
    return ArrivalView(name, number, digest, late)


def delivered(before: RunView, *arrivals: ArrivalView, **fields: Any) -> RunView:
    """A run for which the last of these arrivals came: it is accepted, unless it came too late or it is said."""
    is_late = any(came.is_late for came in arrivals if came not in before.arrivals)
    accepted = tuple(replace(wait, state=WaitState.ACCEPTED) for wait in before.waits)
    waits = before.waits if is_late else accepted
    event = EventType.ARRIVED_LATE if is_late else EventType.ARRIVED
    return then(before, (event, WAIT), by=EntryPoint.DELIVER, **{"waits": waits, "arrivals": arrivals, **fields})


def decided(before: RunView, approved: bool = True, **fields: Any) -> RunView:
    waits = tuple(replace(wait, state=WaitState.ACCEPTED, approved=approved) for wait in before.waits)
    return then(before, (EventType.DECIDED, WAIT), by=EntryPoint.DECIDE, **{"waits": waits, **fields})


def woken(before: RunView, **fields: Any) -> RunView:
    """A run whose wake was consumed by a grant."""
    waits = tuple(replace(wait, state=WaitState.CONSUMED) for wait in before.waits)
    grant: dict[str, Any] = {"state": RunState.RUNNING, "worker": WORKER, "lease_left_seconds": 30}
    grant |= {"fence": Fence(before.fence + 1), "waits": waits}
    return then(before, (EventType.GRANTED, WAIT), by=EntryPoint.WAKE, **{**grant, **fields})


def closed(before: RunView, state: RunState, event: EventType, by: EntryPoint, **fields: Any) -> RunView:
    """A run that waits no more: what was open is closed."""
    waits = tuple(replace(wait, state=WaitState.CLOSED) for wait in before.waits)
    return then(before, event, by=by, state=state, **{"waits": waits, **fields})


def wait_for(kind: WaitKind = WaitKind.CALLBACK, *, arrivals: int = 1, child: RunId | None = None) -> Wait:
    return Wait(ID, RUN, Fence(1), WAIT, kind, "request", 60, arrivals, child)


def request_approval(name: WaitId = WAIT, *, digest: str = "arguments", fence: int = 1) -> RequestApproval:
    return RequestApproval(ID, RUN, Fence(fence), name, PAY, digest, "risk", "basis", 60)


def decide(approved: bool = True, *, digest: str = "arguments") -> Decide:
    return Decide(ID, RUN, WAIT, approved, digest)


def deliver(number: int = 1, *, kind: WaitKind = WaitKind.CALLBACK, digest: str = "report") -> Deliver:
    return Deliver(ID, RUN, WAIT, kind, number, digest)


def wake(
    digest: str = "request",
    *,
    supports: tuple[BundleId, ...] = (FIRST_BUNDLE,),
    version: int = FORMAT,
    name: WaitId = WAIT,
) -> Wake:
    return Wake(ID, RUN, name, WORKER, digest, supports, version)
