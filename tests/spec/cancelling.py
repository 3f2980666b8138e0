"""Steps written by hand, of runs that are asked to stop, have children, send again, and go on after a death."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from keepfact.spec.vocabulary import (
    FIRST_BUNDLE,
    FORMAT,
    ArrivalView,
    CallId,
    CallState,
    CallView,
    Cancel,
    Checkpoint,
    ChildView,
    Contract,
    EntryPoint,
    EventType,
    Fence,
    Recover,
    RunId,
    RunState,
    RunView,
    SendAgain,
    Spawn,
    SpawnId,
    Stop,
    WaitId,
    WaitKind,
    WaitState,
    WaitView,
)

from .steps import ID, PAY, RUN, WORKER, call, run, then

CANCEL, STOP = Cancel(ID, RUN), Stop(ID, RUN, Fence(1))
CHILD, SPAWN = RunId("child"), SpawnId("spawn")
NEWS = WaitId("news")
RESUME_IT = Recover(ID, RUN, WORKER)


def recognised(state: CallState = CallState.UNKNOWN, **fields: Any) -> CallView:
    """A call that its tool promises to recognise, so that it may be sent up to three times."""
    return replace(call(state=state), recognises=True, sends_max=3, **fields)


def cancelling(
    *, lease: int | None = 30, calls: Iterable[CallView] = (), contract: Contract = Contract.SETTLE, **fields: Any
) -> RunView:
    """A run that was asked to stop while its worker had it; its open calls were told."""
    told = [replace(call, told_to_stop=True) if call.state is CallState.OPEN else call for call in calls]
    running = run(lease=lease, calls=told, contract=contract)
    return asked_to_stop(replace(running, lease_left_seconds=lease), **fields)


def asked_to_stop(run: RunView, **fields: Any) -> RunView:
    """What the request makes of a run, beside what is said."""
    return then(run, EventType.CANCEL_REQUESTED, by=EntryPoint.CANCEL, state=RunState.CANCELLING, **fields)


def waiting_on(*waits: WaitView, contract: Contract = Contract.SETTLE, **fields: Any) -> RunView:
    """A run that waits without lease and worker, after an event for each wait."""
    running = replace(run(contract=contract), worker=None, lease_left_seconds=None)
    told = [(EventType.WAITED, wait.wait) for wait in waits]
    return then(running, *told, state=RunState.WAITING_EXTERNAL, waits=waits, **fields)


def answered(run: RunView, name: WaitId = NEWS) -> RunView:
    """A run for which all came that this wait waits for."""
    waits = tuple(replace(wait, state=WaitState.ACCEPTED) if wait.wait == name else wait for wait in run.waits)
    arrivals = (*run.arrivals, ArrivalView(name, 1, "news"))
    return then(run, (EventType.ARRIVED, name), by=EntryPoint.DELIVER, waits=waits, arrivals=arrivals)


def wait(
    name: WaitId = NEWS,
    state: WaitState = WaitState.WAITING,
    *,
    kind: WaitKind = WaitKind.CALLBACK,
    left: int = 60,
    **fields: Any,
) -> WaitView:
    return WaitView(name, kind, Checkpoint(FORMAT, FIRST_BUNDLE, "request", 2, 10), left, state, **fields)


def send_again(name: CallId = PAY) -> SendAgain:
    return SendAgain(ID, RUN, Fence(1), name)


def spawn(child: RunId = CHILD) -> Spawn:
    return Spawn(ID, RUN, Fence(1), SPAWN, child, 10)


def spawned(parent: RunView, child: RunId = CHILD) -> RunView:
    """The parent after it has started this child."""
    return then(parent, EventType.SPAWNED, children=(*parent.children, ChildView(SPAWN, child)))


def child_of(parent: RunView, name: RunId = CHILD) -> RunView:
    """A child as it is admitted."""
    bare = RunView(name, parent.contract, RunState.QUEUED, Fence(0), 10, parent=parent.run)
    return then(bare, EventType.ADMITTED, by=EntryPoint.WORK)
