"""Steps written by hand, without the model: a run as it was, what was asked, and the run as it is then."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from keepfact.spec.chain import chained
from keepfact.spec.vocabulary import (
    ENDS,
    NOTHING,
    Act,
    Asked,
    CallId,
    CallKind,
    CallState,
    CallTruth,
    CallView,
    Cause,
    Claim,
    CommandId,
    Contract,
    Done,
    EntryPoint,
    EventType,
    EventView,
    Evidence,
    Fail,
    Fence,
    Intend,
    LeaseGrant,
    LookedUp,
    Lost,
    MarkUnknown,
    Observation,
    Observe,
    Outcome,
    PublicationView,
    Publish,
    Reason,
    Reconcile,
    RecordAnswer,
    Recover,
    Refused,
    Release,
    Renew,
    RunId,
    RunState,
    RunView,
    Step,
    Submit,
    Succeed,
    Tick,
    Truth,
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


def reconcile(evidence: Evidence, cost: int | None = None, sends: int | None = None) -> Reconcile:
    return Reconcile(ID, RUN, PAY, evidence, cost, sends)


def truth(cost: int = 5, *, name: CallId = PAY, acts: int = 1, kind: CallKind = CallKind.OPERATION) -> Truth:
    """One call that acted outside."""
    return Truth((CallTruth(name, kind, requests=max(1, acts), acts=acts, cost_cents=cost),))
