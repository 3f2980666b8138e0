"""Runs under `resume`: granted again after a death, given up after too many; and what is safely sent again."""

from keepfact.model.state import Run, State
from keepfact.spec.vocabulary import (
    CallId,
    CallKind,
    CallState,
    Capability,
    Contract,
    Evidence,
    Fence,
    Intend,
    LookUp,
    Reconcile,
    Recover,
    SendAgain,
    ToolReleased,
    Undo,
)

from .bounds import Bounds, fences_of
from .cancel import cancelling
from .scope import ATTEMPT, FRESH, OPERATION, RUN, WORKER, Causes, Scope
from .waits import waiting_for_callbacks

UNDOING = CallId("undoing")


def sending_again(state: State, run: Run) -> Causes:
    """Any call may be sent again; and what was found out before that may be told only after it."""
    for call in run.calls:
        for fence in fences_of(run):
            yield SendAgain(FRESH, RUN, fence, call.call)
        if call.sends > 1:
            yield Reconcile(FRESH, RUN, call.call, Evidence.NOT_FOUND, None, sends=1)
            yield Reconcile(FRESH, RUN, call.call, Evidence.AMBIGUOUS, None, sends=call.sends)


def looking_up(state: State, run: Run) -> Causes:
    """Any call may be looked up, also from a tool that has been released anew."""
    if state.truth.tool_release == 1:
        yield ToolReleased()
    for call in run.calls:
        yield LookUp(FRESH, RUN, call.call)


def recovering_elsewhere(state: State, run: Run) -> Causes:
    """Recovery by a worker of another release, and by none."""
    yield Recover(FRESH, RUN, WORKER, supports=())
    yield Recover(FRESH, RUN, None)


def recovering_late(state: State, run: Run) -> Causes:
    """Recovery by a sweep that listed the run some time ago."""
    yield Recover(FRESH, RUN, WORKER, seen_fence=Fence(max(0, run.fence - 1)))


def going_on_in_doubt(state: State, run: Run) -> Causes:
    """While nobody knows what an operation did, another may be tried."""
    if any(call.state is CallState.UNKNOWN for call in run.calls):
        yield Intend(FRESH, RUN, Fence(max(1, run.fence)), UNDOING, CallKind.OPERATION, "undo", 0)


def compensating(state: State, run: Run) -> Causes:
    """An operation that undoes the first, as far as it says."""
    fence = Fence(max(1, run.fence))
    for undo in (Undo.CORRECTABLE, None):
        yield Intend(FRESH, RUN, fence, UNDOING, CallKind.OPERATION, "undo", 0, compensates=OPERATION, undo=undo)


RESUME = Scope(
    name="resume",
    bounds="1 run (resume), 1 claim, 1 attempt that costs its ceiling of 1 cent, then 1 operation that costs nothing, "
    "2 deaths at most on a step",
    states=2193,
    edges=58800,
    classes=175,
    contract=Contract.RESUME,
    causes=Bounds(
        grants=1,
        costs={ATTEMPT: (1,), OPERATION: (0,)},
        contract=Contract.RESUME,
        tries_all=False,
        subjects=(recovering_elsewhere,),
    ).causes,
)
EFFECTS = Scope(
    name="effects",
    bounds="1 run (resume), 1 claim, 1 operation that is sent at most twice and that its tool does not recognise",
    states=381,
    edges=7632,
    classes=194,
    needs=frozenset({Capability.RESENDING}),
    contract=Contract.RESUME,
    causes=Bounds(
        grants=1,
        costs={OPERATION: (1,)},
        contract=Contract.RESUME,
        sends_max=2,
        tries_all=False,
        subjects=(sending_again, going_on_in_doubt),
    ).causes,
)
RECOGNISED = Scope(
    name="recognised",
    bounds="1 run (settle), 1 claim, 1 operation that is sent at most twice and that its tool recognises",
    states=108,
    edges=2043,
    classes=162,
    needs=frozenset({Capability.RESENDING}),
    causes=Bounds(
        grants=1,
        costs={OPERATION: (1,)},
        sends_max=2,
        recognises=True,
        tries_all=False,
        subjects=(sending_again,),
    ).causes,
)
LOOKUPS = Scope(
    name="lookups",
    bounds="1 run (resume), 1 claim, 1 operation that is sent at most twice and that its tool recognises, may be "
    "cancelled, 1 new release of the tool",
    states=2833,
    edges=71308,
    classes=368,
    needs=frozenset({Capability.RESENDING, Capability.LOOKUP, Capability.CANCELLING}),
    contract=Contract.RESUME,
    causes=Bounds(
        grants=1,
        costs={OPERATION: (1,)},
        contract=Contract.RESUME,
        sends_max=2,
        recognises=True,
        tries_all=False,
        subjects=(looking_up, sending_again, cancelling),
    ).causes,
)
RESUMED_WAITS = Scope(
    name="resumed waits",
    bounds="1 run (resume), 1 claim, 1 wait for two callbacks that expires after a tick, may be cancelled",
    states=441,
    edges=12267,
    classes=285,
    needs=frozenset({Capability.WAITS, Capability.CANCELLING, Capability.SWEEPS}),
    contract=Contract.RESUME,
    causes=Bounds(
        grants=1,
        contract=Contract.RESUME,
        tries_all=False,
        subjects=(waiting_for_callbacks, cancelling, recovering_elsewhere, recovering_late),
    ).causes,
)
COMPENSATION = Scope(
    name="compensation",
    bounds="1 run (settle), 1 grant, 1 operation that costs nothing, 1 that undoes it",
    states=184,
    edges=4481,
    classes=164,
    needs=frozenset({Capability.COMPENSATION}),
    causes=Bounds(costs={OPERATION: (0,), UNDOING: (0,)}, tries_all=False, subjects=(compensating,)).causes,
)
