"""How a run comes to its end, by its worker or by recovery; under `resume`, how recovery lets it go on instead."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    DEATHS_MAX,
    Contract,
    EntryPoint,
    EventType,
    Fail,
    Reason,
    Recover,
    Refused,
    RunState,
    WaitKind,
    WaitState,
    WaitView,
)

from .calling import without_open_calls
from .payloads import record_of
from .state import Change, Run, State, changed
from .working import granted

RECOVER = EntryPoint.RECOVER


def succeed(run: Run) -> Change:
    """A qualified body and no call in flight; with a cost unresolved the run waits for evidence, sealed."""
    if run.has_open_call:
        return Refused(Reason.CALL_OPEN)
    if not any(publication.qualified for publication in run.publications):
        return Refused(Reason.NOT_QUALIFIED)
    return seal(run, RunState.SUCCEEDED, EntryPoint.WORK)


def fail(run: Run, command: Fail) -> Change:
    """The worker gives up; what was in flight is unknown, not failed. Whatever the error says, this can be stored."""
    error = None if command.error is None else record_of(command.error)
    return seal(changed(without_open_calls(run, EntryPoint.WORK), error=error), RunState.FAILED, EntryPoint.WORK)


def recover(state: State, run: Run, command: Recover) -> Change:
    """For a run whose worker was lost: what was in flight is unknown, and nothing is sent. Everything that a sweep saw
    before is checked again here.
    """
    if command.seen_fence is not None and command.seen_fence != run.fence:
        return Refused(Reason.STALE_FENCE)
    if run.is_sealed:
        return Refused(Reason.SEALED)
    if run.state is RunState.CANCELLING and not run.lease_left_seconds:
        return seal(without_open_calls(run, RECOVER), RunState.CANCELLED, RECOVER)
    if run.is_waiting and is_hopeless(run):
        return seal(closed(run), RunState.INTERRUPTED, RECOVER)
    if run.lease_left_seconds is None:
        return Refused(Reason.NOT_RUNNING)
    if run.lease_left_seconds > 0:
        return Refused(Reason.LEASE_LIVE)
    if run.contract is Contract.SETTLE:
        return seal(without_open_calls(run, RECOVER), RunState.INTERRUPTED, RECOVER)
    return _resume(state, run, command)


def is_hopeless(run: Run) -> bool:
    """Nothing can wake it any more: its time is over, or its budget is spent."""
    wait = run.pending
    return wait is not None and (is_expired(wait) or run.budget_left_cents <= 0)


def is_expired(wait: WaitView) -> bool:
    """Its time is over. A timer's time being over is what it waits for."""
    return wait.left_seconds == 0 and wait.kind is not WaitKind.TIMER


def closed(run: Run) -> Run:
    """The run with every wait closed that nothing has woken."""
    over = {WaitState.CONSUMED, WaitState.CLOSED}
    waits = (wait if wait.state in over else replace(wait, state=WaitState.CLOSED) for wait in run.waits)
    return changed(run, waits=tuple(waits))


def seal(run: Run, end: RunState, by: EntryPoint) -> Run:
    """Execution is over: ended, or sealed as unknown until the last evidence is in."""
    over = changed(run, worker=None, lease_left_seconds=None)
    if over.unresolved:
        return changed(over, state=RunState.UNKNOWN, sealed_for=end).tells(EventType.SEALED, by, run.fence)
    return changed(over, state=end).tells(EventType.ENDED, by, run.fence)


def _resume(state: State, run: Run, command: Recover) -> Change:
    """Granted again, unless too many workers have died on the same step."""
    if command.worker is None:
        return Refused(Reason.NO_WORKER)
    if run.bundle not in command.supports:
        return Refused(Reason.UNSUPPORTED_BUNDLE)
    known = changed(without_open_calls(run, RECOVER), deaths=run.deaths + 1)
    if known.deaths >= DEATHS_MAX:
        return seal(known, RunState.INTERRUPTED, RECOVER)
    return granted(known, command.worker, state.lease_seconds, RECOVER)
