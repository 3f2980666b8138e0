"""The narrow door back."""

from dataclasses import replace
from typing import Any

from keepfact.spec.vocabulary import (
    BundleId,
    CallState,
    Checkpoint,
    ChildView,
    EntryPoint,
    EventType,
    Fence,
    InForce,
    Observation,
    Reason,
    Restarted,
    RunState,
    RunView,
    SpawnId,
    Step,
    Tick,
    WaitId,
    WaitKind,
    WaitState,
)

from ..steps import (
    ASK,
    CANCEL,
    CHILD,
    DONE,
    LOST,
    OBSERVE,
    PAY,
    RECOVER,
    RUN,
    SHOWN,
    SUBMIT,
    WORKER,
    WORKER_RAN,
    accepts,
    arrival,
    body,
    call,
    closed,
    confirmed,
    decide,
    decided,
    deliver,
    delivered,
    fail,
    granted,
    intend,
    is_silent,
    nothing,
    over,
    publish,
    refused,
    rejects,
    renew,
    request_approval,
    run,
    step,
    then,
    told,
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


BEFORE_AND_SEALED = [
    accepts("WAKE.1", "a wait that gives the lease back", step(wait_for(), RUNNING, WAITING)),
    accepts("WAKE.1", "a wake after which nothing is open", step(wake(), READY, WOKEN, granted(2))),
    accepts("WAKE.1", "a worker of a waiting run that is refused", nothing(publish(), WAITING, NOT_RUNNING)),
    accepts("WAKE.1", "a worker process that came to wait", step(WORKER_RAN, RUNNING, WAITING)),
    rejects("WAKE.1", "a wait that keeps the worker", step(wait_for(), RUNNING, replace(WAITING, worker=WORKER))),
    rejects(
        "WAKE.1", "a wait that keeps the lease", step(wait_for(), RUNNING, replace(WAITING, lease_left_seconds=30))
    ),
    rejects("WAKE.1", "a wait for a callback as if for a person", step(wait_for(), RUNNING, only(ASKING, kind=TIMER))),
    rejects("WAKE.1", "a wait for nothing", step(wait_for(), RUNNING, replace(WAITING, waits=()))),
    rejects("WAKE.1", "two waits at once", step(wait_for(), RUNNING, waiting(wait_view(name=OTHER), wait_view()))),
    rejects("WAKE.1", "an end that leaves a wait open", step(RECOVER, EXPIRED_CALLBACK, only(INTERRUPTED, state=OPEN))),
    rejects(
        "WAKE.1",
        "a worker that writes under its last fence while the run waits",
        step(publish(), WAITING, then(WAITING, EventType.PUBLISHED, publications=(body(),))),
    ),
    is_silent("WAKE.1", "a worker of a waiting run was not heard", nothing(publish(), WAITING, LOST)),
    is_silent("WAKE.1", "the run does not wait", step(renew(), run(lease=3), RUNNING)),
    accepts("WAKE.2", "a checkpoint that says where the run stood", step(wait_for(), RUNNING, WAITING)),
    accepts("WAKE.2", "one before a person is asked", step(request_approval(), RUNNING, ASKING)),
    accepts("WAKE.2", "one whose answer was lost", step(wait_for(), RUNNING, WAITING, LOST)),
    accepts("WAKE.2", "one that a worker process sealed", step(WORKER_RAN, RUNNING, WAITING)),
    accepts("WAKE.2", "a wake that leaves the checkpoint as it was", step(wake(), READY, WOKEN, granted(2))),
    accepts(
        "WAKE.2", "what is held counted as spent", step(wait_for(), HELD, waiting(wait_view(left_cents=7), at=HELD))
    ),
    rejects("WAKE.2", "what is held counted as left", step(wait_for(), HELD, waiting(wait_view(), at=HELD))),
    accepts("WAKE.2", "a second one, later", step(AGAIN, LONG_AGO, ASKED_ANEW)),
    rejects("WAKE.2", "other arguments than the person saw", step(request_approval(), RUNNING, OTHER_ARGUMENTS)),
    rejects("WAKE.2", "a format of tomorrow", sealed_otherwise(format=2)),
    rejects("WAKE.2", "another bundle than the run's", sealed_otherwise(bundle=ANOTHER_BUNDLE)),
    rejects("WAKE.2", "another digest than the request's", sealed_otherwise(digest="another")),
    rejects("WAKE.2", "a number that skips what happened last", sealed_otherwise(history_number=1)),
    rejects("WAKE.2", "a wait for more than was asked", step(wait_for(), RUNNING, only(WAITING, arrivals=2))),
    rejects("WAKE.2", "a wait that lasts longer than asked", step(wait_for(), RUNNING, only(WAITING, left_seconds=90))),
    rejects("WAKE.2", "a request that lasts longer", step(request_approval(), RUNNING, only(ASKING, left_seconds=90))),
    rejects("WAKE.2", "a wait that is done and not there", nothing(wait_for(), RUNNING, DONE)),
    rejects("WAKE.2", "a wait that nobody told", step(wait_for(), RUNNING, replace(WAITING, history=RUNNING.history))),
    rejects("WAKE.2", "a wait that comes by recovery", step(RECOVER, run(lease=0), WAITING)),
    rejects(
        "WAKE.2",
        "a wake that exchanges the checkpoint",
        step(wake(), READY, only(WOKEN, checkpoint=Checkpoint(1, ANOTHER_BUNDLE, "request", 2, 10)), granted(2)),
    ),
    rejects(
        "WAKE.2",
        "a decision that exchanges what was shown",
        step(decide(), ASKING, only(APPROVED, shown=replace(SHOWN, digest="another"))),
    ),
    is_silent("WAKE.2", "nobody waits", step(publish(), RUNNING, then(RUNNING, EventType.PUBLISHED))),
]

ANSWERED = [
    accepts("WAKE.3", "a decision on one request", step(decide(), ASKING, APPROVED)),
    accepts("WAKE.3", "a callback that comes", step(deliver(), WAITING, READY)),
    accepts("WAKE.3", "the same decision, which is read", nothing(decide(), APPROVED, DONE)),
    accepts("WAKE.3", "the same callback, which is read", nothing(deliver(), WOKEN, DONE)),
    accepts("WAKE.3", "another decision, refused", nothing(decide(False), APPROVED, DECIDED)),
    accepts("WAKE.3", "another callback, refused", nothing(deliver(digest="another"), READY, CONFLICT)),
    accepts("WAKE.3", "a second wait under the same id, refused", nothing(WAIT_AGAIN, WOKEN, WAIT_EXISTS)),
    accepts("WAKE.3", "a timer whose name a callback used", nothing(deliver(kind=TIMER), TICKING_EARLY, NOT_DUE)),
    accepts("WAKE.3", "the same decision at the wrong door", nothing(decide(), APPROVED, NOT_ALLOWED)),
    rejects("WAKE.3", "another decision that is taken", step(decide(False), APPROVED, decided(APPROVED, False))),
    rejects("WAKE.3", "another decision said to be done", nothing(decide(False), APPROVED, DONE)),
    rejects("WAKE.3", "the same decision taken again", step(decide(), APPROVED, decided(APPROVED))),
    rejects("WAKE.3", "the same decision refused", nothing(decide(), APPROVED, DECIDED)),
    rejects("WAKE.3", "a first decision refused as a second", nothing(decide(), ASKING, DECIDED)),
    rejects("WAKE.3", "another callback said to be done", nothing(deliver(digest="another"), READY, DONE)),
    rejects("WAKE.3", "the same callback refused", nothing(deliver(), READY, CONFLICT)),
    rejects("WAKE.3", "a first callback refused as a second", nothing(deliver(), WAITING, CONFLICT)),
    rejects("WAKE.3", "the same callback taken again", step(deliver(), READY, delivered(READY, arrival(), arrival()))),
    rejects("WAKE.3", "a callback taken for a timer", step(deliver(), TICKING, delivered(TICKING, arrival()))),
    rejects("WAKE.3", "a callback taken for an approval", step(deliver(), ASKING, decided(ASKING))),
    rejects("WAKE.3", "a timer that nobody waits for", step(deliver(kind=TIMER), RUNNING, EARLY)),
    rejects("WAKE.3", "a decision on a callback", step(decide(), WAITING, decided(WAITING))),
    rejects("WAKE.3", "a decision on what was not shown", step(decide(digest="another"), ASKING, APPROVED)),
    rejects("WAKE.3", "a number that is not waited for", step(deliver(2), WAITING, delivered(WAITING, arrival(2)))),
    rejects("WAKE.3", "an answer that accepts two waits", step(decide(), BESIDE, decided(BESIDE))),
    rejects("WAKE.3", "a second wait under the same id", step(WAIT_AGAIN, WOKEN, waiting(wait_view(), at=WOKEN))),
    rejects("WAKE.3", "a first wait refused as a second", nothing(wait_for(), RUNNING, WAIT_EXISTS)),
    is_silent("WAKE.3", "an answer was not heard", nothing(decide(False), APPROVED, LOST)),
    is_silent("WAKE.3", "an answer is refused for another reason", nothing(decide(), EXPIRED_APPROVAL, EXPIRED)),
    is_silent("WAKE.3", "a wait has an id of its own", step(wait_for(), RUNNING, WAITING)),
    is_silent("WAKE.3", "nobody answers", step(wake(), READY, WOKEN, granted(2))),
    accepts("WAKE.4", "a decision that wakes", step(decide(), ASKING, APPROVED)),
    accepts("WAKE.4", "a denial that wakes", step(decide(False), ASKING, DENIED)),
    accepts("WAKE.4", "a callback that wakes", step(deliver(), WAITING, READY, LOST)),
    accepts("WAKE.4", "the last of two callbacks that wakes", step(deliver(), HALF, WHOLE)),
    accepts("WAKE.4", "the first of two callbacks that does not", step(deliver(2), TWO, HALF)),
    accepts("WAKE.4", "a wait for what has all come", step(wait_for(), EARLY, EARLY_READY)),
    accepts("WAKE.4", "a worker process that waits for what has come", step(WORKER_RAN, EARLY, EARLY_READY)),
    accepts("WAKE.4", "a timer whose name a callback used", step(wait_for(TIMER), EARLY, TICKING_EARLY)),
    accepts("WAKE.4", "a wake before its cause, refused", nothing(wake(), WAITING, NOT_ACCEPTED)),
    rejects("WAKE.4", "a wake after its cause, refused", nothing(wake(), READY, NOT_ACCEPTED)),
    rejects("WAKE.4", "a decision that wakes nobody", step(decide(), ASKING, only(APPROVED, state=OPEN))),
    rejects("WAKE.4", "a callback that wakes nobody", step(deliver(), WAITING, only(READY, state=OPEN))),
    rejects("WAKE.4", "a timer that wakes nobody", step(deliver(kind=TIMER), DUE, only(FIRED, state=OPEN))),
    rejects("WAKE.4", "a wait that overlooks what has come", step(wait_for(), EARLY, only(EARLY_READY, state=OPEN))),
    rejects("WAKE.4", "a wake without a decision", step(decide(), ASKING, only(APPROVED, approved=None))),
    rejects("WAKE.4", "a wake without an arrival", step(deliver(), WAITING, replace(READY, arrivals=()))),
    rejects("WAKE.4", "a wake by half of two callbacks", step(deliver(2), TWO, only(HALF, state=ACCEPTED))),
    rejects("WAKE.4", "a wake by what came too late", step(deliver(), WAITING, replace(READY, arrivals=(LATE,)))),
    rejects("WAKE.4", "a wake by what came for another", step(deliver(), WAITING, replace(READY, arrivals=FOR_OTHER))),
    rejects("WAKE.4", "a timer woken at once", step(wait_for(TIMER), EARLY, only(TICKING_EARLY, state=ACCEPTED))),
    rejects("WAKE.4", "a timer woken by the clock", step(Tick(9), TICKING_EARLY, only(TICKING_EARLY, state=ACCEPTED))),
    rejects(
        "WAKE.4", "an approval given by a callback", step(deliver(), ASKING, delivered(ASKING, waits=APPROVED.waits))
    ),
    rejects(
        "WAKE.4",
        "a decision kept without its wake",
        step(decide(), CLOSED_REQUEST, decided(CLOSED_REQUEST, waits=only(CLOSED_REQUEST, approved=True).waits)),
    ),
    rejects("WAKE.4", "a decision that nobody made", step(Tick(1), ASKING, APPROVED)),
    rejects("WAKE.4", "a denial recorded as an approval", step(decide(False), ASKING, APPROVED)),
    rejects(
        "WAKE.4", "a decision without its event", step(decide(), ASKING, replace(APPROVED, history=ASKING.history))
    ),
    rejects("WAKE.4", "a callback that makes a decision", step(deliver(), ASKING, APPROVED)),
    rejects(
        "WAKE.4", "a decision after the wait was closed", step(decide(), CANCELLING, only(CANCELLING, approved=True))
    ),
    rejects("WAKE.4", "a request that is born approved", step(request_approval(), RUNNING, BORN_APPROVED)),
    rejects(
        "WAKE.4",
        "a decision in another run than was asked about",
        step(decide(), None, None, others=(replace(ASKING, run=CHILD), replace(APPROVED, run=CHILD))),
    ),
    is_silent("WAKE.4", "nothing is waited for", step(renew(), run(lease=3), RUNNING)),
    is_silent("WAKE.4", "a wake is refused for another reason", nothing(wake(), FAILED, SEALED)),
]

WOKEN_ONCE = [
    accepts("WAKE.5", "a wake that is used up by its grant", step(wake(), READY, WOKEN, granted(2))),
    accepts("WAKE.5", "a grant that nobody heard of", step(wake(), READY, WOKEN, LOST)),
    accepts("WAKE.5", "a wake that comes second, refused", nothing(wake(), WOKEN, WAKE_CONSUMED)),
    accepts("WAKE.5", "an expired wait that recovery closes", step(RECOVER, EXPIRED_CALLBACK, INTERRUPTED)),
    rejects("WAKE.5", "a second grant by one wake", step(wake(), WOKEN, woken(WOKEN), granted(3))),
    rejects("WAKE.5", "a second grant that nobody heard of", step(wake(), WOKEN, woken(WOKEN), LOST)),
    rejects("WAKE.5", "a second wake said to be done", nothing(wake(), WOKEN, DONE)),
    rejects("WAKE.5", "a wake of what never was", nothing(wake(name=OTHER), READY, DONE)),
    rejects("WAKE.5", "a wake before its cause", step(wake(), WAITING, woken(WAITING), granted(2))),
    rejects("WAKE.5", "a grant that uses nothing up", step(wake(), READY, only(WOKEN, state=ACCEPTED), granted(2))),
    rejects("WAKE.5", "a wake used up without a grant", step(wake(), READY, replace(WOKEN, history=READY.history))),
    rejects("WAKE.5", "a grant that names no wait", step(wake(), READY, NAMELESS, granted(2))),
    rejects("WAKE.5", "a wake that uses up two", step(wake(), READY_TWICE, woken(READY_TWICE), granted(2))),
    rejects("WAKE.5", "a wake used up by recovery", step(RECOVER, READY, only(READY, state=CONSUMED))),
    rejects("WAKE.5", "a wake that is there again after a death", step(RECOVER, WOKEN, only(WOKEN, state=ACCEPTED))),
    rejects("WAKE.5", "a cancellation that closes what was used up", step(CANCEL, WOKEN, only(WOKEN, state=CLOSED))),
    rejects("WAKE.5", "a wait that opens again", step(RECOVER, CANCELLING, only(CANCELLING, state=OPEN))),
    rejects("WAKE.5", "a closed wait that is accepted", step(deliver(), CANCELLING, delivered(CANCELLING, arrival()))),
    rejects("WAKE.5", "a wait that disappears", step(RECOVER, WAITING, replace(WAITING, waits=()))),
    rejects("WAKE.5", "a wait that a clock closes", step(Tick(60), WAITING, only(WAITING, state=CLOSED))),
    rejects("WAKE.5", "a first wake refused as a second", nothing(wake(), READY, WAKE_CONSUMED)),
    is_silent("WAKE.5", "a wake was not heard", nothing(wake(), READY, LOST)),
    is_silent("WAKE.5", "a run comes to wait", step(wait_for(), RUNNING, WAITING)),
    accepts("WAKE.6", "a wake that takes up what was sealed", step(wake(), READY, WOKEN, granted(2))),
    accepts("WAKE.6", "a timer that is long due", step(wake(), FIRED, woken(FIRED), granted(2))),
    *(accepts("WAKE.6", f"{what}, refused", nothing(asked, was, refused(why))) for what, asked, was, why in UNFIT),
    *(rejects("WAKE.6", f"{what}, granted", step(asked, was, woken(was), granted(2))) for what, asked, was, _ in UNFIT),
    *(
        rejects("WAKE.6", f"{what}, granted unheard", step(asked, was, woken(was), LOST))
        for what, asked, was, _ in UNFIT
    ),
    *(rejects("WAKE.6", f"{what}, said of another", nothing(wake(), READY, refused(why))) for what, _, _, why in UNFIT),
    rejects("WAKE.6", "a refusal that uses the wake up", step(wake("x"), READY, only(READY, state=CONSUMED), DIFFERS)),
    rejects("WAKE.6", "a timer refused as expired", nothing(wake(), FIRED, EXPIRED)),
    rejects("WAKE.6", "an expired wake said to be sealed", nothing(wake(), READY_EXPIRED, SEALED)),
    is_silent("WAKE.6", "the wake is not there yet", nothing(wake(), WAITING, NOT_ACCEPTED)),
    is_silent("WAKE.6", "an expired wake was not heard", nothing(wake(), READY_EXPIRED, LOST)),
    is_silent("WAKE.6", "nobody wakes", step(deliver(), WAITING, READY)),
    accepts("WAKE.7", "a run that still waits", nothing(wake(), WAITING, NOT_ACCEPTED)),
    accepts("WAKE.7", "a run that is at work", nothing(wake(), WOKEN, WAKE_CONSUMED)),
    accepts("WAKE.7", "a run that has ended", nothing(wake(), FAILED, SEALED)),
    accepts("WAKE.7", "a run that was given back", nothing(wake(), run(RunState.QUEUED), NO_SUCH_WAIT)),
    rejects("WAKE.7", "a refusal that uses the wake up", step(wake("x"), READY, only(READY, state=CONSUMED), DIFFERS)),
    rejects("WAKE.7", "a refusal that closes the wait", step(wake("x"), READY, only(READY, state=CLOSED), DIFFERS)),
    rejects("WAKE.7", "a refusal that forgets", step(wake("x"), READY, replace(READY, arrivals=()), DIFFERS)),
    rejects("WAKE.7", "a refusal that ends the run", step(wake(), READY_EXPIRED, INTERRUPTED, EXPIRED)),
    rejects("WAKE.7", "a run that nothing can wake", nothing(wake(), only(READY, state=CLOSED), CLOSED_WAIT)),
    is_silent("WAKE.7", "the wake is granted", step(wake(), READY, WOKEN, granted(2))),
    is_silent("WAKE.7", "another command has its id", nothing(wake(), READY, refused(Reason.COMMAND_ID_CONFLICT))),
    accepts("WAKE.12", "an accepted wake that is granted", step(wake(), READY, WOKEN, granted(2))),
    accepts("WAKE.12", "a wake granted unheard", step(wake(), READY, WOKEN, LOST)),
    accepts("WAKE.12", "a decision in time", step(decide(), ASKING, APPROVED)),
    accepts("WAKE.12", "a callback in time, the first of two", step(deliver(2), TWO, HALF)),
    accepts("WAKE.12", "a timer that is due", step(deliver(kind=TIMER), DUE, FIRED)),
    accepts("WAKE.12", "a denial without permission", drifted(step(decide(False), ASKING, DENIED), FORBIDDEN)),
    accepts("WAKE.12", "a child's report", reported(CHILD_ENDED)),
    rejects("WAKE.12", "a valid wake refused", nothing(wake(), READY, NOT_ACCEPTED)),
    rejects("WAKE.12", "a valid wake refused as not queued", nothing(wake(), READY, refused(Reason.NOT_QUEUED))),
    rejects("WAKE.12", "a wake without a grant", step(wake(), READY, WOKEN)),
    rejects("WAKE.12", "a grant told under another fence", step(wake(), READY, WOKEN, granted(3))),
    rejects("WAKE.12", "a grant without a lease", step(wake(), READY, woken(READY, lease_left_seconds=0), granted(2))),
    rejects("WAKE.12", "a grant to somebody else", step(wake(), READY, woken(READY, worker=None), granted(2))),
    rejects("WAKE.12", "a grant that waits on", step(wake(), READY, woken(READY, state=WAITING.state), granted(2))),
    rejects("WAKE.12", "a grant under the old fence", step(wake(), READY, woken(READY, fence=1), granted(1))),
    rejects("WAKE.12", "a decision in time refused", nothing(decide(), ASKING, EXPIRED)),
    rejects("WAKE.12", "a decision in time that is not recorded", nothing(decide(), ASKING, DONE)),
    rejects("WAKE.12", "a callback in time refused", nothing(deliver(), WAITING, NO_SUCH_WAIT)),
    rejects("WAKE.12", "a due timer refused", nothing(deliver(kind=TIMER), DUE, EXPIRED)),
    rejects(
        "WAKE.12", "an ended child's report refused", beside(nothing(CHILDS, FOR_CHILD, NO_SUCH_WAIT), CHILD_ENDED)
    ),
    is_silent("WAKE.12", "the wake is not valid", nothing(wake("another"), READY, DIFFERS)),
    is_silent("WAKE.12", "the wake comes at the wrong door", nothing(wake(), READY, NOT_ALLOWED)),
    is_silent("WAKE.12", "it was decided before", nothing(decide(), APPROVED, DONE)),
    is_silent("WAKE.12", "it is not what was shown", nothing(decide(digest="another"), ASKING, SHOWN_DIFFERS)),
    is_silent("WAKE.12", "the wake is not there yet", nothing(wake(), WAITING, NOT_ACCEPTED)),
    is_silent("WAKE.12", "the wake was not heard", nothing(wake(), READY, LOST)),
    is_silent("WAKE.12", "approving is not permitted", drifted(nothing(decide(), ASKING, NOT_PERMITTED), FORBIDDEN)),
    is_silent("WAKE.12", "a timer is not due", nothing(deliver(kind=TIMER), TICKING, NOT_DUE)),
    is_silent("WAKE.12", "a callback comes too late", step(deliver(), EXPIRED_CALLBACK, TOO_LATE)),
    is_silent("WAKE.12", "there was no such wait", step(deliver(), RUNNING, EARLY)),
]

ARRIVALS_AND_TIMERS = [
    accepts("WAKE.8", "a callback before its wait", step(deliver(), RUNNING, EARLY)),
    accepts("WAKE.8", "a callback beside one for another", step(deliver(), OTHERS_CAME, BOTH_CAME)),
    accepts("WAKE.8", "a callback in time", step(deliver(), WAITING, READY)),
    accepts("WAKE.8", "a callback twice", nothing(deliver(), READY, DONE)),
    accepts("WAKE.8", "callbacks out of order", step(deliver(), HALF, WHOLE)),
    accepts("WAKE.8", "a callback for a wait that expired", step(deliver(), EXPIRED_CALLBACK, TOO_LATE)),
    accepts("WAKE.8", "a callback for a run that failed", step(deliver(), FAILED, delivered(FAILED, LATE))),
    accepts(
        "WAKE.8", "a callback for a wait that was closed", step(deliver(), CANCELLING, delivered(CANCELLING, LATE))
    ),
    accepts("WAKE.8", "a wake that leaves what came", step(wake(), READY, WOKEN, granted(2))),
    rejects("WAKE.8", "a callback before its wait, refused", nothing(deliver(), RUNNING, NO_SUCH_WAIT)),
    rejects("WAKE.8", "a callback that is too late, refused", nothing(deliver(), EXPIRED_CALLBACK, EXPIRED)),
    rejects("WAKE.8", "a callback after the end, refused", nothing(deliver(), FAILED, SEALED)),
    rejects("WAKE.8", "a callback that is done and not kept", nothing(deliver(), RUNNING, DONE)),
    rejects("WAKE.8", "a late callback kept as if in time", step(deliver(), EXPIRED_CALLBACK, NOT_LATE)),
    rejects("WAKE.8", "a callback in time kept as late", step(deliver(), WAITING, delivered(WAITING, LATE))),
    rejects("WAKE.8", "a late callback that wakes", step(deliver(), EXPIRED_CALLBACK, only(TOO_LATE, state=ACCEPTED))),
    rejects("WAKE.8", "callbacks kept as they came", step(deliver(), HALF, delivered(HALF, arrival(2), arrival()))),
    rejects("WAKE.8", "a callback kept twice", step(deliver(), READY, delivered(READY, arrival(), arrival()))),
    rejects("WAKE.8", "a callback kept with another digest", step(deliver(digest="another"), WAITING, READY)),
    rejects("WAKE.8", "a callback kept in place of another", step(deliver(), HALF, delivered(HALF, arrival()))),
    rejects("WAKE.8", "a callback kept untold", step(deliver(), WAITING, replace(READY, history=WAITING.history))),
    rejects("WAKE.8", "a wake that forgets what came", step(wake(), READY, replace(WOKEN, arrivals=()), granted(2))),
    rejects("WAKE.8", "a run that is born with a callback", step(SUBMIT, None, replace(EARLY, state=RunState.QUEUED))),
    rejects("WAKE.8", "a late callback that moves the run", step(deliver(), EXPIRED_CALLBACK, MOVED)),
    is_silent("WAKE.8", "a callback comes for a timer", nothing(deliver(), DUE, NO_SUCH_WAIT)),
    is_silent("WAKE.8", "a callback comes for a timer, too late", nothing(deliver(), woken(FIRED), NO_SUCH_WAIT)),
    is_silent("WAKE.8", "another callback comes too late", nothing(deliver(digest="another"), WOKEN, CONFLICT)),
    is_silent("WAKE.8", "a callback comes at the wrong door", nothing(deliver(), RUNNING, NOT_ALLOWED)),
    is_silent("WAKE.8", "a callback was not heard", nothing(deliver(), RUNNING, LOST)),
    is_silent("WAKE.8", "a decision, which is no arrival", step(decide(), ASKING, APPROVED)),
    accepts("WAKE.9", "a restart that changes nothing", nothing(Restarted(), TICKING, DONE)),
    accepts("WAKE.9", "a timer that runs down", step(Tick(25), TICKING, only(TICKING, left_seconds=35))),
    accepts("WAKE.9", "a timer that runs down no further than to 0", step(Tick(90), TICKING, DUE)),
    accepts("WAKE.9", "a timer that fires when it is due", step(deliver(kind=TIMER), DUE, FIRED)),
    accepts("WAKE.9", "a timer before it is due, refused", nothing(deliver(kind=TIMER), TICKING, NOT_DUE)),
    accepts("WAKE.9", "an approval that runs down once given", step(Tick(60), WOKEN_APPROVED, LONG_AGO_AND_LAPSED)),
    accepts("WAKE.9", "a wait of an ended run, which may stand still", nothing(Tick(25), SETTLED, DONE)),
    accepts("WAKE.9", "a wait that is over, which may stand still", nothing(Tick(25), WOKEN_AND_LAPSED, DONE)),
    rejects("WAKE.9", "a timer taken for a callback", step(deliver(kind=TIMER), WAITING, READY)),
    rejects("WAKE.9", "a restart that loses a timer", step(Restarted(), TICKING, replace(TICKING, waits=()))),
    rejects("WAKE.9", "a restart that begins anew", step(Restarted(), DUE, TICKING)),
    rejects("WAKE.9", "a restart that grants the run", step(Restarted(), READY, WOKEN)),
    rejects("WAKE.9", "a timer before it is due", step(deliver(kind=TIMER), TICKING, delivered(TICKING, arrival()))),
    rejects("WAKE.9", "a timer that fires twice", step(deliver(2, kind=TIMER), FIRED, FIRED_TWICE)),
    rejects("WAKE.9", "a due timer refused as too early", nothing(deliver(kind=TIMER), DUE, NOT_DUE)),
    rejects("WAKE.9", "a clock that goes back", step(Tick(1), DUE, TICKING)),
    rejects("WAKE.9", "a timer that stands still", nothing(Tick(25), TICKING, DONE)),
    rejects("WAKE.9", "a timer that runs too fast", step(Tick(25), TICKING, DUE)),
    rejects("WAKE.9", "an approval that never expires", nothing(Tick(25), WOKEN_APPROVED, DONE)),
    rejects("WAKE.9", "a look that lengthens a wait", step(OBSERVE, DUE, TICKING)),
    rejects(
        "WAKE.9", "a wake that lengthens a wait", step(wake(), FIRED, only(woken(FIRED), left_seconds=9), granted(2))
    ),
    is_silent("WAKE.9", "nobody has ever waited", step(Tick(1), run(lease=3), run(lease=2))),
    is_silent("WAKE.9", "the timer was not heard and nothing came", nothing(deliver(kind=TIMER), DUE, LOST)),
]

LASTING = [
    accepts("WAKE.10", "a decision that outlives the next worker", step(RECOVER, DEAD, SETTLED)),
    accepts("WAKE.10", "an approval used by its operation", step(intend(fence=2), WOKEN_APPROVED, USED)),
    accepts("WAKE.10", "a second request, refused", nothing(AGAIN, WOKEN_APPROVED, ALREADY_APPROVED)),
    accepts("WAKE.10", "a second request once the approval expired", step(AGAIN, LONG_AGO, ASKED_ANEW)),
    accepts("WAKE.10", "a request for another operation", step(ANOTHER, WOKEN_APPROVED, ASKED_OF_ANOTHER)),
    accepts("WAKE.10", "a request with other arguments", step(OTHERWISE, WOKEN_APPROVED, ASKED_OTHERWISE)),
    rejects("WAKE.10", "a request refused after a callback", nothing(AGAIN, WOKEN, ALREADY_APPROVED)),
    rejects("WAKE.10", "a second request while the approval stands", step(AGAIN, WOKEN_APPROVED, ASKED_AGAIN)),
    rejects("WAKE.10", "a second request, unheard", step(AGAIN, WOKEN_APPROVED, ASKED_AGAIN, LOST)),
    rejects("WAKE.10", "a first request refused as a second", nothing(request_approval(), RUNNING, ALREADY_APPROVED)),
    rejects("WAKE.10", "a request after a denial refused as approved", nothing(AGAIN, woken(DENIED), ALREADY_APPROVED)),
    rejects("WAKE.10", "a request refused for a used approval", nothing(AGAIN, USED, ALREADY_APPROVED)),
    rejects("WAKE.10", "a request refused for an expired approval", nothing(AGAIN, LONG_AGO, ALREADY_APPROVED)),
    rejects(
        "WAKE.10",
        "a request refused for a drifted approval",
        drifted(nothing(AGAIN, WOKEN_APPROVED, ALREADY_APPROVED), InForce(plan=2)),
    ),
    rejects("WAKE.10", "a decision undone by recovery", step(RECOVER, DEAD, only(SETTLED, approved=None))),
    rejects("WAKE.10", "an approval turned into a denial", step(decide(False), APPROVED, decided(APPROVED, False))),
    rejects("WAKE.10", "a used approval that is free again", step(RECOVER, USED, only(USED, used_by=None))),
    rejects("WAKE.10", "a decision that disappears", step(RECOVER, APPROVED, replace(APPROVED, waits=()))),
    is_silent(
        "WAKE.10", "the permission was revoked", drifted(nothing(AGAIN, WOKEN_APPROVED, NOT_PERMITTED), FORBIDDEN)
    ),
    is_silent("WAKE.10", "nothing was decided", step(deliver(), WAITING, READY)),
    accepts("WAKE.11", "a report of a child that has ended", reported(CHILD_ENDED)),
    accepts("WAKE.11", "a report before the end, refused", beside(nothing(CHILDS, FOR_CHILD, NOT_DUE))),
    accepts("WAKE.11", "a wait for a child of its own", beside(step(FOR_IT, PARENT, FOR_CHILD))),
    accepts("WAKE.11", "a parent that dies alone", dies_with(CHILD_ENDED)),
    accepts("WAKE.11", "a cancellation of both", beside(step(CANCEL, PARENT, STOPPING), later=CHILD_STOPPING)),
    accepts("WAKE.11", "a cancellation after the child has ended", beside(step(CANCEL, PARENT, STOPPING), CHILD_ENDED)),
    accepts("WAKE.11", "a child that was asked already", beside(step(CANCEL, PARENT, STOPPING), CHILD_STOPPING)),
    accepts("WAKE.11", "a second cancellation, refused", beside(nothing(CANCEL, STOPPING, refused(Reason.CANCELLING)))),
    rejects("WAKE.11", "a child that disappears", replace(dies_with(CHILD_ENDED), after=Observation((FAILED,)))),
    rejects("WAKE.11", "a report of a child that still runs", reported(CHILD_RUNNING)),
    rejects("WAKE.11", "a report of an end that is unknown", reported(replace(CHILD_ENDED, state=RunState.UNKNOWN))),
    rejects("WAKE.11", "a report of an ended child refused", beside(nothing(CHILDS, FOR_CHILD, NOT_DUE), CHILD_ENDED)),
    rejects("WAKE.11", "a wait for somebody else's child", step(FOR_IT, RUNNING, FOR_CHILD)),
    rejects("WAKE.11", "a cancellation of the parent alone", beside(step(CANCEL, PARENT, STOPPING))),
    rejects("WAKE.11", "a cancellation unheard, of the parent alone", beside(step(CANCEL, PARENT, STOPPING, LOST))),
    rejects(
        "WAKE.11",
        "a child that stops untold",
        beside(step(CANCEL, PARENT, STOPPING), later=replace(CHILD_STOPPING, history=CHILD_RUNNING.history)),
    ),
    rejects(
        "WAKE.11",
        "a cancellation that rewrites how the child ended",
        beside(step(CANCEL, PARENT, STOPPING), CHILD_ENDED, replace(CHILD_ENDED, state=RunState.CANCELLED)),
    ),
    rejects("WAKE.11", "a parent that takes the body away", dies_with(replace(CHILD_ENDED, publications=()))),
    rejects("WAKE.11", "a parent that settles the child's calls", dies_with(replace(CHILD_ENDED, calls=()))),
    is_silent("WAKE.11", "a run has no child", step(CANCEL, WAITING, CANCELLING)),
    is_silent("WAKE.11", "another run is no child", beside(step(CANCEL, PARENT, STOPPING), run(name=CHILD))),
    is_silent("WAKE.11", "a cancellation was not heard", beside(nothing(CANCEL, PARENT, LOST))),
]

# What the rules of other chapters say of wakes and cancellations.
ELSEWHERE = [
    accepts("ENTRY.2", "a clock that runs a wait down", step(Tick(60), TICKING, DUE)),
    accepts(
        "ENTRY.2", "a cancellation that reaches a child", beside(step(CANCEL, PARENT, STOPPING), later=CHILD_STOPPING)
    ),
    rejects(
        "ENTRY.2",
        "a cancellation that ends a child as its worker would",
        beside(step(CANCEL, PARENT, STOPPING), later=over(CHILD_RUNNING, RunState.CANCELLED, ENDED)),
    ),
    rejects(
        "ENTRY.2",
        "a cancellation that reaches a run which is no child",
        beside(
            step(CANCEL, PARENT, STOPPING), replace(CHILD_RUNNING, parent=None), replace(CHILD_STOPPING, parent=None)
        ),
    ),
    rejects("ENTRY.2", "a failure that reaches a child", beside(step(fail(), PARENT, FAILED), later=CHILD_STOPPING)),
    accepts("ENTRY.4", "a grant by an accepted wake", step(wake(), READY, WOKEN, granted(2))),
    rejects("ENTRY.4", "a grant by a wake that was not accepted", step(wake(), WAITING, woken(WAITING), granted(2))),
    accepts("FENCE.1", "a wake under a higher fence", step(wake(), READY, WOKEN, granted(2))),
    rejects("FENCE.1", "a wake under the same fence", step(wake(), READY, woken(READY, fence=1), granted(1))),
    accepts("HISTORY.4", "a wait that is told", step(wait_for(), RUNNING, WAITING)),
    rejects("HISTORY.4", "a wait that is told and a run that runs on", step(wait_for(), RUNNING, RUNS_ON)),
    accepts("HISTORY.4", "a cancellation that is told", step(CANCEL, WAITING, CANCELLING)),
    rejects("HISTORY.4", "a cancellation that is not told", step(CANCEL, WAITING, UNTOLD)),
]

CASES = [*BEFORE_AND_SEALED, *ANSWERED, *WOKEN_ONCE, *ARRIVALS_AND_TIMERS, *LASTING, *ELSEWHERE]
