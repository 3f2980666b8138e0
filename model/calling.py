"""Calls: intended before they are sent, answered once, lost honestly, sent again only when that cannot do harm."""

from keepfact.spec.vocabulary import (
    CallKind,
    CallState,
    Contract,
    EntryPoint,
    EventType,
    Intend,
    MarkUnknown,
    Reason,
    RecordAnswer,
    Refused,
    SendAgain,
)

from .approving import used, why_not_approved
from .payloads import is_storable
from .state import Call, Change, Run, State, changed

WORK = EntryPoint.WORK


def intend(state: State, run: Run, command: Intend) -> Change:
    """The intent stands before anything is sent; the same id and digest again is the same call."""
    first = run.call(command.call)
    if first is not None:
        same = (first.kind, first.digest) == (command.kind, command.digest)
        return run if same else Refused(Reason.CALL_ID_CONFLICT)
    reason = _why_not_intend(state, run, command) or why_not_approved(state, run, command)
    if reason is not None:
        return Refused(reason)
    call = Call(
        command.call,
        command.kind,
        command.digest,
        command.ceiling_cents,
        command.fence,
        command.supersedes,
        compensates=command.compensates,
        undo=command.undo,
        recognises=command.recognises,
        sends_max=command.sends_max,
    )
    intended = changed(used(run, command), calls=(*run.calls, call))
    return intended.tells(EventType.INTENDED, WORK, run.fence, command.call)


def send_again(state: State, run: Run, command: SendAgain) -> Change:
    """Under the same id, and only where the first request cannot act beside the second."""
    call = run.call(command.call)
    if call is None:
        return Refused(Reason.NO_SUCH_CALL)
    is_lookup = call.state is CallState.UNKNOWN and call.recognises
    if call.state is not CallState.NOT_FOUND and not is_lookup:
        return Refused(Reason.NOT_SENDABLE)
    if call.sends >= call.sends_max:
        return Refused(Reason.SENDS_SPENT)
    if call.state is CallState.NOT_FOUND and call.ceiling_cents > run.budget_left_cents:
        return Refused(Reason.OVER_BUDGET)
    if (reason := why_not_approved(state, run, command)) is not None:
        return Refused(reason)
    sent = changed(call, state=CallState.OPEN, sends=call.sends + 1)
    return run.with_call(sent).tells(EventType.SENT_AGAIN, WORK, run.fence, call.call)


def record_answer(run: Run, command: RecordAnswer) -> Change:
    """The answer of an open call; without an amount its cost stays held."""
    call = run.call(command.call)
    if call is None:
        return Refused(Reason.NO_SUCH_CALL)
    if call.state is not CallState.OPEN:
        return Refused(Reason.CALL_NOT_OPEN)
    if not is_storable(command.answer):
        return Refused(Reason.UNSTORABLE)
    answered = changed(call, state=CallState.CONFIRMED, answer=command.answer, cost_cents=command.cost_cents)
    return run.with_call(answered).tells(EventType.ANSWERED, WORK, run.fence, call.call)


def mark_unknown(run: Run, command: MarkUnknown) -> Change:
    """The answer did not come. That is all that is said."""
    call = run.call(command.call)
    if call is None:
        return Refused(Reason.NO_SUCH_CALL)
    if call.state is not CallState.OPEN:
        return Refused(Reason.CALL_NOT_OPEN)
    return _lost(run, call, WORK)


def without_open_calls(run: Run, by: EntryPoint) -> Run:
    """The run with every call that is in flight unknown, and told so."""
    for call in run.calls:
        if call.state is CallState.OPEN:
            run = _lost(run, call, by)
    return run


def has_unknown_operation(run: Run) -> bool:
    """Under `resume` a run goes on only when no operation of it is unknown (SETTLE.7)."""
    return run.contract is Contract.RESUME and any(
        call.kind is CallKind.OPERATION and call.state is CallState.UNKNOWN for call in run.calls
    )


def _lost(run: Run, call: Call, by: EntryPoint) -> Run:
    lost = changed(call, state=CallState.UNKNOWN)
    return run.with_call(lost).tells(EventType.LOST, by, run.fence, call.call)


def _why_not_intend(state: State, run: Run, command: Intend) -> Reason | None:
    others = (other for other in state.runs if other.run != run.run and other.tenant == run.tenant)
    if any(other.call(command.call) is not None for other in others):
        return Reason.CALL_ID_CONFLICT
    if has_unknown_operation(run):
        return Reason.UNRESOLVED
    if not _may_supersede(run, command):
        return Reason.NOT_SUPERSEDABLE
    if command.compensates is not None and not _may_compensate(run, command):
        return Reason.NOT_COMPENSABLE
    return Reason.OVER_BUDGET if command.ceiling_cents > run.budget_left_cents else None


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


def _may_compensate(run: Run, command: Intend) -> bool:
    """An operation that is known to have acted can be compensated by another, which says how far."""
    original = None if command.compensates is None else run.call(command.compensates)
    return (
        command.kind is CallKind.OPERATION
        and command.undo is not None
        and original is not None
        and original.kind is CallKind.OPERATION
        and original.state is CallState.CONFIRMED
    )
