"""One writer at a time."""

from dataclasses import replace

from keepfact.spec.vocabulary import EntryPoint, EventType, Evidence, Fence, Reason, RunState, Session, TenantId, Wake

from ..cancelling import NEWS, child_of, send_again, spawn, spawned
from ..steps import (
    ACT,
    CLAIM,
    DONE,
    ID,
    LOST,
    PAY,
    RECOVER,
    RUN,
    SUBMIT,
    WORKER,
    WORKER_RAN,
    accepts,
    body,
    call,
    fail,
    granted,
    intend,
    is_silent,
    lapsed,
    nothing,
    over,
    publish,
    reconcile,
    record,
    refused,
    rejects,
    release,
    renew,
    run,
    step,
    succeed,
    then,
    unknown,
)

STALE, SEALED = refused(Reason.STALE_FENCE), refused(Reason.SEALED)
RUNNING, SECOND = run(), run(fence=2)
RELEASED = run(RunState.QUEUED, fence=1)
FAILED = run(RunState.FAILED)
UNKNOWN = run(RunState.UNKNOWN, sealed_for=RunState.FAILED, calls=(unknown(),))


PUBLISHED_LATE = then(SECOND, EventType.PUBLISHED, publications=(body(),))
GRANTED_AGAIN = then(RELEASED, EventType.GRANTED, state=RunState.RUNNING, fence=2, lease_left_seconds=30)
SAME_FENCE = then(RELEASED, EventType.GRANTED, state=RunState.RUNNING, fence=1, lease_left_seconds=30)

SWEEP = replace(RECOVER, seen_fence=Fence(1))
STRANGER = replace(
    nothing(publish(fence=1), SECOND, refused(Reason.NO_SUCH_RUN)),
    session=Session(TenantId("stranger"), "somebody", EntryPoint.WORK),
)
WAKE = Wake(ID, RUN, NEWS, WORKER, "request")

CASES = [
    accepts("FENCE.1", "a second grant under a higher fence", step(CLAIM, RELEASED, GRANTED_AGAIN, granted(2))),
    accepts("FENCE.1", "a grant that nobody heard of", step(CLAIM, RELEASED, GRANTED_AGAIN, LOST)),
    rejects("FENCE.1", "a second grant under the same fence", step(CLAIM, RELEASED, SAME_FENCE, granted(1))),
    rejects("FENCE.1", "the same fence although nobody heard of it", step(CLAIM, RELEASED, SAME_FENCE, LOST)),
    rejects(
        "FENCE.1", "a worker told another fence than the store has", step(CLAIM, RELEASED, GRANTED_AGAIN, granted(3))
    ),
    rejects(
        "FENCE.1",
        "a release after which the count starts over",
        step(release(), RUNNING, run(RunState.QUEUED, fence=0)),
    ),
    rejects(
        "FENCE.1",
        "recovery that grants under the same fence",
        step(RECOVER, lapsed(), then(lapsed(), EventType.GRANTED, by=EntryPoint.RECOVER), granted(1)),
    ),
    is_silent("FENCE.1", "there was no run", step(SUBMIT, None, run(RunState.QUEUED))),
    is_silent("FENCE.1", "a worker writes", step(publish(fence=2), SECOND, PUBLISHED_LATE)),
    is_silent("FENCE.1", "a claim is refused", nothing(CLAIM, RUNNING, refused(Reason.LEASE_LIVE))),
    accepts("FENCE.2", "a stranger who is turned away at the door", STRANGER),
    accepts("FENCE.2", "a late publication that is refused", nothing(publish(fence=1), SECOND, STALE)),
    is_silent("FENCE.2", "a late publication that came to nothing unheard", nothing(publish(fence=1), SECOND, LOST)),
    rejects("FENCE.2", "a late publication that is written", step(publish(fence=1), SECOND, PUBLISHED_LATE)),
    rejects("FENCE.2", "a late write whose answer was lost", step(publish(fence=1), SECOND, PUBLISHED_LATE, LOST)),
    rejects("FENCE.2", "a late renewal that is said to be done", nothing(renew(fence=1), SECOND, DONE)),
    rejects("FENCE.2", "a stale worker told of an open call", nothing(succeed(1), SECOND, refused(Reason.CALL_OPEN))),
    is_silent("FENCE.2", "the fence is the current one", step(publish(fence=2), SECOND, PUBLISHED_LATE)),
    accepts(
        "FENCE.3", "a write after the lease that is refused", nothing(publish(), lapsed(), refused(Reason.LEASE_LAPSED))
    ),
    rejects("FENCE.3", "a renewal after the lease", step(renew(), lapsed(), RUNNING)),
    is_silent("FENCE.3", "the lease is live", step(renew(), run(lease=1), RUNNING)),
    accepts("FENCE.4", "a claim that leaves a live lease alone", nothing(CLAIM, RUNNING, refused(Reason.LEASE_LIVE))),
    rejects(
        "FENCE.4",
        "recovery of a run whose worker lives",
        step(RECOVER, RUNNING, over(RUNNING, RunState.INTERRUPTED, EventType.ENDED, by=EntryPoint.RECOVER)),
    ),
    rejects("FENCE.4", "a claim that takes a live lease", step(CLAIM, RUNNING, then(RUNNING, fence=2), granted(2))),
    is_silent("FENCE.4", "its worker writes", step(publish(fence=2), SECOND, PUBLISHED_LATE)),
    is_silent("FENCE.4", "the lease has lapsed", step(RECOVER, lapsed(), FAILED)),
    rejects(
        "FENCE.4",
        "a wake of a run that somebody holds",
        step(WAKE, RUNNING, then(RUNNING, EventType.GRANTED, by=EntryPoint.WAKE, fence=2), granted(2)),
    ),
    accepts("FENCE.5", "a sweep that comes too late", nothing(SWEEP, lapsed(fence=2), STALE)),
    accepts("FENCE.5", "a sweep that finds a live lease", nothing(SWEEP, RUNNING, refused(Reason.LEASE_LIVE))),
    accepts("FENCE.5", "a sweep that finds it granted and live", nothing(SWEEP, SECOND, STALE)),
    rejects(
        "FENCE.5",
        "a sweep that settles what was granted since",
        step(SWEEP, lapsed(fence=2), over(lapsed(fence=2), RunState.INTERRUPTED, EventType.ENDED)),
    ),
    rejects(
        "FENCE.5",
        "a sweep that settles what was renewed since",
        step(SWEEP, RUNNING, over(RUNNING, RunState.INTERRUPTED, EventType.ENDED), LOST),
    ),
    rejects("FENCE.5", "a sweep that is told it settled", nothing(SWEEP, SECOND, DONE)),
    rejects("FENCE.5", "a sweep that is refused although it saw well", nothing(SWEEP, lapsed(), STALE)),
    rejects("FENCE.5", "a refusal to who names no fence", nothing(RECOVER, lapsed(fence=2), STALE)),
    is_silent(
        "FENCE.5",
        "nothing has happened since",
        step(SWEEP, lapsed(), over(lapsed(), RunState.INTERRUPTED, EventType.ENDED, by=EntryPoint.RECOVER)),
    ),
    is_silent("FENCE.5", "no sweep is made", nothing(renew(), lapsed(), refused(Reason.LEASE_LAPSED))),
    accepts("FENCE.6", "a second end that is refused", nothing(succeed(), FAILED, SEALED)),
    rejects("FENCE.6", "an end that is overwritten", step(succeed(), FAILED, run(RunState.SUCCEEDED))),
    rejects("FENCE.6", "an end that is written twice", step(fail(), FAILED, then(FAILED, EventType.ENDED))),
    rejects(
        "FENCE.6", "a body that comes after the end", step(publish(), FAILED, then(FAILED, publications=(body(),)))
    ),
    rejects(
        "FENCE.6", "a worker process that goes on after the end", step(WORKER_RAN, FAILED, run(RunState.SUCCEEDED))
    ),
    is_silent("FENCE.6", "the run is only sealed", step(reconcile(Evidence.AMBIGUOUS), UNKNOWN, UNKNOWN)),
    rejects(
        "FENCE.6",
        "a past that is rewritten after the end",
        step(publish(), FAILED, replace(FAILED, history=FAILED.history[1:])),
    ),
    is_silent("FENCE.6", "a call acts outside, late", nothing(ACT, FAILED, DONE)),
    accepts("FENCE.7", "a dispatch after the seal that is refused", nothing(intend(), FAILED, SEALED)),
    rejects(
        "FENCE.7",
        "a dispatch by the holder of the last fence, after the seal",
        step(intend(), FAILED, then(FAILED, (EventType.INTENDED, PAY), calls=(call(),))),
    ),
    accepts("FENCE.7", "a sending after the seal that is refused", nothing(send_again(), UNKNOWN, SEALED)),
    rejects(
        "FENCE.7",
        "a sending of what is unknown, after the seal",
        step(send_again(), UNKNOWN, then(UNKNOWN, (EventType.SENT_AGAIN, PAY), calls=(call(),))),
    ),
    rejects(
        "FENCE.7", "a child after the end", step(spawn(), FAILED, spawned(FAILED), others=(None, child_of(FAILED)))
    ),
    is_silent("FENCE.7", "nothing is dispatched", nothing(publish(), FAILED, SEALED)),
    is_silent("FENCE.7", "the run is not sealed", step(intend(), RUNNING, then(RUNNING, calls=(call(),)))),
    accepts("FENCE.8", "a stranger's late body that is turned away at the door", STRANGER),
    rejects("FENCE.8", "a late worker told of no run", nothing(publish(), FAILED, refused(Reason.NO_SUCH_RUN))),
    accepts("FENCE.8", "a late answer that is refused", nothing(record(), UNKNOWN, SEALED)),
    is_silent("FENCE.8", "a late answer that came to nothing unheard", nothing(record(), UNKNOWN, LOST)),
    rejects("FENCE.8", "a body of a worker that was replaced", step(publish(fence=1), SECOND, PUBLISHED_LATE)),
    rejects(
        "FENCE.8",
        "a late answer that is written as work",
        step(record(), UNKNOWN, then(UNKNOWN, calls=(call(answer="answer"),))),
    ),
    rejects(
        "FENCE.8",
        "a body after the seal, although nobody heard of it",
        step(publish(), UNKNOWN, then(UNKNOWN, EventType.PUBLISHED, publications=(body(),)), LOST),
    ),
    rejects("FENCE.8", "a late worker told of its budget", nothing(intend(), UNKNOWN, refused(Reason.OVER_BUDGET))),
    is_silent("FENCE.8", "the worker writes in time", step(publish(fence=2), SECOND, PUBLISHED_LATE)),
    is_silent("FENCE.8", "it comes in as evidence", nothing(reconcile(Evidence.AMBIGUOUS), UNKNOWN, DONE)),
]
