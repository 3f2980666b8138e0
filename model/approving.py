"""Approvals: bound to what was shown, decided once, checked again at dispatch, used once."""

from dataclasses import fields, replace

from keepfact.spec.vocabulary import (
    CallId,
    Decide,
    EntryPoint,
    EventType,
    InForce,
    Intend,
    Reason,
    Refused,
    RequestApproval,
    RunState,
    SendAgain,
    Shown,
    WaitKind,
    WaitState,
    WaitView,
)

from .checkpoints import at_checkpoint, sealed_at, why_not_wait
from .state import Change, Run, State


def request_approval(state: State, run: Run, command: RequestApproval) -> Change:
    """What a person will be shown, bound to what is in force now; asked anew only when the earlier answer is void."""
    if run.call(command.call) is not None:
        return Refused(Reason.CALL_ID_CONFLICT)
    if (reason := why_not_wait(run, command.wait)) is not None:
        return Refused(reason)
    earlier = latest_request(run, command.call)
    if earlier is not None and earlier.approved is False:
        return Refused(Reason.DENIED)
    if earlier is not None and earlier.approved and _is_valid(state, earlier):
        return Refused(Reason.ALREADY_APPROVED)
    shown = Shown(command.call, command.digest, command.risk, command.basis, state.in_force)
    if earlier is not None and earlier.shown is not None:
        shown = replace(shown, differs=_differences(earlier.shown, shown))
    wait = WaitView(command.wait, WaitKind.APPROVAL, sealed_at(run, command.digest), command.seconds, shown=shown)
    return at_checkpoint(run, wait, RunState.WAITING_APPROVAL)


def decide(state: State, run: Run, command: Decide) -> Change:
    """The decision and the wake, in one commit; the same decision again is a read."""
    wait = run.wait(command.wait)
    if wait is None or wait.shown is None:
        return Refused(Reason.NO_SUCH_WAIT)
    if wait.approved is not None:
        is_same = (command.approved, command.digest) == (wait.approved, wait.shown.digest)
        return run if is_same else Refused(Reason.ALREADY_DECIDED)
    if wait.state is WaitState.CLOSED:
        return Refused(Reason.WAIT_CLOSED)
    if run.is_sealed:
        return Refused(Reason.SEALED)
    if wait.left_seconds == 0:
        return Refused(Reason.EXPIRED)
    if command.digest != wait.shown.digest:
        return Refused(Reason.SHOWN_DIFFERS)
    if command.approved and not state.in_force.permitted:
        return Refused(Reason.NOT_PERMITTED)
    decided = replace(wait, approved=command.approved, state=WaitState.ACCEPTED)
    return run.with_wait(decided).tells(EventType.DECIDED, EntryPoint.DECIDE, None, wait.wait)


def why_not_approved(state: State, run: Run, command: Intend | SendAgain) -> Reason | None:
    """Why an operation may not be dispatched, by what was approved; None if it may, or if nobody need approve it."""
    request = latest_request(run, command.call)
    if request is None or request.shown is None:
        return Reason.NOT_APPROVED if isinstance(command, Intend) and command.approval is not None else None
    if request.approved is False:
        return Reason.DENIED
    is_named = not isinstance(command, Intend) or command.approval == request.wait
    if not is_named or request.approved is None:
        return Reason.NOT_APPROVED
    if isinstance(command, Intend) and request.used_by is not None:
        return Reason.APPROVAL_USED
    if request.left_seconds == 0:
        return Reason.EXPIRED
    if not state.in_force.permitted:
        return Reason.NOT_PERMITTED
    digest = command.digest if isinstance(command, Intend) else request.shown.digest
    return None if (digest, state.in_force) == (request.shown.digest, request.shown.in_force) else Reason.DRIFTED


def used(run: Run, command: Intend) -> Run:
    """The run with the approval that the intent names used up."""
    wait = None if command.approval is None else run.wait(command.approval)
    return run if wait is None else run.with_wait(replace(wait, used_by=command.call))


def latest_request(run: Run, call: CallId) -> WaitView | None:
    """The last request for approval of one operation."""
    return next((wait for wait in reversed(run.waits) if wait.shown is not None and wait.shown.call == call), None)


def _is_valid(state: State, wait: WaitView) -> bool:
    is_same = wait.shown is not None and wait.shown.in_force == state.in_force
    return is_same and wait.used_by is None and wait.left_seconds > 0 and state.in_force.permitted


def _differences(earlier: Shown, now: Shown) -> tuple[str, ...]:
    """The names of everything bound that is not what it was."""
    texts = [name for name in ("digest", "risk", "basis") if getattr(earlier, name) != getattr(now, name)]
    names = [field.name for field in fields(InForce)]
    versions = [name for name in names if getattr(earlier.in_force, name) != getattr(now.in_force, name)]
    return (*texts, *versions)
