"""Not an instant."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    CallState,
    EntryPoint,
    EventType,
    Reason,
    RunState,
)

from ..cancelling import (
    CANCEL,
    asked_to_stop,
    cancelling,
    child_of,
    recognised,
    send_again,
    spawn,
    spawned,
)
from ..steps import (
    CLAIM,
    DONE,
    LOST,
    WORKER_RAN,
    accepts,
    body,
    confirmed,
    granted,
    intend,
    is_silent,
    nothing,
    open_,
    over,
    publish,
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

REFUSED, SEALED, CLOSED = refused(Reason.CANCELLING), refused(Reason.SEALED), refused(Reason.WAIT_CLOSED)

QUEUED, RUNNING, IN_FLIGHT, FAILED = run(RunState.QUEUED), run(), run(calls=(open_(),)), run(RunState.FAILED)

CANCELLING, TOLD = cancelling(), cancelling(calls=(open_(),))

TOLD_PAY = replace(open_(), told_to_stop=True)

LOST_PAY = replace(unknown(), told_to_stop=True)

ENDED, BY_RECOVERY = EventType.ENDED, EntryPoint.RECOVER

CANCELLED = over(CANCELLING, RunState.CANCELLED, ENDED)

SENDABLE = cancelling(calls=(recognised(),))

PARENT = spawned(RUNNING)

BUSY = then(
    child_of(RUNNING), EventType.GRANTED, state=RunState.RUNNING, fence=1, lease_left_seconds=30, calls=(open_(),)
)

CASES = [
    accepts("CANCEL.1", "a request to a running run", step(CANCEL, RUNNING, asked_to_stop(RUNNING))),
    accepts("CANCEL.1", "a request to a queued run", step(CANCEL, QUEUED, asked_to_stop(QUEUED))),
    accepts("CANCEL.1", "a request whose answer was lost", step(CANCEL, RUNNING, asked_to_stop(RUNNING), LOST)),
    accepts("CANCEL.1", "a dispatch that comes after it", nothing(intend(), CANCELLING, REFUSED)),
    accepts("CANCEL.1", "a heartbeat meanwhile", step(renew(), cancelling(lease=3), CANCELLING)),
    accepts("CANCEL.1", "a claim that finds nothing queued", nothing(CLAIM, CANCELLING, refused(Reason.NOT_QUEUED))),
    accepts("CANCEL.1", "a worker process that stopped", step(WORKER_RAN, CANCELLING, CANCELLED)),
    rejects("CANCEL.1", "a request that is told and not obeyed", nothing(CANCEL, RUNNING, DONE)),
    rejects(
        "CANCEL.1", "a request that is not told", step(CANCEL, RUNNING, replace(RUNNING, state=RunState.CANCELLING))
    ),
    rejects(
        "CANCEL.1",
        "a request that leaves the run at work",
        step(CANCEL, RUNNING, then(RUNNING, EventType.CANCEL_REQUESTED, by=EntryPoint.CANCEL)),
    ),
    rejects(
        "CANCEL.1",
        "a request that publishes",
        step(CANCEL, RUNNING, asked_to_stop(RUNNING, publications=(body(),))),
    ),
    rejects(
        "CANCEL.1", "a dispatch after it", step(intend(), CANCELLING, told(CANCELLING, EventType.INTENDED, open_()))
    ),
    rejects(
        "CANCEL.1",
        "a dispatch after it that nobody heard of",
        step(intend(), CANCELLING, told(CANCELLING, EventType.INTENDED, open_()), LOST),
    ),
    rejects(
        "CANCEL.1",
        "a call that is sent again",
        step(
            send_again(),
            SENDABLE,
            told(SENDABLE, EventType.SENT_AGAIN, recognised(CallState.OPEN, sends=2)),
        ),
    ),
    rejects("CANCEL.1", "a child", step(spawn(), CANCELLING, spawned(CANCELLING), others=(None, child_of(CANCELLING)))),
    rejects(
        "CANCEL.1",
        "a body",
        step(publish(), CANCELLING, then(CANCELLING, EventType.PUBLISHED, publications=(body(),))),
    ),
    rejects(
        "CANCEL.1",
        "a grant",
        step(CLAIM, cancelling(lease=None), then(cancelling(lease=None), EventType.GRANTED, fence=2), granted(2)),
    ),
    rejects(
        "CANCEL.1",
        "a worker process that goes on dispatching",
        step(WORKER_RAN, CANCELLING, told(CANCELLING, EventType.INTENDED, open_())),
    ),
    rejects("CANCEL.1", "a refusal as if it were cancelling", nothing(intend(), RUNNING, REFUSED)),
    is_silent("CANCEL.1", "nobody has asked it to stop", step(publish(), RUNNING, then(RUNNING, EventType.PUBLISHED))),
    is_silent("CANCEL.1", "the run is over", nothing(CANCEL, FAILED, SEALED)),
    is_silent("CANCEL.1", "the request may never have arrived", nothing(CANCEL, RUNNING, LOST)),
    accepts("CANCEL.2", "a call that is told", step(CANCEL, IN_FLIGHT, asked_to_stop(IN_FLIGHT, calls=(TOLD_PAY,)))),
    accepts(
        "CANCEL.2",
        "a child's call that is told with it",
        step(
            CANCEL,
            PARENT,
            asked_to_stop(PARENT),
            others=(BUSY, asked_to_stop(BUSY, calls=(TOLD_PAY,))),
        ),
    ),
    accepts(
        "CANCEL.2",
        "an answer of a call that was told",
        step(record(), TOLD, told(TOLD, EventType.ANSWERED, replace(confirmed(), told_to_stop=True))),
    ),
    rejects("CANCEL.2", "a call that is not told", step(CANCEL, IN_FLIGHT, asked_to_stop(IN_FLIGHT))),
    rejects(
        "CANCEL.2",
        "a child's call that is not told",
        step(CANCEL, PARENT, asked_to_stop(PARENT), others=(BUSY, asked_to_stop(BUSY))),
    ),
    rejects(
        "CANCEL.2",
        "a call that is called unknown at once",
        step(CANCEL, IN_FLIGHT, asked_to_stop(IN_FLIGHT, calls=(LOST_PAY,))),
    ),
    rejects(
        "CANCEL.2",
        "a call that is over and told",
        step(CANCEL, run(calls=(confirmed(),)), asked_to_stop(run(calls=(replace(confirmed(), told_to_stop=True),)))),
    ),
    rejects(
        "CANCEL.2",
        "a worker that loses its lease",
        step(CANCEL, RUNNING, asked_to_stop(RUNNING, worker=None, lease_left_seconds=None)),
    ),
    rejects("CANCEL.2", "an answer that is refused", nothing(record(), TOLD, REFUSED)),
    rejects(
        "CANCEL.2",
        "an answer that forgets it was told",
        step(record(), TOLD, told(TOLD, EventType.ANSWERED, confirmed())),
    ),
    rejects(
        "CANCEL.2",
        "a call that is told although nobody cancels",
        step(intend(), RUNNING, told(RUNNING, EventType.INTENDED, TOLD_PAY)),
    ),
    is_silent("CANCEL.2", "the request is refused", nothing(CANCEL, FAILED, SEALED)),
    is_silent("CANCEL.2", "a worker writes", step(intend(), RUNNING, told(RUNNING, EventType.INTENDED, open_()))),
    is_silent("CANCEL.2", "the run stays as it was", nothing(publish(), TOLD, REFUSED)),
]
