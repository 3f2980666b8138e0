"""Waits for what comes from outside, and the narrow door back: one wake, accepted once, consumed by one grant."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    ENDS,
    ArrivalView,
    Deliver,
    EntryPoint,
    EventType,
    Reason,
    Refused,
    RunState,
    Wait,
    WaitKind,
    WaitState,
    WaitView,
    Wake,
)

from .checkpoints import at_checkpoint, sealed_at, why_not_wait
from .settling import is_expired
from .state import Change, Run, State, changed
from .working import granted

DELIVER = EntryPoint.DELIVER


def wait(run: Run, command: Wait) -> Change:
    """Seal and wait; what came early is matched at once."""
    if (reason := why_not_wait(run, command.wait)) is not None:
        return Refused(reason)
    came_early = any(one.wait == command.wait for one in run.arrivals)
    if came_early and command.kind is not WaitKind.CALLBACK:
        return Refused(Reason.WAIT_EXISTS)  # its name stands for a callback already
    if command.kind is WaitKind.CHILD and command.child not in {child.child for child in run.children}:
        return Refused(Reason.NOT_A_CHILD)
    sealed = WaitView(
        command.wait,
        command.kind,
        sealed_at(run, command.digest),
        command.seconds,
        arrivals=command.arrivals,
        child=command.child,
    )
    waiting = at_checkpoint(run, sealed, RunState.WAITING_EXTERNAL)
    return _accepted_if_complete(waiting, sealed)


def deliver(state: State, run: Run, command: Deliver) -> Change:
    """The arrival, and with the last one the wake, in one commit; too late it is kept, and wakes nobody."""
    if command.kind is WaitKind.APPROVAL:
        return Refused(Reason.NO_SUCH_WAIT)  # only a decision answers a person's wait
    same = [one for one in run.arrivals if (one.wait, one.number) == (command.wait, command.number)]
    wait = run.wait(command.wait)
    if wait is not None and wait.kind is not command.kind:
        return Refused(Reason.NO_SUCH_WAIT)
    if same:
        return run if same[0].digest == command.digest else Refused(Reason.ARRIVAL_CONFLICT)
    is_over = wait is not None and (wait.state in {WaitState.CONSUMED, WaitState.CLOSED} or is_expired(wait))
    if run.is_sealed or is_over:
        return _arrived(run, command, is_late=True).tells(EventType.ARRIVED_LATE, DELIVER, None, command.wait)
    if wait is None and command.kind is not WaitKind.CALLBACK:
        return Refused(Reason.NO_SUCH_WAIT)
    if wait is not None and (reason := _why_not_due(state, wait, command)) is not None:
        return Refused(reason)
    arrived = _arrived(run, command, is_late=False).tells(EventType.ARRIVED, DELIVER, None, command.wait)
    return arrived if wait is None else _accepted_if_complete(arrived, wait)


def wake(state: State, run: Run, command: Wake) -> Change:
    """The wake consumed and a grant, in one commit; everything the checkpoint sealed is the same, or it is refused."""
    if run.is_sealed:
        return Refused(Reason.SEALED)
    wait = run.wait(command.wait)
    if wait is None:
        return Refused(Reason.NO_SUCH_WAIT)
    if (reason := _why_not_wake(run, wait, command)) is not None:
        return Refused(reason)
    consumed = changed(run.with_wait(replace(wait, state=WaitState.CONSUMED)), deaths=0)
    return granted(consumed, command.worker, state.lease_seconds, EntryPoint.WAKE, wait.wait)


def _why_not_wake(run: Run, wait: WaitView, command: Wake) -> Reason | None:
    if wait.state is WaitState.CONSUMED:
        return Reason.WAKE_CONSUMED
    if wait.state is WaitState.CLOSED:
        return Reason.WAIT_CLOSED
    if command.format != wait.checkpoint.format:
        return Reason.UNSUPPORTED_FORMAT
    if run.bundle not in command.supports:
        return Reason.UNSUPPORTED_BUNDLE
    if command.digest != wait.checkpoint.digest:
        return Reason.DIGEST_DIFFERS
    if is_expired(wait):
        return Reason.EXPIRED
    if wait.state is WaitState.WAITING:
        return Reason.NOT_ACCEPTED
    return Reason.BUDGET_SPENT if run.budget_left_cents <= 0 else None


def _why_not_due(state: State, wait: WaitView, command: Deliver) -> Reason | None:
    if wait.kind is WaitKind.TIMER and wait.left_seconds > 0:
        return Reason.NOT_DUE
    child = None if wait.child is None else state.run(wait.child)
    if wait.kind is WaitKind.CHILD and (child is None or child.state not in ENDS):
        return Reason.NOT_DUE
    return Reason.NOT_AWAITED if command.number > wait.arrivals else None


def _arrived(run: Run, command: Deliver, *, is_late: bool) -> Run:
    arrival = ArrivalView(command.wait, command.number, command.digest, is_late)
    return changed(run, arrivals=tuple(sorted((*run.arrivals, arrival), key=lambda one: (one.wait, one.number))))


def _accepted_if_complete(run: Run, wait: WaitView) -> Run:
    """All arrivals, in whatever order they came, are the wake."""
    here = {one.number for one in run.arrivals if one.wait == wait.wait and not one.is_late}
    if sum(1 <= number <= wait.arrivals for number in here) < wait.arrivals:
        return run
    return run.with_wait(replace(wait, state=WaitState.ACCEPTED))
