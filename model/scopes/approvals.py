"""Approvals: asked, decided by a person, overtaken by what changes meanwhile, used for what was shown or for more."""

from keepfact.model.state import Run, State
from keepfact.spec.vocabulary import (
    CallId,
    CallKind,
    Capability,
    Contract,
    Decide,
    Drift,
    Drifted,
    Intend,
    RequestApproval,
    WaitId,
    Wake,
)

from .bounds import Bounds, fences_of
from .cancel import cancelling
from .scope import FRESH, OPERATION, RUN, WORKER, Causes, Scope

FIRST, SECOND = WaitId("first request"), WaitId("second request")
ELSE = CallId("something-else")


def approving(state: State, run: Run) -> Causes:
    """A request and, once it is there, a second one, while things change that they are bound to."""
    yield from _drifting(state)
    yield from _approving(run, (FIRST, SECOND) if run.wait(FIRST) is not None else (FIRST,))


def approving_once(state: State, run: Run) -> Causes:
    """One request, and nothing that changes but the time."""
    yield from _approving(run, (FIRST,))


def _approving(run: Run, waits: tuple[WaitId, ...]) -> Causes:
    """Decisions on what was shown or on something else; dispatches under each request, and under none."""
    for wait in waits:
        for fence in fences_of(run):
            yield RequestApproval(FRESH, RUN, fence, wait, OPERATION, "arguments", "high", "policy", seconds=2)
        yield Decide(FRESH, RUN, wait, approved=True, digest="arguments")
        yield Decide(FRESH, RUN, wait, approved=False, digest="arguments")
        yield Decide(FRESH, RUN, wait, approved=True, digest="other arguments")
        yield Wake(FRESH, RUN, wait, WORKER, "arguments")
        yield from _dispatching(run, wait)
    yield Intend(FRESH, RUN, fences_of(run)[-1], OPERATION, CallKind.OPERATION, "arguments", 1)


def _dispatching(run: Run, wait: WaitId) -> Causes:
    """The operation that was shown, the same with other arguments, and another one."""
    fence = fences_of(run)[-1]
    for call, digest in ((OPERATION, "arguments"), (OPERATION, "other arguments"), (ELSE, "arguments")):
        yield Intend(FRESH, RUN, fence, call, CallKind.OPERATION, digest, 0, approval=wait)


def _drifting(state: State) -> Causes:
    """The resource changes, the permission is withdrawn: each once."""
    if state.in_force.resource == 1:
        yield Drifted(Drift.RESOURCE)
    if state.in_force.permitted:
        yield Drifted(Drift.PERMISSION)


APPROVALS = Scope(
    name="approvals",
    bounds="1 run (settle), 1 claim, 2 requests for approval of 1 operation, each for two ticks, 1 change of the "
    "resource and 1 of the permission",
    states=756,
    edges=23659,
    classes=259,
    needs=frozenset({Capability.APPROVALS, Capability.WAITS}),
    causes=Bounds(grants=1, costs={OPERATION: ()}, tries_all=False, subjects=(approving,)).causes,
)
RESUMED_APPROVALS = Scope(
    name="resumed approvals",
    bounds="1 run (resume), 1 claim, 1 request for approval of 1 operation, for two ticks, may be cancelled",
    states=542,
    edges=14155,
    classes=407,
    needs=frozenset({Capability.APPROVALS, Capability.WAITS, Capability.CANCELLING}),
    contract=Contract.RESUME,
    causes=Bounds(
        costs={OPERATION: ()},
        contract=Contract.RESUME,
        tries_all=False,
        subjects=(approving_once, cancelling),
    ).causes,
)
