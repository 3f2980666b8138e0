"""Runs that wait: for callbacks, for a timer, for a child; and what may wake them, in whatever order it comes."""

from keepfact.model.state import Run, State
from keepfact.spec.vocabulary import (
    FORMAT,
    Capability,
    Claim,
    Deliver,
    Fail,
    Fence,
    Publish,
    Recover,
    Restarted,
    RunId,
    Spawn,
    SpawnId,
    Succeed,
    Wait,
    WaitId,
    WaitKind,
    Wake,
)

from .bounds import Bounds, fences_of
from .cancel import cancelling
from .scope import CHILD, FRESH, OPERATION, RUN, WORKER, Causes, Scope

CALLBACK, TIMER, FOR_CHILD = WaitId("callback"), WaitId("timer"), WaitId("for child")
SPAWN = SpawnId("spawn")
SECOND_CHILD = RunId("second-child")


def waiting_for_callbacks(state: State, run: Run) -> Causes:
    """Two callbacks complete the wait; each may come before it, twice, in the wrong order, too late, or otherwise."""
    yield Restarted()
    for fence in fences_of(run):
        yield Wait(FRESH, RUN, fence, CALLBACK, WaitKind.CALLBACK, "request", seconds=1, arrivals=2)
    yield Deliver(FRESH, RUN, CALLBACK, WaitKind.CALLBACK, 1, "report")
    yield Deliver(FRESH, RUN, CALLBACK, WaitKind.CALLBACK, 1, "another report")
    yield Deliver(FRESH, RUN, CALLBACK, WaitKind.CALLBACK, 2, "report")
    yield Deliver(FRESH, RUN, CALLBACK, WaitKind.TIMER, 1, "report")
    yield from _waking(CALLBACK)


def waiting_for_a_timer(state: State, run: Run) -> Causes:
    """A timer is due after a tick."""
    yield Restarted()
    for fence in fences_of(run):
        yield Wait(FRESH, RUN, fence, TIMER, WaitKind.TIMER, "request", seconds=1)
    yield Deliver(FRESH, RUN, TIMER, WaitKind.TIMER, 1, "due")
    yield from _waking(TIMER)


def waiting_for_a_child(state: State, run: Run) -> Causes:
    """A child of its own life, and a parent that waits for its report."""
    for fence in fences_of(run):
        yield Spawn(FRESH, RUN, fence, SPAWN, CHILD, 1)
        if run.children:
            yield Spawn(FRESH, RUN, fence, SPAWN, SECOND_CHILD, 1)
        yield Wait(FRESH, RUN, fence, FOR_CHILD, WaitKind.CHILD, "request", seconds=1, child=CHILD)
    yield Deliver(FRESH, RUN, FOR_CHILD, WaitKind.CHILD, 1, "report")
    yield from _waking(FOR_CHILD)
    child = state.run(CHILD)
    if child is not None:
        yield from _life_of(child)


def _waking(wait: WaitId) -> Causes:
    """A worker takes the wake up: as it was sealed, or with another request, release or format."""
    yield Wake(FRESH, RUN, wait, WORKER, "request")
    yield Wake(FRESH, RUN, wait, WORKER, "another request")
    yield Wake(FRESH, RUN, wait, WORKER, "request", supports=())
    yield Wake(FRESH, RUN, wait, WORKER, "request", format=FORMAT + 1)


def _life_of(child: Run) -> Causes:
    yield Claim(FRESH, child.run, WORKER)
    yield Recover(FRESH, child.run)
    fence = Fence(max(1, child.fence))
    if not child.publications:
        yield Publish(FRESH, child.run, fence, "report", qualified=True)
    yield Succeed(FRESH, child.run, fence)
    yield Fail(FRESH, child.run, fence)


WAITS = Scope(
    name="waits",
    bounds="1 run (settle), 1 claim, 1 wait for two callbacks that expires after a tick",
    states=95,
    edges=1997,
    classes=149,
    needs=frozenset({Capability.WAITS}),
    causes=Bounds(tries_all=False, subjects=(waiting_for_callbacks,)).causes,
)
TIMERS = Scope(
    name="timers",
    bounds="1 run (settle), 1 grant beside that of the wake, 1 timer of one tick, 1 operation that costs (above its "
    "ceiling of 1) 2 cents, which is the budget, so that evidence may spend it while the run waits",
    states=183,
    edges=4346,
    classes=261,
    needs=frozenset({Capability.WAITS}),
    causes=Bounds(costs={OPERATION: (2,)}, tries_all=False, subjects=(waiting_for_a_timer,)).causes,
)
CHILDREN = Scope(
    name="children",
    bounds="1 run (settle), 1 grant, 1 child, 1 wait for it that expires after a tick, either may be cancelled",
    states=499,
    edges=13387,
    classes=295,
    needs=frozenset({Capability.WAITS, Capability.CHILDREN, Capability.CANCELLING}),
    causes=Bounds(tries_all=False, subjects=(waiting_for_a_child, cancelling)).causes,
)
