"""What a worker may do with a live lease and the current fence, beside its calls and waits."""

from keepfact.spec.vocabulary import (
    Claim,
    EntryPoint,
    EventType,
    Fence,
    MarkUnknown,
    PublicationView,
    Publish,
    Reason,
    RecordAnswer,
    Refused,
    Renew,
    RunState,
    Stop,
    Worked,
    WorkerId,
)

from .payloads import is_storable
from .state import Change, Run, State, changed

WORK = EntryPoint.WORK


def why_not_work(run: Run, command: Worked) -> Reason | None:
    """Why a worker may not write; None if it may. A stale fence is told first: it explains the rest."""
    if command.fence != run.fence:
        return Reason.STALE_FENCE
    if run.is_sealed:
        return Reason.SEALED
    if run.lease_left_seconds is None:
        return Reason.NOT_RUNNING
    if run.lease_left_seconds == 0:
        return Reason.LEASE_LAPSED
    winds_up = isinstance(command, (Renew, RecordAnswer, MarkUnknown, Stop))
    return Reason.CANCELLING if run.state is RunState.CANCELLING and not winds_up else None


def claim(state: State, run: Run, command: Claim) -> Change:
    """Only an admission in the queue leads to a grant here; a lapsed run is recovery's."""
    if run.is_sealed:
        return Refused(Reason.SEALED)
    if run.lease_left_seconds:
        return Refused(Reason.LEASE_LIVE)
    if run.state is not RunState.QUEUED:
        return Refused(Reason.NOT_QUEUED)
    oldest, newest = state.served
    if not oldest <= command.schema <= newest:
        return Refused(Reason.UNSUPPORTED_SCHEMA)
    if run.bundle not in command.supports:
        return Refused(Reason.UNSUPPORTED_BUNDLE)
    return granted(changed(run, worker_schema=command.schema), command.worker, state.lease_seconds, WORK)


def granted(run: Run, worker: WorkerId, lease_seconds: int, by: EntryPoint, concerns: str | None = None) -> Run:
    """The run under a new fence and a full lease."""
    fence = Fence(run.fence + 1)
    held = changed(run, state=RunState.RUNNING, fence=fence, worker=worker, lease_left_seconds=lease_seconds)
    return held.tells(EventType.GRANTED, by, fence, concerns)


def renew(run: Run, lease_seconds: int) -> Change:
    """A full lease again, counted from now. A heartbeat is not a fact of the run, so its history does not grow."""
    return changed(run, lease_left_seconds=lease_seconds)


def release(run: Run) -> Change:
    """Back to the queue. With a call in flight nobody may, since its answer would have no one to come to."""
    if run.has_open_call:
        return Refused(Reason.CALL_OPEN)
    released = changed(run, state=RunState.QUEUED, worker=None, lease_left_seconds=None)
    return released.tells(EventType.RELEASED, WORK, run.fence)


def publish(run: Run, command: Publish) -> Change:
    """The next version of the body."""
    if not is_storable(command.body):
        return Refused(Reason.UNSTORABLE)
    version = PublicationView(len(run.publications) + 1, command.body, command.qualified)
    return changed(run, publications=(*run.publications, version)).tells(EventType.PUBLISHED, WORK, run.fence)
