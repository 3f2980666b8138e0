"""What happened can be read."""

from dataclasses import replace
from typing import Any

from keepfact.spec.chain import chained
from keepfact.spec.vocabulary import (
    ArrivalView,
    Branch,
    CallKind,
    CallState,
    CallView,
    Deliver,
    EntryPoint,
    EventType,
    EventView,
    Evidence,
    Fence,
    MarkerView,
    MaterialId,
    MaterialView,
    Reason,
    RunState,
    RunView,
    SourceId,
    Wait,
    WaitKind,
)

from ..cancelling import CANCEL, NEWS, asked_to_stop, child_of, recognised, send_again, spawn, spawned, wait, waiting_on
from ..steps import (
    ACT,
    AGAIN,
    ASK,
    CLAIM,
    DONE,
    ID,
    LOST,
    PAY,
    RECOVER,
    RUN,
    SUBMIT,
    TICK,
    WORKER_RAN,
    accepts,
    ask_again,
    body,
    call,
    confirmed,
    fail,
    intend,
    is_silent,
    lapsed,
    nothing,
    open_,
    over,
    publish,
    reconcile,
    record,
    refused,
    rejects,
    renew,
    run,
    step,
    then,
    told,
    unknown,
)

RUNNING = run()
TWO = run(calls=(open_(), open_(ASK)))
SEALED = over(
    lapsed(calls=(open_(),)),
    RunState.UNKNOWN,
    (EventType.LOST, PAY),
    EventType.SEALED,
    by=EntryPoint.RECOVER,
    calls=(unknown(),),
    sealed_for=RunState.INTERRUPTED,
)
PUBLISHED = then(RUNNING, EventType.PUBLISHED, publications=(body(),))
IN_FLIGHT = run(calls=(open_(),))
UNKNOWN_ASK = call(ASK, CallState.UNKNOWN, kind=CallKind.ATTEMPT)
OPEN_ASK = call(ASK, kind=CallKind.ATTEMPT)
NEW_ASK = call(AGAIN, kind=CallKind.ATTEMPT, supersedes=ASK)
LOST_ASK, FLYING_ASK = run(calls=(UNKNOWN_ASK,)), run(calls=(OPEN_ASK,))


SENDABLE, SENT = run(calls=(recognised(),)), recognised(CallState.OPEN, sends=2)
TOLD_PAY = replace(open_(), told_to_stop=True)
PARENT, NEW_CHILD = spawned(RUNNING), child_of(RUNNING)
WAITING = waiting_on(wait())
WAIT = Wait(ID, RUN, Fence(1), NEWS, WaitKind.CALLBACK, "request", 60)
DELIVER = Deliver(ID, RUN, NEWS, WaitKind.CALLBACK, 1, "news")
DISOBEYED = then(RUNNING, EventType.CANCEL_REQUESTED, by=EntryPoint.CANCEL)
FINDING = MaterialView(MaterialId("finding"), SourceId("source"), "digest", Fence(1), None, 2)


def last(run: RunView, **fields: Any) -> RunView:
    """The run with its last event told otherwise, and chained as it then is."""
    event = chained(replace(run.history[-1], **fields))
    return replace(run, history=(*run.history[:-1], event))


def asked_again(before: RunView, *calls: CallView) -> RunView:
    return then(before, (EventType.INTENDED, AGAIN), calls=calls)


def unchained(run: RunView) -> RunView:
    bare = (EventView(e.number, e.type, e.entry_point, e.principal, e.fence, e.concerns) for e in run.history)
    return replace(run, history=tuple(bare))


CASES = [
    accepts("HISTORY.1", "the next number", step(publish(), RUNNING, PUBLISHED)),
    rejects("HISTORY.1", "a gap", step(publish(), RUNNING, last(PUBLISHED, number=4))),
    rejects("HISTORY.1", "a number given twice", step(publish(), RUNNING, last(PUBLISHED, number=2))),
    is_silent("HISTORY.1", "nothing was told", step(renew(), run(lease=3), RUNNING)),
    accepts("HISTORY.2", "an event chained to the one before it", step(publish(), RUNNING, PUBLISHED)),
    rejects(
        "HISTORY.2",
        "an event that names no predecessor",
        step(publish(), RUNNING, last(PUBLISHED, previous_digest=None)),
    ),
    rejects(
        "HISTORY.2",
        "an event exchanged under its old digest",
        step(
            publish(),
            RUNNING,
            replace(
                PUBLISHED,
                history=(
                    *RUNNING.history,
                    replace(PUBLISHED.history[-1], principal="somebody else"),
                ),
            ),
        ),
    ),
    is_silent(
        "HISTORY.2", "the system does not chain its events", step(publish(), unchained(RUNNING), unchained(PUBLISHED))
    ),
    accepts("HISTORY.3", "a history that grows", step(publish(), RUNNING, PUBLISHED)),
    rejects(
        "HISTORY.3",
        "evidence that replaces the last event",
        step(reconcile(Evidence.AMBIGUOUS), RUNNING, last(RUNNING, type=EventType.RECONCILED)),
    ),
    rejects("HISTORY.3", "a worker process that removes an event", step(WORKER_RAN, PUBLISHED, RUNNING)),
    rejects("HISTORY.3", "a run that is gone", step(fail(), RUNNING, None)),
    is_silent("HISTORY.3", "there was no run", step(SUBMIT, None, run(RunState.QUEUED))),
    is_silent("HISTORY.3", "only time passes", step(TICK, run(lease=3), RUNNING)),
    is_silent("HISTORY.3", "a call acts outside", nothing(ACT, IN_FLIGHT, DONE)),
    accepts(
        "HISTORY.4", "a failure that is told", step(fail(), RUNNING, over(RUNNING, RunState.FAILED, EventType.ENDED))
    ),
    accepts("HISTORY.4", "an admission", step(SUBMIT, None, run(RunState.QUEUED))),
    accepts(
        "HISTORY.4",
        "a call that a worker process intended and answered",
        step(
            WORKER_RAN,
            RUNNING,
            then(RUNNING, (EventType.INTENDED, PAY), (EventType.ANSWERED, PAY), calls=(confirmed(),)),
        ),
    ),
    accepts("HISTORY.4", "a seal that is told", step(RECOVER, lapsed(calls=(open_(),)), SEALED)),
    accepts(
        "HISTORY.4",
        "an answer that is told, beside a call that stays",
        step(record(), TWO, told(TWO, EventType.ANSWERED, confirmed(), open_(ASK))),
    ),
    rejects(
        "HISTORY.4",
        "an answer told of another call",
        step(record(), TWO, then(TWO, (EventType.ANSWERED, ASK), calls=(confirmed(), open_(ASK)))),
    ),
    rejects(
        "HISTORY.4", "an admission that is not told", step(SUBMIT, None, replace(run(RunState.QUEUED), history=()))
    ),
    rejects("HISTORY.4", "a failure that is not told", step(fail(), RUNNING, over(RUNNING, RunState.FAILED))),
    rejects("HISTORY.4", "a told end of a run that goes on", step(fail(), RUNNING, then(RUNNING, EventType.ENDED))),
    rejects("HISTORY.4", "a body that is not told", step(publish(), RUNNING, then(RUNNING, publications=(body(),)))),
    rejects(
        "HISTORY.4", "a body that is told and missing", step(publish(), RUNNING, then(RUNNING, EventType.PUBLISHED))
    ),
    rejects("HISTORY.4", "a call that is not told", step(intend(), RUNNING, IN_FLIGHT)),
    rejects(
        "HISTORY.4", "an answer that is not told", step(record(), IN_FLIGHT, then(IN_FLIGHT, calls=(confirmed(),)))
    ),
    rejects(
        "HISTORY.4",
        "a call that vanishes",
        step(RECOVER, lapsed(calls=(open_(),)), over(lapsed(), RunState.INTERRUPTED, EventType.ENDED)),
    ),
    accepts("HISTORY.4", "a request to stop", step(CANCEL, IN_FLIGHT, asked_to_stop(IN_FLIGHT, calls=(TOLD_PAY,)))),
    accepts(
        "HISTORY.4",
        "a call that is sent again",
        step(send_again(), SENDABLE, told(SENDABLE, EventType.SENT_AGAIN, recognised(CallState.OPEN, sends=2))),
    ),
    accepts("HISTORY.4", "a child", step(spawn(), RUNNING, PARENT, others=(None, NEW_CHILD))),
    accepts("HISTORY.4", "a wait", step(WAIT, RUNNING, WAITING)),
    rejects("HISTORY.4", "a wait of a run that goes on", step(WAIT, RUNNING, replace(WAITING, state=RunState.RUNNING))),
    rejects("HISTORY.4", "a wait that is told and missing", step(WAIT, RUNNING, replace(WAITING, waits=()))),
    rejects("HISTORY.4", "a request to stop that is not obeyed", step(CANCEL, RUNNING, DISOBEYED)),
    rejects(
        "HISTORY.4",
        "a request to stop that resolves a call",
        step(CANCEL, IN_FLIGHT, asked_to_stop(IN_FLIGHT, calls=(call(state=CallState.NOT_FOUND),))),
    ),
    rejects("HISTORY.4", "a sending that is not told", step(send_again(), SENDABLE, run(calls=(SENT,)))),
    rejects(
        "HISTORY.4", "a child that is not told", step(spawn(), RUNNING, replace(RUNNING, children=PARENT.children))
    ),
    rejects(
        "HISTORY.4",
        "a child that is cancelled untold",
        step(CANCEL, PARENT, asked_to_stop(PARENT), others=(NEW_CHILD, replace(NEW_CHILD, state=RunState.CANCELLING))),
    ),
    rejects(
        "HISTORY.4",
        "an arrival that is not told",
        step(DELIVER, WAITING, replace(WAITING, arrivals=(ArrivalView(NEWS, 1, "news"),))),
    ),
    rejects(
        "HISTORY.4",
        "a decision that is not told",
        step(DELIVER, WAITING, replace(WAITING, waits=(wait(approved=True),))),
    ),
    rejects(
        "HISTORY.4", "a finding that is not told", step(publish(), RUNNING, replace(PUBLISHED, materials=(FINDING,)))
    ),
    rejects(
        "HISTORY.4", "an assessment that is not told", step(publish(), RUNNING, replace(PUBLISHED, assessment=True))
    ),
    rejects(
        "HISTORY.4",
        "a branch that is not told",
        step(publish(), RUNNING, replace(PUBLISHED, markers=(MarkerView("m", Branch.NEW),))),
    ),
    rejects("HISTORY.4", "a loss told of no call", step(publish(), RUNNING, then(PUBLISHED, EventType.LOST))),
    is_silent("HISTORY.4", "the run stays as it was", nothing(CLAIM, RUNNING, refused(Reason.LEASE_LIVE))),
    accepts(
        "HISTORY.7",
        "a new attempt that names the lost one",
        step(ask_again(), LOST_ASK, asked_again(LOST_ASK, UNKNOWN_ASK, NEW_ASK)),
    ),
    accepts(
        "HISTORY.7",
        "a refusal while the first is in flight",
        nothing(ask_again(), FLYING_ASK, refused(Reason.NOT_SUPERSEDABLE)),
    ),
    rejects(
        "HISTORY.7",
        "an attempt asked again in flight",
        step(ask_again(), FLYING_ASK, asked_again(FLYING_ASK, OPEN_ASK, NEW_ASK)),
    ),
    rejects(
        "HISTORY.7",
        "the same in silence",
        step(ask_again(), FLYING_ASK, asked_again(FLYING_ASK, OPEN_ASK, NEW_ASK), LOST),
    ),
    rejects(
        "HISTORY.7",
        "a lost attempt that may not be asked again",
        nothing(ask_again(), LOST_ASK, refused(Reason.NOT_SUPERSEDABLE)),
    ),
    rejects(
        "HISTORY.7",
        "a new attempt that forgets which it supersedes",
        step(ask_again(), LOST_ASK, asked_again(LOST_ASK, UNKNOWN_ASK, call(AGAIN, kind=CallKind.ATTEMPT))),
    ),
    rejects(
        "HISTORY.7",
        "a new attempt that drops the old one's cost",
        step(ask_again(), LOST_ASK, asked_again(LOST_ASK, replace(UNKNOWN_ASK, state=CallState.NOT_FOUND), NEW_ASK)),
    ),
    rejects(
        "HISTORY.7",
        "an operation that supersedes an attempt",
        step(ask_again(kind=CallKind.OPERATION), LOST_ASK, asked_again(LOST_ASK, UNKNOWN_ASK, NEW_ASK)),
    ),
    is_silent("HISTORY.7", "nothing is asked again", step(intend(), RUNNING, IN_FLIGHT)),
    is_silent("HISTORY.7", "it was asked again before", nothing(ask_again(), run(calls=(UNKNOWN_ASK, NEW_ASK)), DONE)),
    is_silent("HISTORY.7", "a stale worker asks again", nothing(ask_again(), FLYING_ASK, refused(Reason.STALE_FENCE))),
]
