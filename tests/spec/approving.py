"""Steps written by hand, of approvals, releases and sessions."""

from dataclasses import replace
from typing import Any

from keepfact.spec.vocabulary import (
    FIRST_BUNDLE,
    FORMAT,
    TENANT,
    UNCHANGED,
    Branch,
    BundleId,
    BundleView,
    CallId,
    Checkpoint,
    Contract,
    Decide,
    Deploy,
    EntryPoint,
    EventType,
    Fence,
    InForce,
    Intend,
    Mark,
    RequestApproval,
    RunState,
    RunView,
    Session,
    Shown,
    Step,
    TenantId,
    WaitId,
    WaitKind,
    WaitState,
    WaitView,
    Wake,
)

from .steps import ID, PAY, RUN, WORKER, intend, run, then

ASKED = WaitId("asked")
LATER = WaitId("later")
OLD, NEW = FIRST_BUNDLE, BundleId("bundle-2")
MARKER = "changed"
BOTH_SERVED = (BundleView(OLD), BundleView(NEW, (MARKER,)))


def seen(step: Step, **fields: Any) -> Step:
    """The same step where this holds beside the runs, before and after."""
    return replace(step, before=replace(step.before, **fields), after=replace(step.after, **fields))


def becoming(step: Step, **fields: Any) -> Step:
    """The same step, after which this holds beside the runs."""
    return replace(step, after=replace(step.after, **fields))


def asked_by(
    step: Step, role: EntryPoint = EntryPoint.WORK, *, tenant: str = TENANT, principal: str = "somebody"
) -> Step:
    """The same step in a session; events of hand-written runs are signed by somebody."""
    return replace(step, session=Session(TenantId(tenant), principal, role))


def request(
    wait: WaitId = ASKED,
    *,
    call: CallId = PAY,
    digest: str = "arguments",
    risk: str = "low",
    in_force: InForce = UNCHANGED,
    differs: tuple[str, ...] = (),
    seconds: int = 60,
    state: WaitState = WaitState.WAITING,
    approved: bool | None = None,
    used_by: CallId | None = None,
) -> WaitView:
    """A request for approval as it stands; nobody has decided it unless it is said."""
    shown = Shown(call, digest, risk, "policy", in_force, differs)
    asked = waiting(wait, WaitKind.APPROVAL, seconds, state, digest=digest)
    return replace(asked, shown=shown, approved=approved, used_by=used_by)


def waiting(
    wait: WaitId = LATER,
    kind: WaitKind = WaitKind.CALLBACK,
    seconds: int = 60,
    state: WaitState = WaitState.WAITING,
    *,
    bundle: BundleId = FIRST_BUNDLE,
    digest: str = "arguments",
) -> WaitView:
    return WaitView(wait, kind, Checkpoint(FORMAT, bundle, digest, 2, 10), seconds, state)


def approved(**fields: Any) -> WaitView:
    """A request that was approved and woke its run."""
    return request(state=WaitState.CONSUMED, approved=True, **fields)


def denied(**fields: Any) -> WaitView:
    """A request that was denied and woke its run."""
    return request(state=WaitState.CONSUMED, approved=False, **fields)


def waiting_run(*waits: WaitView, **fields: Any) -> RunView:
    """A run that waits for the last of these, without lease and worker."""
    is_asked = waits[-1].kind is WaitKind.APPROVAL
    state = RunState.WAITING_APPROVAL if is_asked else RunState.WAITING_EXTERNAL
    bare = run(state, contract=fields.pop("contract", Contract.SETTLE))
    return then(bare, (EventType.WAITED, waits[-1].wait), waits=waits, **fields)


def ask_for_approval(
    wait: WaitId = ASKED, *, call: CallId = PAY, digest: str = "arguments", risk: str = "low"
) -> RequestApproval:
    return RequestApproval(ID, RUN, Fence(1), wait, call, digest, risk, "policy", 60)


def decide(approves: bool = True, *, wait: WaitId = ASKED, digest: str = "arguments") -> Decide:
    return Decide(ID, RUN, wait, approves, digest)


def intend_approved(name: CallId = PAY, *, wait: WaitId | None = ASKED, digest: str = "arguments") -> Intend:
    return replace(intend(name, digest=digest), approval=wait)


def mark(branch: Branch) -> Mark:
    return Mark(ID, RUN, Fence(1), MARKER, branch)


def wake(*supports: BundleId, wait: WaitId = LATER) -> Wake:
    return Wake(ID, RUN, wait, WORKER, "arguments", supports)


def deploy(bundle: BundleId = NEW, *, replayed: int = 1, diverged: int = 0) -> Deploy:
    return Deploy(ID, bundle, replayed, diverged, (MARKER,))
