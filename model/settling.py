"""How a run comes to its end: by its worker, or by recovery after its worker was lost."""

from dataclasses import replace

from keepfact.spec.vocabulary import CallState, EntryPoint, EventType, Reason, Refused, RunState

from .state import Change, Run


def succeed(run: Run) -> Change:
    """A qualified body and no call in flight; with a cost unresolved the run waits for evidence, sealed."""
    if run.has_open_call:
        return Refused(Reason.CALL_OPEN)
    if not any(publication.qualified for publication in run.publications):
        return Refused(Reason.NOT_QUALIFIED)
    return _seal(run, RunState.SUCCEEDED, EntryPoint.WORK)


def fail(run: Run) -> Change:
    """The worker gives up; what was in flight is unknown, not failed."""
    return _seal(_without_open_calls(run, EntryPoint.WORK), RunState.FAILED, EntryPoint.WORK)


def recover(run: Run) -> Change:
    """An honest end for a run whose lease lapsed: what was in flight is unknown, and nothing is sent."""
    if run.is_sealed:
        return Refused(Reason.SEALED)
    if run.lease_left_seconds is None:
        return Refused(Reason.NOT_RUNNING)
    if run.lease_left_seconds > 0:
        return Refused(Reason.LEASE_LIVE)
    return _seal(_without_open_calls(run, EntryPoint.RECOVER), RunState.INTERRUPTED, EntryPoint.RECOVER)


def _without_open_calls(run: Run, by: EntryPoint) -> Run:
    for call in run.calls:
        if call.state is CallState.OPEN:
            lost = replace(call, state=CallState.UNKNOWN)
            run = run.with_call(lost).tells(EventType.LOST, by, run.fence, call.call)
    return run


def _seal(run: Run, end: RunState, by: EntryPoint) -> Run:
    """Execution is over: ended, or sealed as unknown until the last evidence is in."""
    over = replace(run, worker=None, lease_left_seconds=None)
    if over.unresolved:
        return replace(over, state=RunState.UNKNOWN, sealed_for=end).tells(EventType.SEALED, by, run.fence)
    return replace(over, state=end).tells(EventType.ENDED, by, run.fence)
