"""Whether what a refusal says is so, as far as a step shows it."""

from keepfact.spec.vocabulary import (
    ENDS,
    LATEST,
    TENANT,
    AskedOfRun,
    Assess,
    CallState,
    Claim,
    Command,
    Continue,
    Decide,
    Deliver,
    Deploy,
    Evidence,
    Intend,
    ReaderView,
    ReadMaterial,
    Reason,
    Reconcile,
    Recover,
    Revoke,
    RunState,
    RunView,
    SaveMaterial,
    SendAgain,
    Spawn,
    Step,
    Submit,
    Wait,
    WaitKind,
    WaitView,
    Worked,
)

from .approvals import latest_about
from .runs import is_in_doubt, is_of_an_earlier_sending, is_sealed, is_spent

_COUNTED_FROM_0 = (
    *("budget_cents", "ceiling_cents", "cost_cents", "seconds", "fresh_seconds", "replayed", "diverged", "after"),
)
_COUNTED_FROM_1 = ("sends_max", "arrivals", "number")
_ABOUT_A_REQUEST = {Reason.EXPIRED, Reason.NOT_PERMITTED, Reason.DENIED, Reason.DRIFTED, Reason.NOT_APPROVED}
"""What is said of an operation for which a person was asked."""


def is_so(step: Step, reason: Reason) -> bool | None:
    """None where a step does not show it, or where the rule that the reason names looks at it."""
    match reason:
        case Reason.COMMAND_ID_CONFLICT | Reason.NOT_ALLOWED:
            return None
        case Reason.MALFORMED:
            return isinstance(step.cause, Command) and is_malformed(step.cause)
        case Reason.RUN_EXISTS:
            return _exists(step)
        case Reason.NO_SUCH_RUN:
            return _is_missing(step)
        case Reason.BUNDLE_EXISTS:
            return isinstance(step.cause, Deploy) and step.cause.bundle in {one.bundle for one in step.before.bundles}
        case Reason.NO_SUCH_GRANT:
            if not isinstance(step.cause, Revoke):
                return False
            return ReaderView(step.cause.source, step.cause.user) not in step.before.readers
        case _ if step.old is None or not isinstance(step.cause, AskedOfRun):
            return None
        case _:
            return _is_so_of(step.old, step.cause, reason)


def is_malformed(command: Command) -> bool:
    """An amount is never negative, what is counted counts from 1, and nothing is said beside what it belongs to."""
    amounts = [getattr(command, name, None) or 0 for name in _COUNTED_FROM_0]
    counts = [getattr(command, name, 1) for name in _COUNTED_FROM_1]
    if min(amounts) < 0 or min(counts) < 1:
        return True
    match command:
        case Reconcile():
            return command.evidence is not Evidence.CONFIRMED and command.cost_cents is not None
        case Intend():
            return command.undo is not None and command.compensates is None
        case Wait():
            is_one = command.arrivals == 1 or command.kind is WaitKind.CALLBACK
            return command.kind is WaitKind.APPROVAL or not is_one
        case Deploy():
            return command.bundle == LATEST
        case _:
            return False


def _exists(step: Step) -> bool:
    name = step.cause.child if isinstance(step.cause, Spawn) else step.run_id
    return name is not None and step.before.run(name) is not None


def _is_missing(step: Step) -> bool:
    """A run that it is about is not there, or looks so to whoever asks: it is another tenant's."""
    if not isinstance(step.cause, AskedOfRun):
        return False
    wanted = step.before.run(step.cause.source if isinstance(step.cause, Continue) else step.cause.run)
    if wanted is None:
        return not isinstance(step.cause, Submit)
    tenant = TENANT if step.session is None else step.session.tenant
    return any(run is not None and run.tenant != tenant for run in (wanted, step.old))


def _is_so_of(run: RunView, command: AskedOfRun, reason: Reason) -> bool | None:
    """Of one run, as it stood."""
    match reason:
        case Reason.SEALED:
            return is_sealed(run)
        case Reason.STALE_FENCE:
            seen = command.seen_fence if isinstance(command, Recover) else None
            named = command.fence if isinstance(command, Worked) else seen
            return named is not None and named != run.fence
        case Reason.LEASE_LIVE:
            return bool(run.lease_left_seconds)
        case Reason.LEASE_LAPSED:
            return run.lease_left_seconds == 0
        case Reason.NOT_RUNNING:
            return run.lease_left_seconds is None
        case Reason.NOT_QUEUED:
            return isinstance(command, Claim) and run.state is not RunState.QUEUED
        case Reason.NOT_ENDED if isinstance(command, Assess):
            return run.state not in ENDS
        case Reason.CANCELLING:
            return run.state is RunState.CANCELLING
        case Reason.NOT_QUALIFIED:
            return not any(publication.qualified for publication in run.publications)
        case Reason.BUDGET_SPENT:
            return is_spent(run)
        case Reason.NOT_A_CHILD if isinstance(command, Wait):
            return command.kind is WaitKind.CHILD and command.child not in {child.child for child in run.children}
        case _ if isinstance(command, Intend):
            return _is_so_of_an_intent(run, command, reason)
        case _:
            return _is_so_of_a_part(run, command, reason)


def _is_so_of_an_intent(run: RunView, intend: Intend, reason: Reason) -> bool | None:
    """An intent that is there already can only be another request under its id; a new one may lack what it names."""
    if reason is not Reason.CALL_ID_CONFLICT and run.call(intend.call) is not None:
        return False
    match reason:
        case Reason.UNRESOLVED:
            return is_in_doubt(run)
        case Reason.NOT_SUPERSEDABLE if intend.supersedes is None:
            return False
        case Reason.NOT_COMPENSABLE if intend.compensates is None:
            return False
        case Reason.APPROVAL_USED:
            wait = None if intend.approval is None else run.wait(intend.approval)
            return wait is not None and wait.used_by is not None
        case _ if reason in _ABOUT_A_REQUEST - {Reason.NOT_APPROVED}:
            return None if latest_about(run, intend.call) is not None else False
        case _:
            return None


def _is_so_of_a_part(run: RunView, command: AskedOfRun, reason: Reason) -> bool | None:
    """Of one of its calls, waits or findings."""
    named = getattr(command, "call", None)
    call = None if named is None else run.call(named)
    match reason:
        case Reason.NO_SUCH_CALL:
            return call is None
        case Reason.CALL_NOT_OPEN:
            return call is not None and call.state is not CallState.OPEN
        case Reason.STALE_EVIDENCE if isinstance(command, Reconcile):
            return call is not None and is_of_an_earlier_sending(command, call)
        case Reason.CALL_OPEN:
            calls = run.calls if call is None else (call,)
            return any(one.state is CallState.OPEN for one in calls)
        case Reason.NO_SUCH_WAIT if isinstance(command, (Decide, Deliver)):
            return not _can_be_for(run.wait(command.wait), command)
        case Reason.NOT_AWAITED if isinstance(command, Deliver):
            wait = run.wait(command.wait)
            return wait is not None and command.number > wait.arrivals
        case Reason.NOT_DUE:
            return None if isinstance(command, Deliver) and run.wait(command.wait) is not None else False
        case Reason.CALL_ID_CONFLICT:
            return call is not None
        case Reason.UNRESOLVED:
            return is_in_doubt(run)
        case _ if isinstance(command, SendAgain) and reason in _ABOUT_A_REQUEST:
            return None if latest_about(run, command.call) is not None else False
        case Reason.MATERIAL_EXISTS:
            return isinstance(command, SaveMaterial) and run.material(command.material) is not None
        case Reason.NO_SUCH_MATERIAL if isinstance(command, SaveMaterial):
            own = {one.material for one in run.materials}
            known = own | {one.material for one in run.inherited}
            return not known.issuperset(command.derived_from) or command.replaces not in own | {None}
        case Reason.NO_SUCH_MATERIAL if isinstance(command, ReadMaterial):
            return all(one.material != command.material for one in run.inherited)
        case _:
            return None


def _can_be_for(wait: WaitView | None, answer: Decide | Deliver) -> bool:
    """A decision is for a request, an arrival for a wait of its kind; only a callback may come before its wait."""
    if isinstance(answer, Decide):
        return wait is not None and wait.kind is WaitKind.APPROVAL
    if wait is None:
        return answer.kind is WaitKind.CALLBACK
    return wait.kind is answer.kind and answer.kind is not WaitKind.APPROVAL
