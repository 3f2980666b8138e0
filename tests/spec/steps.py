"""Steps written by hand, without the model: a run as it was, what was asked, and the run as it is then."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from keepfact.spec.chain import chained
from keepfact.spec.vocabulary import (
    ENDS,
    FIRST_BUNDLE,
    FORMAT,
    NOTHING,
    TENANT,
    UNCHANGED,
    Act,
    Asked,
    Branch,
    BundleId,
    BundleView,
    CallId,
    CallKind,
    CallState,
    CallTruth,
    CallView,
    Cancel,
    Cause,
    Checkpoint,
    ChildView,
    Claim,
    CommandId,
    Continue,
    Contract,
    Decide,
    Deploy,
    Done,
    EntryPoint,
    EventType,
    EventView,
    Evidence,
    Fail,
    Fence,
    InForce,
    InheritedView,
    Intend,
    Label,
    LeaseGrant,
    LookedUp,
    Lost,
    Mark,
    MarkUnknown,
    MaterialId,
    MaterialView,
    Observation,
    Observe,
    Outcome,
    PayloadView,
    PublicationView,
    Publish,
    Purge,
    ReaderView,
    ReadMaterial,
    Reason,
    Reconcile,
    RecordAnswer,
    Recover,
    Refused,
    Release,
    Renew,
    Replay,
    RequestApproval,
    RequestId,
    RunId,
    RunState,
    RunView,
    SendAgain,
    Session,
    Shown,
    SourceId,
    Spawn,
    SpawnId,
    Step,
    Stop,
    Stream,
    Submit,
    Succeed,
    TenantId,
    Tick,
    Truth,
    UserId,
    WaitId,
    WaitKind,
    WaitState,
    WaitView,
    Wake,
    WorkerId,
    WorkerRan,
)

RUN = RunId("run")
PAY = CallId("pay")
ASK = CallId("ask")
AGAIN = CallId("ask again")
ID = CommandId("1")
WORKER = WorkerId("worker")

OBSERVE = Observe(ID, RUN)
SUBMIT = Submit(ID, RUN, Contract.SETTLE, 10)
CLAIM = Claim(ID, RUN, WORKER)
RECOVER = Recover(ID, RUN)
TICK = Tick(1)
ACT = Act(RUN, PAY, 5)
WORKER_RAN = WorkerRan(RUN)
LOOKED_UP = LookedUp(RUN)
DONE = Done()
LOST = Lost()

_HISTORIES = {
    RunState.QUEUED: (EventType.ADMITTED,),
    RunState.UNKNOWN: (EventType.ADMITTED, EventType.GRANTED, EventType.SEALED),
    **dict.fromkeys(ENDS, (EventType.ADMITTED, EventType.GRANTED, EventType.ENDED)),
}
_GRANTED = (EventType.ADMITTED, EventType.GRANTED)
_PLAIN_WRITERS = {EventType.ADMITTED: EntryPoint.SUBMIT, EventType.RECONCILED: EntryPoint.RECONCILE}


@dataclass(frozen=True)
class Case:
    """What a rule must say of a step: True, False, or None where the step is none of its business."""

    rule: str
    sentence: str
    verdict: bool | None
    step: Step

    def __str__(self) -> str:
        says = {True: "accepts", False: "rejects", None: "is silent when"}[self.verdict]
        return f"{self.rule} {says} {self.sentence}"


def accepts(rule: str, sentence: str, step: Step) -> Case:
    return Case(rule, sentence, True, step)


def rejects(rule: str, sentence: str, step: Step) -> Case:
    return Case(rule, sentence, False, step)


def is_silent(rule: str, sentence: str, step: Step) -> Case:
    return Case(rule, sentence, None, step)


def step(
    cause: Cause,
    before: RunView | None,
    after: RunView | None,
    outcome: Outcome = DONE,
    *,
    others: tuple[RunView | None, RunView | None] | None = None,
    repeats: Outcome | None = None,
    truth_before: Truth = NOTHING,
    truth: Truth | None = None,
) -> Step:
    """One step about RUN; `others` is another run, as it was and as it is. Truth stays unless it is said."""
    other_before, other_after = others or (None, None)
    return Step(
        before=Observation(tuple(run for run in (before, other_before) if run)),
        cause=cause,
        outcome=outcome if isinstance(cause, Asked) else None,
        after=Observation(tuple(run for run in (after, other_after) if run)),
        truth_before=truth_before,
        truth=truth_before if truth is None else truth,
        repeats=repeats,
    )


def nothing(cause: Cause, run: RunView | None, outcome: Outcome, *, repeats: Outcome | None = None) -> Step:
    """A step that changes nothing."""
    return step(cause, run, run, outcome, repeats=repeats)


def run(
    state: RunState = RunState.RUNNING,
    *,
    lease: int | None = None,
    fence: int | None = None,
    calls: Iterable[CallView] = (),
    budget: int = 10,
    contract: Contract = Contract.SETTLE,
    publications: tuple[PublicationView, ...] = (),
    sealed_for: RunState | None = None,
    name: RunId = RUN,
) -> RunView:
    """A run with a plausible history and a true ledger. It runs under fence 1 with a live lease unless it is said."""
    is_held = state is RunState.RUNNING
    bare = RunView(
        run=name,
        contract=contract,
        state=state,
        fence=Fence(fence if fence is not None else 0 if state is RunState.QUEUED else 1),
        budget_cents=budget,
        worker=WORKER if is_held else None,
        lease_left_seconds=30 if is_held and lease is None else lease,
        sealed_for=sealed_for,
        calls=tuple(calls),
        publications=publications,
    )
    return then(bare, *_HISTORIES.get(state, _GRANTED))


def lapsed(**fields: Any) -> RunView:
    """A run whose lease ran out."""
    return run(lease=0, **fields)


def then(
    run: RunView, *events: EventType | tuple[EventType, str], by: EntryPoint | None = None, **fields: Any
) -> RunView:
    """What becomes of a run: these fields exchanged, the ledger true unless one of them is it, these events told."""
    changed = replace(run, **fields)
    unresolved = [call for call in changed.calls if call.cost_cents is None and call.state is not CallState.NOT_FOUND]
    ledger: dict[str, Any] = {
        "known_cents": sum(call.cost_cents or 0 for call in changed.calls),
        "held_cents": sum(call.ceiling_cents for call in unresolved),
        "unresolved": len(unresolved),
    }
    changed = replace(changed, **{name: value for name, value in ledger.items() if name not in fields})
    for event in events:
        type_, concerns = event if isinstance(event, tuple) else (event, None)
        changed = _told(changed, type_, by or _PLAIN_WRITERS.get(type_, EntryPoint.WORK), concerns)
    return changed


def told(before: RunView, type_: EventType, *calls: CallView, **fields: Any) -> RunView:
    """What becomes of a run when these are its calls, with one event for each that came or changed."""
    events = [(type_, call.call) for call in calls if call not in before.calls]
    return then(before, *events, calls=calls, **fields)


def over(run: RunView, state: RunState, *events: EventType | tuple[EventType, str], **fields: Any) -> RunView:
    """A run that ended or was sealed: nobody holds it any more."""
    return then(run, *events, state=state, worker=None, lease_left_seconds=None, **fields)


def _told(run: RunView, type_: EventType, by: EntryPoint, concerns: str | None) -> RunView:
    before = run.history[-1].digest if run.history else None
    event = EventView(len(run.history) + 1, type_, by, "somebody", run.fence, concerns, previous_digest=before)
    return replace(run, history=(*run.history, chained(event)))


def call(
    name: CallId = PAY,
    state: CallState = CallState.OPEN,
    *,
    kind: CallKind = CallKind.OPERATION,
    digest: str = "arguments",
    ceiling: int = 5,
    cost: int | None = None,
    answer: str | None = None,
    supersedes: CallId | None = None,
    over_ceiling: bool = False,
) -> CallView:
    return CallView(name, kind, digest, ceiling, Fence(1), state, answer, cost, supersedes, over_ceiling)


def open_(name: CallId = PAY) -> CallView:
    return call(name)


def unknown(name: CallId = PAY) -> CallView:
    return call(name, CallState.UNKNOWN)


def confirmed(cost: int | None = 5, *, answer: str | None = "answer", over_ceiling: bool = False) -> CallView:
    return call(state=CallState.CONFIRMED, cost=cost, answer=answer, over_ceiling=over_ceiling)


def body(version: int = 1, *, qualified: bool = True) -> PublicationView:
    return PublicationView(version, "body", qualified)


def granted(fence: int) -> Done:
    return Done(LeaseGrant(Fence(fence), 30))


def refused(reason: Reason) -> Refused:
    return Refused(reason)


def renew(fence: int = 1) -> Renew:
    return Renew(ID, RUN, Fence(fence))


def release(fence: int = 1) -> Release:
    return Release(ID, RUN, Fence(fence))


def intend(
    name: CallId = PAY,
    *,
    fence: int = 1,
    kind: CallKind = CallKind.OPERATION,
    digest: str = "arguments",
    ceiling: int = 5,
    supersedes: CallId | None = None,
) -> Intend:
    return Intend(ID, RUN, Fence(fence), name, kind, digest, ceiling, supersedes)


def ask_again(*, kind: CallKind = CallKind.ATTEMPT) -> Intend:
    return intend(AGAIN, kind=kind, supersedes=ASK)


def record(cost: int | None = 5, *, fence: int = 1) -> RecordAnswer:
    return RecordAnswer(ID, RUN, Fence(fence), PAY, "answer", cost)


def mark_unknown(name: CallId = PAY) -> MarkUnknown:
    return MarkUnknown(ID, RUN, Fence(1), name)


def publish(fence: int = 1) -> Publish:
    return Publish(ID, RUN, Fence(fence), "body", True)


def succeed(fence: int = 1) -> Succeed:
    return Succeed(ID, RUN, Fence(fence))


def fail(fence: int = 1) -> Fail:
    return Fail(ID, RUN, Fence(fence))


def reconcile(evidence: Evidence, cost: int | None = None) -> Reconcile:
    return Reconcile(ID, RUN, PAY, evidence, cost)


def truth(cost: int = 5, *, name: CallId = PAY, acts: int = 1, kind: CallKind = CallKind.OPERATION) -> Truth:
    """One call that acted outside."""
    return Truth((CallTruth(name, kind, requests=max(1, acts), acts=acts, cost_cents=cost),))


# HISTORY and CONTINUE: what is kept beyond one run, and what one run leaves to another.

SOURCE = RunId("source")
FINDING = MaterialId("finding")
SUMMARY = MaterialId("summary")
USER = UserId("user")


def beside(step: Step, *runs: RunView, after: Mapping[str, Any] | None = None, **kept: Any) -> Step:
    """The same step beside these older runs, with these things kept beyond one run; `after` is what of them changes."""
    return replace(
        step,
        before=replace(step.before, runs=(*runs, *step.before.runs), **kept),
        after=replace(step.after, runs=(*runs, *step.after.runs), **{**kept, **(after or {})}),
    )


def stream(after: int) -> Stream:
    return Stream(ID, RUN, after)


def replay(host: str = "host") -> Replay:
    return Replay(ID, RUN, host)


def payload(text: str, *, version: int = 1, characters: int | None = None) -> PayloadView:
    """A text as it is kept; its length as it is, unless it is said."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return PayloadView(digest, version, len(text) if characters is None else characters)


def purge(text: str) -> Purge:
    return Purge(ID, payload(text).digest)


def continue_(*, request: str | None = None, run: RunId = RUN) -> Continue:
    return Continue(ID, run, SOURCE, USER, Contract.SETTLE, 10, request and RequestId(request))


def material(
    name: MaterialId = FINDING,
    source: str = "web",
    *,
    fence: int = 1,
    as_of: str | None = "yesterday",
    fresh: int = 60,
    derived_from: tuple[MaterialId, ...] = (),
    replaces: MaterialId | None = None,
    judgement: bool = False,
) -> MaterialView:
    lineage = (derived_from, replaces, judgement)
    return MaterialView(name, SourceId(source), "digest", Fence(fence), as_of, fresh, *lineage)


def left(*materials: MaterialView, state: RunState = RunState.FAILED, **fields: Any) -> RunView:
    """The run that is continued, and what it saved."""
    return replace(run(state, name=SOURCE), materials=materials, **fields)


def handed(
    name: MaterialId = FINDING, label: Label = Label.CURRENT, *, run: RunId = SOURCE, reads: int = 0
) -> InheritedView:
    return InheritedView(name, run, label, reads)


def admitted(*inherited: InheritedView, **fields: Any) -> RunView:
    """A run that continues SOURCE, as it was admitted, with these materials handed over."""
    bare = replace(run(RunState.QUEUED), history=(), continues=SOURCE)
    return then(bare, EventType.ADMITTED, by=EntryPoint.CONTINUE, inherited=inherited, **fields)


def readers(*sources: str, user: UserId = USER) -> tuple[ReaderView, ...]:
    """These sources may be read."""
    return tuple(ReaderView(SourceId(source), user) for source in sources)


def read_material(name: MaterialId = FINDING) -> ReadMaterial:
    return ReadMaterial(ID, RUN, Fence(1), name)


# APPROVAL, VERSION, TENANT

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
    return replace(waiting(wait, WaitKind.APPROVAL, seconds, state), shown=shown, approved=approved, used_by=used_by)


def waiting(
    wait: WaitId = LATER,
    kind: WaitKind = WaitKind.CALLBACK,
    seconds: int = 60,
    state: WaitState = WaitState.WAITING,
    *,
    bundle: BundleId = FIRST_BUNDLE,
) -> WaitView:
    return WaitView(wait, kind, Checkpoint(FORMAT, bundle, "arguments", 2, 10), seconds, state)


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


# Of CANCEL, and of what EFFECT, SETTLE and ENTRY say about cancelling, sending again, children and resuming.

CANCEL, STOP = Cancel(ID, RUN), Stop(ID, RUN, Fence(1))
CHILD, SPAWN = RunId("child"), SpawnId("spawn")
NEWS = WaitId("news")
RESUME_IT = Recover(ID, RUN, WORKER)


def recognised(state: CallState = CallState.UNKNOWN, **fields: Any) -> CallView:
    """A call that its tool promises to recognise, so that it may be sent up to three times."""
    return replace(call(state=state), recognises=True, sends_max=3, **fields)


def cancelling(
    *, lease: int | None = 30, calls: Iterable[CallView] = (), contract: Contract = Contract.SETTLE, **fields: Any
) -> RunView:
    """A run that was asked to stop while its worker had it; its open calls were told."""
    told = [replace(call, told_to_stop=True) if call.state is CallState.OPEN else call for call in calls]
    running = run(lease=lease, calls=told, contract=contract)
    return asked_to_stop(replace(running, lease_left_seconds=lease), **fields)


def asked_to_stop(run: RunView, **fields: Any) -> RunView:
    """What the request makes of a run, beside what is said."""
    return then(run, EventType.CANCEL_REQUESTED, by=EntryPoint.CANCEL, state=RunState.CANCELLING, **fields)


def waiting_on(*waits: WaitView, contract: Contract = Contract.SETTLE, **fields: Any) -> RunView:
    """A run that waits without lease and worker, after an event for each wait."""
    running = replace(run(contract=contract), worker=None, lease_left_seconds=None)
    return then(running, *[EventType.WAITED] * len(waits), state=RunState.WAITING_EXTERNAL, waits=waits, **fields)


def wait(
    name: WaitId = NEWS,
    state: WaitState = WaitState.WAITING,
    *,
    kind: WaitKind = WaitKind.CALLBACK,
    left: int = 60,
    **fields: Any,
) -> WaitView:
    return WaitView(name, kind, Checkpoint(FORMAT, FIRST_BUNDLE, "request", 2, 10), left, state, **fields)


def send_again(name: CallId = PAY) -> SendAgain:
    return SendAgain(ID, RUN, Fence(1), name)


def mark(branch: Branch) -> Mark:
    return Mark(ID, RUN, Fence(1), MARKER, branch)


def wake(*supports: BundleId, wait: WaitId = LATER) -> Wake:
    return Wake(ID, RUN, wait, WORKER, "arguments", supports)


def deploy(bundle: BundleId = NEW, *, replayed: int = 1, diverged: int = 0) -> Deploy:
    return Deploy(ID, bundle, replayed, diverged, (MARKER,))


def spawn(child: RunId = CHILD) -> Spawn:
    return Spawn(ID, RUN, Fence(1), SPAWN, child, 10)


def spawned(parent: RunView, child: RunId = CHILD) -> RunView:
    """The parent after it has started this child."""
    return then(parent, EventType.SPAWNED, children=(*parent.children, ChildView(SPAWN, child)))


def child_of(parent: RunView, name: RunId = CHILD) -> RunView:
    """A child as it is admitted."""
    bare = RunView(name, parent.contract, RunState.QUEUED, Fence(0), 10, parent=parent.run)
    return then(bare, EventType.ADMITTED, by=EntryPoint.WORK)
