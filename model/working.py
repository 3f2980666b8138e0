"""What a worker may do with a live lease and the current fence."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    CallKind,
    CallState,
    Claim,
    EntryPoint,
    EventType,
    Fence,
    Intend,
    MarkUnknown,
    PublicationView,
    Publish,
    Reason,
    RecordAnswer,
    Refused,
    RunState,
)

from .state import Call, Change, Run

WORK = EntryPoint.WORK


def why_not_work(run: Run, fence: Fence) -> Reason | None:
    """Why a worker with this fence may not write; None if it may. A stale fence is told first: it explains the rest."""
    if fence != run.fence:
        return Reason.STALE_FENCE
    if run.is_sealed:
        return Reason.SEALED
    if run.lease_left_seconds is None:
        return Reason.NOT_RUNNING
    return Reason.LEASE_LAPSED if run.lease_left_seconds == 0 else None


def claim(run: Run, command: Claim, lease_seconds: int) -> Change:
    """Only an admission in the queue leads to a grant; a lapsed run is recovery's alone (settle)."""
    if run.is_sealed:
        return Refused(Reason.SEALED)
    if run.lease_left_seconds:
        return Refused(Reason.LEASE_LIVE)
    if run.state is not RunState.QUEUED:
        return Refused(Reason.NOT_QUEUED)
    fence = Fence(run.fence + 1)
    granted = replace(run, state=RunState.RUNNING, fence=fence, worker=command.worker, lease_left_seconds=lease_seconds)
    return granted.tells(EventType.GRANTED, WORK, fence)


def renew(run: Run, lease_seconds: int) -> Change:
    """A full lease again, counted from now. A heartbeat is not a fact of the run, so its history does not grow."""
    return replace(run, lease_left_seconds=lease_seconds)


def release(run: Run) -> Change:
    """Back to the queue. With a call in flight nobody may, since its answer would have no one to come to."""
    if run.has_open_call:
        return Refused(Reason.CALL_OPEN)
    released = replace(run, state=RunState.QUEUED, worker=None, lease_left_seconds=None)
    return released.tells(EventType.RELEASED, WORK, run.fence)


def intend(run: Run, command: Intend) -> Change:
    """The intent stands before anything is sent; the same id and digest again is the same call."""
    first = run.call(command.call)
    if first is not None:
        same = (first.kind, first.digest) == (command.kind, command.digest)
        return run if same else Refused(Reason.CALL_ID_CONFLICT)
    if not _may_supersede(run, command):
        return Refused(Reason.NOT_SUPERSEDABLE)
    if run.known_cents + run.held_cents + command.ceiling_cents > run.budget_cents:
        return Refused(Reason.OVER_BUDGET)
    call = Call(command.call, command.kind, command.digest, command.ceiling_cents, command.fence, command.supersedes)
    return replace(run, calls=(*run.calls, call)).tells(EventType.INTENDED, WORK, run.fence, command.call)


def record_answer(run: Run, command: RecordAnswer) -> Change:
    """The answer of an open call; without an amount its cost stays held."""
    call = run.call(command.call)
    if call is None:
        return Refused(Reason.NO_SUCH_CALL)
    if call.state is not CallState.OPEN:
        return Refused(Reason.CALL_NOT_OPEN)
    answered = replace(call, state=CallState.CONFIRMED, answer=command.answer, cost_cents=command.cost_cents)
    return run.with_call(answered).tells(EventType.ANSWERED, WORK, run.fence, call.call)


def mark_unknown(run: Run, command: MarkUnknown) -> Change:
    """The answer did not come. That is all that is said."""
    call = run.call(command.call)
    if call is None:
        return Refused(Reason.NO_SUCH_CALL)
    if call.state is not CallState.OPEN:
        return Refused(Reason.CALL_NOT_OPEN)
    lost = replace(call, state=CallState.UNKNOWN)
    return run.with_call(lost).tells(EventType.LOST, WORK, run.fence, call.call)


def publish(run: Run, command: Publish) -> Change:
    """The next version of the body."""
    version = PublicationView(len(run.publications) + 1, command.body, command.qualified)
    return replace(run, publications=(*run.publications, version)).tells(EventType.PUBLISHED, WORK, run.fence)


def _may_supersede(run: Run, command: Intend) -> bool:
    """An attempt may ask again for one whose answer was lost; nothing else supersedes anything."""
    if command.supersedes is None:
        return True
    earlier = run.call(command.supersedes)
    return (
        command.kind is CallKind.ATTEMPT
        and earlier is not None
        and earlier.kind is CallKind.ATTEMPT
        and earlier.state in {CallState.UNKNOWN, CallState.NOT_FOUND}
    )
