"""How a run begins: submitted, spawned by another, or as the continuation of one; and what no command may say."""

from keepfact.spec.vocabulary import (
    LATEST,
    BundleId,
    ChildView,
    Command,
    Continue,
    Deliver,
    Deploy,
    EntryPoint,
    EventType,
    Evidence,
    Intend,
    Reason,
    Reconcile,
    RecordAnswer,
    Refused,
    RequestApproval,
    RequestId,
    SaveMaterial,
    Spawn,
    Stream,
    Submit,
    TenantId,
    Wait,
    WaitKind,
)

from .calling import has_unknown_operation
from .materials import handed_over
from .state import Run, State, WideChange, changed
from .working import why_not_work


def admit(state: State, command: Submit, tenant: TenantId) -> WideChange:
    """A new run in the queue, pinned to its contract and to resolved versions."""
    if state.run(command.run) is not None:
        return Refused(Reason.RUN_EXISTS)
    if _is_taken(state, command.request, tenant):
        return Refused(Reason.REQUEST_TAKEN)
    bundle = _resolved(state, command.bundle)
    if bundle is None:
        return Refused(Reason.NO_SUCH_BUNDLE)
    run = Run(
        command.run, command.contract, command.budget_cents, tenant=tenant, bundle=bundle, request=command.request
    )
    return state.with_run(run.tells(EventType.ADMITTED, EntryPoint.SUBMIT))


def continue_(state: State, command: Continue, tenant: TenantId) -> WideChange:
    """A new run that may read what a sealed one left; with it comes nothing that can be executed."""
    source = state.run(command.source)
    if state.run(command.run) is not None:
        return Refused(Reason.RUN_EXISTS)
    if _is_taken(state, command.request, tenant):
        return Refused(Reason.REQUEST_TAKEN)
    if source is None or source.tenant != tenant:
        return Refused(Reason.NO_SUCH_RUN)
    if not source.is_sealed:
        return Refused(Reason.NOT_ENDED)
    bundle = _resolved(state, LATEST)
    if bundle is None:
        return Refused(Reason.NO_SUCH_BUNDLE)
    run = Run(
        command.run,
        command.contract,
        command.budget_cents,
        tenant=tenant,
        bundle=bundle,
        request=command.request,
        continues=source.run,
        inherited=handed_over(state, source, command.user),
        open_calls=tuple(call.call for call in source.calls if call.is_unresolved),
        user=command.user,
    )
    return state.with_run(run.tells(EventType.ADMITTED, EntryPoint.CONTINUE))


def spawn(state: State, command: Spawn) -> WideChange:
    """One child for one spawn id, admitted in the commit that the parent tells of it."""
    parent = state.run(command.run)
    if parent is None:
        return Refused(Reason.NO_SUCH_RUN)
    if (reason := why_not_work(parent, command)) is not None:
        return Refused(reason)
    first = next((child for child in parent.children if child.spawn == command.spawn), None)
    if first is not None:
        return state if first.child == command.child else Refused(Reason.SPAWN_CONFLICT)
    if state.run(command.child) is not None:
        return Refused(Reason.RUN_EXISTS)
    if has_unknown_operation(parent):
        return Refused(Reason.UNRESOLVED)
    child = Run(
        command.child,
        parent.contract,
        command.budget_cents,
        tenant=parent.tenant,
        bundle=parent.bundle,
        parent=parent.run,
    )
    told = changed(parent, children=(*parent.children, ChildView(command.spawn, command.child)), deaths=0)
    told = told.tells(EventType.SPAWNED, EntryPoint.WORK, parent.fence, command.child)
    return state.with_run(told).with_run(child.tells(EventType.ADMITTED, EntryPoint.WORK))


def is_malformed(command: Command) -> bool:
    """An amount is never negative, evidence carries one only when it confirms, and what is counted counts from 1.

    Only callbacks come several times: a timer fires once, a child reports once.
    """
    match command:
        case Submit() | Continue() | Spawn():
            return command.budget_cents < 0
        case Intend():
            return (
                command.ceiling_cents < 0
                or command.sends_max < 1
                or (command.undo is not None and command.compensates is None)
            )
        case RecordAnswer():
            return (command.cost_cents or 0) < 0
        case Reconcile(evidence=Evidence.CONFIRMED):
            return (command.cost_cents or 0) < 0
        case Reconcile():
            return command.cost_cents is not None
        case Wait():
            is_asked_for = command.kind is WaitKind.APPROVAL  # of a person, by another command
            counts = command.arrivals == 1 or (command.kind is WaitKind.CALLBACK and command.arrivals > 1)
            return command.seconds < 0 or not counts or is_asked_for
        case RequestApproval():
            return command.seconds < 0
        case SaveMaterial():
            return command.fresh_seconds < 0
        case Deliver():
            return command.number < 1
        case Deploy():
            return command.replayed < 0 or command.diverged < 0 or command.bundle == LATEST
        case Stream():
            return command.after < 0
        case _:
            return False


def _is_taken(state: State, request: RequestId | None, tenant: TenantId) -> bool:
    """One request admits one run (CONTINUE.10)."""
    return request is not None and any(run.request == request and run.tenant == tenant for run in state.runs)


def _resolved(state: State, wanted: BundleId) -> BundleId | None:
    """The bundle that a name stands for now: a selector is resolved once, here."""
    served = [bundle.bundle for bundle in state.bundles if not bundle.is_retired]
    if wanted == LATEST:
        return served[-1] if served else None
    return wanted if wanted in served else None
