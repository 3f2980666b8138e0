"""Who may write."""

from dataclasses import replace

from keepfact.spec.vocabulary import CallId, CallState, Contract, EntryPoint, EventType, Reason, RunId, RunState

from ..steps import (
    ACT,
    CLAIM,
    DONE,
    LOOKED_UP,
    LOST,
    OBSERVE,
    PAY,
    RECOVER,
    SUBMIT,
    TICK,
    WORKER_RAN,
    accepts,
    body,
    call,
    granted,
    intend,
    is_silent,
    lapsed,
    left,
    material,
    nothing,
    open_,
    over,
    publish,
    refused,
    rejects,
    renew,
    run,
    step,
    then,
    told,
    truth,
    unknown,
)

QUEUED, RUNNING, UNKNOWN = run(RunState.QUEUED), run(), run(calls=(unknown(),))
CLAIMED = then(QUEUED, EventType.GRANTED, state=RunState.RUNNING, fence=1, lease_left_seconds=30)
PUBLISHED = then(RUNNING, EventType.PUBLISHED, publications=(body(),))
INTERRUPTED = over(lapsed(), RunState.INTERRUPTED, EventType.ENDED, by=EntryPoint.RECOVER)
OTHER = run(name=RunId("other"))
UNSIGNED = replace(PUBLISHED, history=(*RUNNING.history, replace(PUBLISHED.history[-1], principal="")))
UNDER_RESUME = run(RunState.RUNNING, lease=0, contract=Contract.RESUME)
RESUMED = then(UNDER_RESUME, EventType.GRANTED, by=EntryPoint.RECOVER, fence=2, lease_left_seconds=30)

CASES = [
    accepts("ENTRY.1", "a look that changes nothing", nothing(OBSERVE, RUNNING, DONE)),
    rejects("ENTRY.1", "a look that lengthens the lease", step(OBSERVE, run(lease=3), run(lease=30))),
    rejects("ENTRY.1", "a look that sends a request", step(OBSERVE, RUNNING, RUNNING, truth=truth())),
    is_silent("ENTRY.1", "somebody writes", step(publish(), RUNNING, PUBLISHED)),
    accepts("ENTRY.2", "an admission through its own door", step(SUBMIT, None, QUEUED)),
    accepts("ENTRY.2", "a heartbeat, which moves the lease and is no event", step(renew(), run(lease=3), run())),
    accepts("ENTRY.2", "a clock that runs a lease down", step(TICK, run(lease=3), run(lease=2))),
    accepts("ENTRY.2", "a clock that changes nothing", nothing(TICK, RUNNING, DONE)),
    accepts(
        "ENTRY.2",
        "a system that looked up a call by itself",
        step(LOOKED_UP, UNKNOWN, told(UNKNOWN, EventType.RECONCILED, call(state=CallState.NOT_FOUND))),
    ),
    accepts("ENTRY.2", "a worker process that worked", step(WORKER_RAN, RUNNING, PUBLISHED)),
    accepts(
        "ENTRY.2",
        "a finding that grows old",
        step(TICK, None, None, others=(left(material(fresh=2)), left(material(fresh=1)))),
    ),
    rejects(
        "ENTRY.2",
        "an end that recovery signed as work",
        step(RECOVER, lapsed(), over(lapsed(), RunState.INTERRUPTED, EventType.ENDED, by=EntryPoint.WORK)),
    ),
    rejects(
        "ENTRY.2",
        "a publication through the door of recovery",
        step(RECOVER, lapsed(), then(lapsed(), EventType.PUBLISHED, by=EntryPoint.RECOVER, publications=(body(),))),
    ),
    rejects("ENTRY.2", "an event that names no principal", step(publish(), RUNNING, UNSIGNED)),
    rejects("ENTRY.2", "a change that nobody signed", step(publish(), RUNNING, then(RUNNING, publications=(body(),)))),
    rejects("ENTRY.2", "a clock that ends a run", step(TICK, lapsed(), INTERRUPTED)),
    rejects("ENTRY.2", "a run that changes because a call acted", step(ACT, RUNNING, PUBLISHED, truth=truth())),
    rejects("ENTRY.2", "a look-up that publishes", step(LOOKED_UP, RUNNING, PUBLISHED)),
    rejects(
        "ENTRY.2",
        "a command about one run that changes another",
        step(publish(), RUNNING, PUBLISHED, others=(OTHER, then(OTHER, budget_cents=99))),
    ),
    is_silent("ENTRY.2", "a command changes nothing", nothing(publish(), RUNNING, LOST)),
    accepts("ENTRY.3", "recovery that only settles", step(RECOVER, lapsed(), INTERRUPTED)),
    rejects(
        "ENTRY.3",
        "recovery that publishes what it found",
        step(RECOVER, lapsed(), replace(INTERRUPTED, publications=(body(),))),
    ),
    rejects(
        "ENTRY.3",
        "recovery that intends a call",
        step(RECOVER, lapsed(), then(INTERRUPTED, calls=(call(CallId("new")),))),
    ),
    rejects("ENTRY.3", "recovery that sends a request", step(RECOVER, lapsed(), INTERRUPTED, truth=truth())),
    is_silent("ENTRY.3", "a worker publishes", step(publish(), RUNNING, PUBLISHED)),
    accepts("ENTRY.4", "a worker process that claimed it", step(WORKER_RAN, QUEUED, CLAIMED)),
    accepts("ENTRY.4", "a claim of a queued run", step(CLAIM, QUEUED, CLAIMED, granted(1))),
    accepts(
        "ENTRY.4", "a refusal to who works without a claim", nothing(publish(), QUEUED, refused(Reason.STALE_FENCE))
    ),
    rejects(
        "ENTRY.4",
        "a claim of a run whose lease lapsed",
        step(CLAIM, lapsed(), then(lapsed(), EventType.GRANTED, fence=2, lease_left_seconds=30), granted(2)),
    ),
    rejects("ENTRY.4", "a grant that came from recovery", step(RECOVER, QUEUED, CLAIMED)),
    rejects("ENTRY.4", "a claim that was done and granted nothing", nothing(CLAIM, QUEUED, granted(1))),
    rejects(
        "ENTRY.4",
        "a worker that publishes after it gave its run back",
        step(publish(), run(RunState.QUEUED, fence=1), then(run(RunState.QUEUED, fence=1), publications=(body(),))),
    ),
    rejects(
        "ENTRY.4", "a publication under a fence that was never granted", step(publish(fence=2), RUNNING, PUBLISHED)
    ),
    is_silent("ENTRY.4", "a claim is refused", nothing(CLAIM, RUNNING, refused(Reason.LEASE_LIVE))),
    is_silent("ENTRY.4", "somebody looks", nothing(OBSERVE, QUEUED, DONE)),
    is_silent("ENTRY.4", "a worker writes under its lease", step(publish(), RUNNING, PUBLISHED)),
    is_silent("ENTRY.4", "the run is under resume", step(RECOVER, UNDER_RESUME, RESUMED)),
    accepts("ENTRY.5", "a refusal that changes nothing", nothing(CLAIM, RUNNING, refused(Reason.LEASE_LIVE))),
    rejects("ENTRY.5", "a refusal that leaves an event", step(CLAIM, RUNNING, PUBLISHED, refused(Reason.LEASE_LIVE))),
    is_silent("ENTRY.5", "a command is done", step(CLAIM, QUEUED, CLAIMED, granted(1))),
    accepts("ENTRY.6", "the first answer again", nothing(CLAIM, CLAIMED, granted(1), repeats=granted(1))),
    is_silent("ENTRY.6", "a repeat whose answer is lost", nothing(CLAIM, CLAIMED, LOST, repeats=granted(1))),
    rejects("ENTRY.6", "another answer to a repeat", nothing(CLAIM, CLAIMED, granted(2), repeats=granted(1))),
    rejects(
        "ENTRY.6",
        "a second publication under one command id",
        step(
            publish(),
            PUBLISHED,
            then(PUBLISHED, EventType.PUBLISHED, publications=(body(), body(2))),
            repeats=DONE,
        ),
    ),
    is_silent("ENTRY.6", "the first answer was lost", step(publish(), RUNNING, PUBLISHED, repeats=LOST)),
    is_silent(
        "ENTRY.6",
        "another command has the id",
        nothing(intend(), run(calls=(open_(PAY), unknown(CallId("x")))), refused(Reason.COMMAND_ID_CONFLICT)),
    ),
]
