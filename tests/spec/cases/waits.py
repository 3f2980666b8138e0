"""Runs that wait, were answered or were woken, as the cases of waking have them."""

from dataclasses import replace
from typing import Any

from keepfact.spec.vocabulary import (
    BundleId,
    CallState,
    ChildView,
    EntryPoint,
    EventType,
    Fence,
    InForce,
    Observation,
    Reason,
    RunState,
    RunView,
    SpawnId,
    Step,
    WaitId,
    WaitKind,
    WaitState,
)

from ..steps import ASK, PAY, RUN, body, call, confirmed, fail, intend, over, refused, run, step, then, told
from ..waking import (
    CHILD,
    SHOWN,
    WAIT,
    arrival,
    closed,
    decided,
    deliver,
    delivered,
    request_approval,
    wait_for,
    wait_view,
    waiting,
    wake,
    woken,
)


def only(before: RunView, **fields: Any) -> RunView:
    """A run whose last wait is another than before."""
    return replace(before, waits=(*before.waits[:-1], replace(before.waits[-1], **fields)))


APPROVAL, TIMER, OF_CHILD = WaitKind.APPROVAL, WaitKind.TIMER, WaitKind.CHILD
ARRIVED, ENDED, CANCEL_REQUESTED = EventType.ARRIVED, EventType.ENDED, EventType.CANCEL_REQUESTED
OPEN, ACCEPTED, CONSUMED, CLOSED = WaitState.WAITING, WaitState.ACCEPTED, WaitState.CONSUMED, WaitState.CLOSED
SEALED, EXPIRED, NOT_DUE = refused(Reason.SEALED), refused(Reason.EXPIRED), refused(Reason.NOT_DUE)
NO_SUCH_WAIT, CONFLICT = refused(Reason.NO_SUCH_WAIT), refused(Reason.ARRIVAL_CONFLICT)
NOT_ACCEPTED, WAKE_CONSUMED = refused(Reason.NOT_ACCEPTED), refused(Reason.WAKE_CONSUMED)
NOT_RUNNING, WAIT_EXISTS = refused(Reason.NOT_RUNNING), refused(Reason.WAIT_EXISTS)
DIFFERS, CLOSED_WAIT = refused(Reason.DIGEST_DIFFERS), refused(Reason.WAIT_CLOSED)
DECIDED, ALREADY_APPROVED = refused(Reason.ALREADY_DECIDED), refused(Reason.ALREADY_APPROVED)
NOT_ALLOWED, SHOWN_DIFFERS = refused(Reason.NOT_ALLOWED), refused(Reason.SHOWN_DIFFERS)
NOT_PERMITTED, FORBIDDEN = refused(Reason.NOT_PERMITTED), InForce(permitted=False)
OTHER, ANOTHER_BUNDLE, LATE = WaitId("other"), BundleId("bundle-2"), arrival(late=True)

RUNNING, FAILED = run(), run(RunState.FAILED)
WAITING, ASKING = waiting(wait_view()), waiting(wait_view(APPROVAL))
EXPIRED_CALLBACK, EXPIRED_APPROVAL = only(WAITING, left_seconds=0), only(ASKING, left_seconds=0)
READY, APPROVED, DENIED = delivered(WAITING, arrival()), decided(ASKING), decided(ASKING, approved=False)
READY_EXPIRED, WOKEN = only(READY, left_seconds=0), woken(READY)
SPENT = delivered(waiting(wait_view(left_cents=0), calls=(confirmed(10),)), arrival())
CANCELLING = closed(WAITING, RunState.CANCELLING, CANCEL_REQUESTED, EntryPoint.CANCEL)
INTERRUPTED = closed(EXPIRED_CALLBACK, RunState.INTERRUPTED, ENDED, EntryPoint.RECOVER)
HELD = run(calls=(call(ceiling=3, state=CallState.UNKNOWN),))
WAIT_AGAIN = replace(wait_for(), fence=Fence(2))
WOKEN_AND_LAPSED = replace(WOKEN, lease_left_seconds=0)
UNTOLD, RUNS_ON = replace(CANCELLING, history=WAITING.history), replace(WAITING, state=RunState.RUNNING)
NAMELESS = replace(WOKEN, history=then(READY, EventType.GRANTED, by=EntryPoint.WAKE, fence=2).history)

TWO = waiting(wait_view(arrivals=2))
HALF = delivered(TWO, arrival(2), waits=TWO.waits)
WHOLE = delivered(HALF, arrival(), arrival(2))
EARLY = then(RUNNING, (ARRIVED, "wait"), by=EntryPoint.DELIVER, arrivals=(arrival(),))
EARLY_READY = waiting(wait_view(state=ACCEPTED, number=3), at=EARLY)
TOO_LATE, NOT_LATE = delivered(EXPIRED_CALLBACK, LATE), delivered(EXPIRED_CALLBACK, arrival())
BESIDE = waiting(wait_view(APPROVAL, name=OTHER), wait_view(APPROVAL))
READY_TWICE = delivered(waiting(wait_view(name=OTHER), wait_view()), arrival())
TICKING, DUE = waiting(wait_view(TIMER)), waiting(wait_view(TIMER, left_seconds=0))
FIRED = delivered(DUE, arrival())
TICKING_EARLY = waiting(wait_view(TIMER, number=3), at=EARLY)
OTHERS_CAME = then(WAITING, arrivals=(arrival(name=OTHER, digest="another"),))
BOTH_CAME = delivered(OTHERS_CAME, *OTHERS_CAME.arrivals, arrival())
MOVED = replace(TOO_LATE, state=RunState.RUNNING)
FOR_OTHER = (arrival(name=OTHER),)
FIRED_TWICE = delivered(FIRED, arrival(), arrival(2))

WOKEN_APPROVED, AGAIN = woken(APPROVED), request_approval(OTHER, fence=2)
ASKED_AGAIN = waiting(wait_view(APPROVAL, name=OTHER, number=5), at=WOKEN_APPROVED)
USED = only(told(WOKEN_APPROVED, EventType.INTENDED, replace(call(), fence=Fence(2))), used_by=PAY)
USE = replace(intend(fence=2), approval=WAIT)
LONG_AGO = only(WOKEN_APPROVED, left_seconds=0)
OTHER_ARGUMENTS = only(ASKING, checkpoint=WAITING.waits[0].checkpoint)
ASKED_ANEW = waiting(wait_view(APPROVAL, name=OTHER, number=5), at=LONG_AGO)
DEAD = replace(WOKEN_APPROVED, lease_left_seconds=0)
LONG_AGO_AND_LAPSED = replace(LONG_AGO, lease_left_seconds=0)
SETTLED = over(DEAD, RunState.INTERRUPTED, ENDED, by=EntryPoint.RECOVER)
FOR_ANOTHER = wait_view(APPROVAL, name=OTHER, number=5, shown=replace(SHOWN, call=ASK))
ANOTHER, ASKED_OF_ANOTHER = replace(AGAIN, call=ASK), waiting(FOR_ANOTHER, at=WOKEN_APPROVED)
OTHERWISE, SHOWN_OTHERWISE = replace(AGAIN, digest="request"), replace(SHOWN, digest="request", differs=("digest",))
SEALED_OTHERWISE = replace(wait_view(number=5), wait=OTHER, kind=APPROVAL, shown=SHOWN_OTHERWISE)
ASKED_OTHERWISE = waiting(SEALED_OTHERWISE, at=WOKEN_APPROVED)
CLOSED_REQUEST = closed(ASKING, RunState.CANCELLING, CANCEL_REQUESTED, EntryPoint.CANCEL)
BORN_APPROVED = only(ASKING, state=ACCEPTED, approved=True)

PARENT = replace(run(), children=(ChildView(SpawnId("spawn"), CHILD),))
FOR_IT, CHILDS = wait_for(OF_CHILD, child=CHILD), deliver(kind=OF_CHILD)
FOR_CHILD = waiting(wait_view(OF_CHILD, child=CHILD), at=PARENT)
STOPPING = then(PARENT, CANCEL_REQUESTED, by=EntryPoint.CANCEL, state=RunState.CANCELLING)
CHILD_RUNNING = replace(run(name=CHILD), parent=RUN)
CHILD_ENDED = replace(run(RunState.FAILED, name=CHILD, publications=(body(),), calls=(confirmed(),)), parent=RUN)
CHILD_STOPPING = then(CHILD_RUNNING, CANCEL_REQUESTED, by=EntryPoint.CANCEL, state=RunState.CANCELLING)

UNFIT = [
    ("a wake of another format", wake(version=2), READY, Reason.UNSUPPORTED_FORMAT),
    ("a wake by a worker of another bundle", wake(supports=(ANOTHER_BUNDLE,)), READY, Reason.UNSUPPORTED_BUNDLE),
    ("a wake with another digest", wake("another"), READY, Reason.DIGEST_DIFFERS),
    ("a wake whose budget is spent", wake(), SPENT, Reason.BUDGET_SPENT),
    ("a wake that has expired", wake(), READY_EXPIRED, Reason.EXPIRED),
    ("a wake of a wait that is closed", wake(), CANCELLING, Reason.WAIT_CLOSED),
    ("a wake of a run that ended", wake(), INTERRUPTED, Reason.SEALED),
    ("a wake of a run whose end is unknown", wake(), replace(INTERRUPTED, state=RunState.UNKNOWN), Reason.SEALED),
]


def sealed_otherwise(**fields: Any) -> Step:
    """A wait whose checkpoint says something else than where the run stood."""
    return step(wait_for(), RUNNING, only(WAITING, checkpoint=replace(WAITING.waits[0].checkpoint, **fields)))


def drifted(given: Step, now: InForce) -> Step:
    """The same step, with something else in force."""
    return replace(given, before=replace(given.before, in_force=now), after=replace(given.after, in_force=now))


def beside(given: Step, child: RunView = CHILD_RUNNING, later: RunView | None = None) -> Step:
    """The same step, while there is a child, which may have changed with it."""
    before, after = (*given.before.runs, child), (*given.after.runs, later or child)
    return replace(given, before=Observation(before), after=Observation(after))


def reported(child: RunView) -> Step:
    return beside(step(CHILDS, FOR_CHILD, delivered(FOR_CHILD, arrival())), child)


def dies_with(child: RunView) -> Step:
    return beside(step(fail(), PARENT, over(PARENT, RunState.FAILED, ENDED)), CHILD_ENDED, child)
