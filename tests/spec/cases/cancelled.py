"""What becomes of a run that was asked to stop."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    ArrivalView,
    Contract,
    Decide,
    Deliver,
    EntryPoint,
    EventType,
    Evidence,
    InForce,
    Reason,
    RunState,
    RunView,
    Shown,
    WaitId,
    WaitKind,
    WaitState,
    Wake,
)

from ..cancelling import (
    CANCEL,
    NEWS,
    STOP,
    asked_to_stop,
    cancelling,
    wait,
    waiting_on,
)
from ..steps import (
    DONE,
    ID,
    LOST,
    PAY,
    RECOVER,
    RUN,
    WORKER,
    WORKER_RAN,
    accepts,
    confirmed,
    fail,
    granted,
    is_silent,
    nothing,
    open_,
    over,
    publish,
    reconcile,
    record,
    refused,
    rejects,
    step,
    succeed,
    then,
    told,
    unknown,
)
from .cancel import (
    BUSY,
    BY_RECOVERY,
    CANCELLED,
    CANCELLING,
    CLOSED,
    ENDED,
    FAILED,
    LOST_PAY,
    PARENT,
    REFUSED,
    RUNNING,
    SEALED,
    TOLD,
)

DOUBTFUL = cancelling(calls=(unknown(),))

LEFT = cancelling(lease=0, calls=(open_(),))

IN_DOUBT = over(DOUBTFUL, RunState.UNKNOWN, EventType.SEALED, sealed_for=RunState.CANCELLED)

SETTLED = over(
    LEFT,
    RunState.UNKNOWN,
    (EventType.LOST, PAY),
    EventType.SEALED,
    by=BY_RECOVERY,
    calls=(LOST_PAY,),
    sealed_for=RunState.CANCELLED,
)

CONFIRMED = confirmed(answer=None)

RECONCILED = then(
    told(IN_DOUBT, EventType.RECONCILED, CONFIRMED),
    ENDED,
    by=EntryPoint.RECONCILE,
    state=RunState.CANCELLED,
    sealed_for=None,
)

FOUND = reconcile(Evidence.CONFIRMED, 5)

OTHER = WaitId("other")

SHOWN = Shown(PAY, "arguments", "some", "rule", InForce())

ACCEPTED, USED = wait(state=WaitState.ACCEPTED), wait(OTHER, WaitState.CONSUMED)

SHUT = wait(state=WaitState.CLOSED)

ASKED = wait(kind=WaitKind.APPROVAL, state=WaitState.CLOSED, shown=SHOWN)

WAITING = waiting_on(USED, wait(), arrivals=(ArrivalView(OTHER, 1, "news"),))

STOPPED = asked_to_stop(WAITING, waits=(USED, SHUT))

SHUT_ASKED = asked_to_stop(waiting_on(ASKED))

DECIDE, WAKE = Decide(ID, RUN, NEWS, True, "arguments"), Wake(ID, RUN, NEWS, WORKER, "request")

DELIVER = Deliver(ID, RUN, NEWS, WaitKind.CALLBACK, 1, "news")

TOO_LATE = ArrivalView(NEWS, 1, "news", is_late=True)

LATE = then(STOPPED, (EventType.ARRIVED_LATE, NEWS), by=EntryPoint.DELIVER, arrivals=(TOO_LATE, *STOPPED.arrivals))


def stopped_by(run: RunView, state: RunState, **fields: object) -> RunView:
    return over(run, state, EventType.SEALED if state is RunState.UNKNOWN else ENDED, **fields)


CASES = [
    accepts("CANCEL.3", "a stop with nothing unresolved", step(STOP, CANCELLING, CANCELLED)),
    accepts("CANCEL.3", "a stop with an unknown call", step(STOP, DOUBTFUL, IN_DOUBT)),
    accepts("CANCEL.3", "a refusal while a call is in flight", nothing(STOP, TOLD, refused(Reason.CALL_OPEN))),
    accepts("CANCEL.3", "a stop that nobody asked for", nothing(STOP, RUNNING, refused(Reason.NOT_CANCELLING))),
    accepts("CANCEL.3", "recovery of a run whose worker was lost", step(RECOVER, LEFT, SETTLED)),
    accepts(
        "CANCEL.3",
        "recovery of one that nobody held",
        step(
            RECOVER,
            cancelling(lease=None, contract=Contract.RESUME),
            stopped_by(cancelling(lease=None, contract=Contract.RESUME), RunState.CANCELLED, by=BY_RECOVERY),
        ),
    ),
    accepts("CANCEL.3", "the last evidence", step(FOUND, IN_DOUBT, RECONCILED)),
    rejects(
        "CANCEL.3", "cancelled with an unknown call", step(STOP, DOUBTFUL, stopped_by(DOUBTFUL, RunState.CANCELLED))
    ),
    rejects("CANCEL.3", "cancelled with a call in flight", step(STOP, TOLD, stopped_by(TOLD, RunState.CANCELLED))),
    rejects(
        "CANCEL.3",
        "a call in flight that stopping calls unknown",
        step(
            STOP,
            TOLD,
            over(
                TOLD,
                RunState.UNKNOWN,
                (EventType.LOST, PAY),
                EventType.SEALED,
                calls=(LOST_PAY,),
                sealed_for=RunState.CANCELLED,
            ),
        ),
    ),
    rejects(
        "CANCEL.3",
        "a seal with nothing unresolved",
        step(STOP, CANCELLING, stopped_by(CANCELLING, RunState.UNKNOWN, sealed_for=RunState.CANCELLED)),
    ),
    rejects(
        "CANCEL.3",
        "a seal for another end",
        step(STOP, DOUBTFUL, replace(IN_DOUBT, sealed_for=RunState.FAILED)),
    ),
    rejects(
        "CANCEL.3",
        "an unpriced answer taken for classified",
        step(
            STOP,
            cancelling(calls=(confirmed(None),)),
            stopped_by(cancelling(calls=(confirmed(None),)), RunState.CANCELLED),
        ),
    ),
    rejects(
        "CANCEL.3", "a worker that keeps its lease", step(STOP, CANCELLING, replace(CANCELLED, lease_left_seconds=3))
    ),
    rejects("CANCEL.3", "a stop although nobody asked", step(STOP, RUNNING, stopped_by(RUNNING, RunState.CANCELLED))),
    rejects(
        "CANCEL.3",
        "a refusal to stop although somebody asked",
        nothing(STOP, CANCELLING, refused(Reason.NOT_CANCELLING)),
    ),
    rejects(
        "CANCEL.3", "a refusal for a call that is not in flight", nothing(STOP, DOUBTFUL, refused(Reason.CALL_OPEN))
    ),
    rejects("CANCEL.3", "recovery that ends it otherwise", step(RECOVER, LEFT, replace(SETTLED, sealed_for=None))),
    rejects("CANCEL.3", "a request that ends the run by itself", step(CANCEL, RUNNING, CANCELLED)),
    rejects(
        "CANCEL.3",
        "a worker process that calls its failure cancelled",
        step(WORKER_RAN, RUNNING, stopped_by(RUNNING, RunState.CANCELLED)),
    ),
    is_silent("CANCEL.3", "a worker fails", step(fail(), RUNNING, stopped_by(RUNNING, RunState.FAILED))),
    is_silent("CANCEL.3", "a late worker stops", nothing(STOP, LEFT, refused(Reason.LEASE_LAPSED))),
    is_silent("CANCEL.3", "it was cancelled before", nothing(CANCEL, CANCELLED, SEALED)),
    accepts("CANCEL.4", "a cancellation that comes after the end", nothing(CANCEL, FAILED, SEALED)),
    accepts("CANCEL.4", "a second cancellation", nothing(CANCEL, CANCELLING, REFUSED)),
    accepts("CANCEL.4", "a success that comes after the request", nothing(succeed(), CANCELLING, REFUSED)),
    accepts("CANCEL.4", "the end that was asked for", step(STOP, CANCELLING, CANCELLED)),
    rejects("CANCEL.4", "an end that is taken back", step(CANCEL, FAILED, asked_to_stop(FAILED))),
    rejects("CANCEL.4", "an end that is said to be cancelled", nothing(CANCEL, FAILED, DONE)),
    rejects("CANCEL.4", "a request that is told twice", step(CANCEL, CANCELLING, asked_to_stop(CANCELLING))),
    rejects("CANCEL.4", "a refusal of a run that is not over", nothing(CANCEL, RUNNING, SEALED)),
    rejects(
        "CANCEL.4",
        "a failure that wins afterwards",
        step(fail(), CANCELLING, stopped_by(CANCELLING, RunState.FAILED)),
    ),
    rejects(
        "CANCEL.4",
        "the same unheard",
        step(fail(), CANCELLING, stopped_by(CANCELLING, RunState.FAILED), LOST),
    ),
    rejects(
        "CANCEL.4",
        "recovery that calls it interrupted",
        step(RECOVER, LEFT, replace(SETTLED, sealed_for=RunState.INTERRUPTED)),
    ),
    rejects(
        "CANCEL.4",
        "a worker process that succeeded",
        step(WORKER_RAN, CANCELLING, stopped_by(CANCELLING, RunState.SUCCEEDED)),
    ),
    rejects(
        "CANCEL.4", "a run that is handed back", step(WORKER_RAN, CANCELLING, then(CANCELLING, state=RunState.QUEUED))
    ),
    is_silent("CANCEL.4", "a run is cancelled in time", step(CANCEL, RUNNING, asked_to_stop(RUNNING))),
    is_silent("CANCEL.4", "an answer comes in meanwhile", step(record(), TOLD, then(TOLD, calls=(confirmed(),)))),
    is_silent("CANCEL.4", "nobody cancels", step(fail(), RUNNING, FAILED)),
    accepts("CANCEL.5", "a wait that is closed and one used before", step(CANCEL, WAITING, STOPPED)),
    accepts(
        "CANCEL.5",
        "an accepted wake that is closed",
        step(CANCEL, waiting_on(ACCEPTED), asked_to_stop(waiting_on(ACCEPTED), waits=(SHUT,))),
    ),
    accepts("CANCEL.5", "a decision that comes too late", nothing(DECIDE, SHUT_ASKED, CLOSED)),
    accepts("CANCEL.5", "a wake that comes too late", nothing(WAKE, STOPPED, CLOSED)),
    accepts("CANCEL.5", "a callback that is kept and wakes nobody", step(DELIVER, STOPPED, LATE)),
    accepts(
        "CANCEL.5",
        "the decision that was taken before",
        nothing(DECIDE, asked_to_stop(waiting_on(replace(ASKED, approved=True))), DONE),
    ),
    rejects("CANCEL.5", "a wait that stays open", step(CANCEL, WAITING, replace(STOPPED, waits=WAITING.waits))),
    rejects(
        "CANCEL.5",
        "a used wake that is called closed",
        step(CANCEL, WAITING, replace(STOPPED, waits=(replace(USED, state=WaitState.CLOSED), SHUT))),
    ),
    rejects("CANCEL.5", "a wait that is forgotten", step(CANCEL, WAITING, replace(STOPPED, waits=(USED,)))),
    rejects(
        "CANCEL.5",
        "a child's wait that stays open",
        step(
            CANCEL,
            PARENT,
            asked_to_stop(PARENT),
            others=(
                replace(WAITING, run=BUSY.run, parent=RUN),
                asked_to_stop(replace(WAITING, run=BUSY.run, parent=RUN)),
            ),
        ),
    ),
    rejects(
        "CANCEL.5",
        "a decision that is taken nevertheless",
        step(DECIDE, SHUT_ASKED, replace(SHUT_ASKED, waits=(replace(ASKED, approved=True),))),
    ),
    rejects("CANCEL.5", "a decision that is said to be taken", nothing(DECIDE, SHUT_ASKED, DONE)),
    rejects(
        "CANCEL.5",
        "a wake of a closed wait",
        step(WAKE, STOPPED, then(STOPPED, EventType.GRANTED, state=RunState.RUNNING, fence=2), granted(2)),
    ),
    rejects(
        "CANCEL.5",
        "a callback that opens it again",
        step(DELIVER, STOPPED, replace(LATE, waits=(USED, ACCEPTED))),
    ),
    is_silent("CANCEL.5", "nothing was waited for", step(CANCEL, RUNNING, asked_to_stop(RUNNING))),
    is_silent("CANCEL.5", "the wait is open", nothing(WAKE, WAITING, refused(Reason.NOT_ACCEPTED))),
    is_silent("CANCEL.5", "the cancellation may never have arrived", nothing(CANCEL, WAITING, LOST)),
    is_silent("CANCEL.5", "nobody cancels or answers", nothing(publish(), STOPPED, REFUSED)),
]
