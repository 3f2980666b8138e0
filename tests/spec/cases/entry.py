"""Who may write."""

from dataclasses import replace
from typing import Any

from keepfact.spec.vocabulary import (
    FIRST_BUNDLE,
    Asked,
    BundleId,
    BundleView,
    CallId,
    CallState,
    Cause,
    Contract,
    Deploy,
    Done,
    Drift,
    Drifted,
    EntryPoint,
    EventType,
    Fence,
    Grant,
    InForce,
    MaterialId,
    MaterialView,
    Observation,
    PayloadView,
    Purge,
    ReaderView,
    Reason,
    Replay,
    RunId,
    RunState,
    RunView,
    SourceId,
    Step,
    Stream,
    Streamed,
    UserId,
    WaitId,
    WaitState,
    Wake,
)

from ..cancelling import (
    CANCEL,
    CHILD,
    NEWS,
    RESUME_IT,
    answered,
    asked_to_stop,
    child_of,
    recognised,
    spawn,
    spawned,
    wait,
    waiting_on,
)
from ..continuing import left, material
from ..steps import (
    ACT,
    CLAIM,
    DONE,
    ID,
    LOOKED_UP,
    LOST,
    OBSERVE,
    PAY,
    RECOVER,
    RUN,
    SUBMIT,
    TICK,
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
RESUMED = then(
    UNDER_RESUME,
    EventType.GRANTED,
    by=EntryPoint.RECOVER,
    fence=2,
    lease_left_seconds=30,
    worker=WORKER,
    deaths=1,
)
NOT_RUNNING = Reason.NOT_RUNNING
STREAM, REPLAY = Stream(ID, RUN, 0), Replay(ID, RUN, "host")
STREAMED = Done(stream=Streamed(RUNNING.history, is_over=False))
WAKE, OTHER_WAKE = Wake(ID, RUN, NEWS, WORKER, "request"), Wake(ID, RUN, WaitId("other"), WORKER, "request")
PARENT, NEW_CHILD = spawned(RUNNING), child_of(RUNNING)
FINDING = MaterialView(MaterialId("finding"), SourceId("source"), "digest", Fence(1), None, 2)
AGEING = waiting_on(wait(left=2), materials=(FINDING,))
READER = ReaderView(SourceId("source"), UserId("user"))
GRANT, DEPLOY = Grant(ID, SourceId("source"), UserId("user")), Deploy(ID, BundleId("bundle-2"), 1, 0)
PURGE, DRIFTED = Purge(ID, "digest"), Drifted(Drift.RESOURCE)


def woken(run: RunView, by: EntryPoint) -> RunView:
    """The run as a grant leaves it that used up all it waited for."""
    used = tuple(replace(wait, state=WaitState.CONSUMED) for wait in run.waits)
    return then(
        run,
        (EventType.GRANTED, run.waits[-1].wait),
        by=by,
        state=RunState.RUNNING,
        waits=used,
        fence=2,
        worker=WORKER,
        lease_left_seconds=30,
    )


ACCEPTED = answered(waiting_on(wait()))
WOKEN = woken(ACCEPTED, EntryPoint.WAKE)


def stores(cause: Cause, **fields: Any) -> Step:
    """A step that changes what is kept beside runs; there is one run, and one text is kept."""
    before = Observation((RUNNING,), payloads=(PayloadView("digest", 1, 2000),))
    return Step(before, cause, DONE if isinstance(cause, Asked) else None, replace(before, **fields))


CASES = [
    accepts("ENTRY.1", "a look that changes nothing", nothing(OBSERVE, RUNNING, DONE)),
    rejects("ENTRY.1", "a look that lengthens the lease", step(OBSERVE, run(lease=3), run(lease=30))),
    rejects("ENTRY.1", "a look that sends a request", step(OBSERVE, RUNNING, RUNNING, truth=truth())),
    accepts("ENTRY.1", "a stream", nothing(STREAM, RUNNING, STREAMED)),
    rejects("ENTRY.1", "a replay that sends a request", step(REPLAY, RUNNING, RUNNING, truth=truth())),
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
    accepts("ENTRY.2", "a child that is spawned", step(spawn(), RUNNING, PARENT, others=(None, NEW_CHILD))),
    accepts("ENTRY.2", "a worker process that spawned", step(WORKER_RAN, RUNNING, PARENT, others=(None, NEW_CHILD))),
    accepts(
        "ENTRY.2",
        "a child that is cancelled too",
        step(CANCEL, PARENT, asked_to_stop(PARENT), others=(NEW_CHILD, asked_to_stop(NEW_CHILD))),
    ),
    accepts(
        "ENTRY.2",
        "a clock that runs a wait and a finding down",
        step(TICK, AGEING, replace(AGEING, waits=(wait(left=1),), materials=(replace(FINDING, fresh_seconds=1),))),
    ),
    accepts("ENTRY.2", "a reader who is let in", stores(GRANT, readers=(READER,))),
    accepts(
        "ENTRY.2",
        "a bundle that is deployed",
        stores(DEPLOY, bundles=(BundleView(FIRST_BUNDLE), BundleView(DEPLOY.bundle))),
    ),
    accepts("ENTRY.2", "a version that drifts", stores(DRIFTED, in_force=InForce(resource=2))),
    accepts("ENTRY.2", "a text that is purged", stores(PURGE, payloads=())),
    rejects("ENTRY.2", "a deployment that changes a run", stores(DEPLOY, runs=(PUBLISHED,))),
    rejects("ENTRY.2", "a deployment that lets a reader in", stores(DEPLOY, readers=(READER,))),
    rejects("ENTRY.2", "a grant that moves the schema", stores(GRANT, schema=(1, 2))),
    rejects(
        "ENTRY.2", "a publication that changes what approvals are bound to", stores(publish(), in_force=InForce(2))
    ),
    rejects("ENTRY.2", "a clock that purges a text", stores(TICK, payloads=())),
    rejects("ENTRY.2", "a version that drifts and ends a run", stores(DRIFTED, runs=(INTERRUPTED,))),
    rejects("ENTRY.2", "a child that nobody spawned", step(publish(), RUNNING, PUBLISHED, others=(None, NEW_CHILD))),
    rejects(
        "ENTRY.2",
        "a child of somebody else",
        step(spawn(), RUNNING, PARENT, others=(None, replace(NEW_CHILD, parent=RunId("x")))),
    ),
    rejects(
        "ENTRY.2",
        "a child that came through the door of submission",
        step(spawn(), RUNNING, PARENT, others=(None, run(RunState.QUEUED, name=CHILD))),
    ),
    rejects(
        "ENTRY.2",
        "a cancellation of a stranger",
        step(CANCEL, PARENT, asked_to_stop(PARENT), others=(OTHER, asked_to_stop(OTHER))),
    ),
    rejects(
        "ENTRY.2",
        "a child that is cancelled untold",
        step(CANCEL, PARENT, asked_to_stop(PARENT), others=(NEW_CHILD, replace(NEW_CHILD, state=RunState.CANCELLING))),
    ),
    rejects(
        "ENTRY.2",
        "a cancellation that takes a child's budget",
        step(CANCEL, PARENT, asked_to_stop(PARENT), others=(NEW_CHILD, asked_to_stop(NEW_CHILD, budget_cents=0))),
    ),
    rejects(
        "ENTRY.2",
        "a failure that cancels a child",
        step(
            fail(),
            PARENT,
            over(PARENT, RunState.FAILED, EventType.ENDED),
            others=(NEW_CHILD, asked_to_stop(NEW_CHILD)),
        ),
    ),
    rejects("ENTRY.2", "a child that is gone", step(CANCEL, PARENT, asked_to_stop(PARENT), others=(NEW_CHILD, None))),
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
    rejects(
        "ENTRY.3",
        "recovery that spawns a child",
        step(RECOVER, lapsed(), replace(INTERRUPTED, children=PARENT.children)),
    ),
    rejects(
        "ENTRY.3", "recovery that saves a finding", step(RECOVER, lapsed(), replace(INTERRUPTED, materials=(FINDING,)))
    ),
    rejects(
        "ENTRY.3",
        "recovery that sends a call again",
        step(
            RECOVER,
            lapsed(calls=(recognised(),)),
            then(lapsed(calls=(recognised(),)), calls=(recognised(CallState.OPEN, sends=2),)),
        ),
    ),
    accepts("ENTRY.3", "recovery that grants", step(RESUME_IT, UNDER_RESUME, RESUMED, granted(2))),
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
    accepts(
        "ENTRY.4",
        "recovery under resume of a run whose lease lapsed",
        step(RESUME_IT, UNDER_RESUME, RESUMED, granted(2)),
    ),
    accepts("ENTRY.4", "a wake that was accepted", step(WAKE, ACCEPTED, WOKEN, granted(2))),
    accepts("ENTRY.4", "a refusal to a worker whose run waits", nothing(publish(), ACCEPTED, refused(NOT_RUNNING))),
    rejects(
        "ENTRY.4",
        "recovery under settle that grants",
        step(
            RESUME_IT,
            lapsed(),
            then(lapsed(), EventType.GRANTED, by=EntryPoint.RECOVER, fence=2, lease_left_seconds=30),
            granted(2),
        ),
    ),
    rejects(
        "ENTRY.4",
        "recovery of a run that waits",
        step(RESUME_IT, waiting_on(wait(), contract=Contract.RESUME), woken(waiting_on(wait()), EntryPoint.RECOVER)),
    ),
    rejects(
        "ENTRY.4",
        "a wake that nothing has caused",
        step(WAKE, waiting_on(wait()), woken(waiting_on(wait()), EntryPoint.WAKE), granted(2)),
    ),
    rejects("ENTRY.4", "a wake of another wait", step(OTHER_WAKE, ACCEPTED, WOKEN, granted(2))),
    rejects(
        "ENTRY.4", "a claim of a run that waits", step(CLAIM, ACCEPTED, woken(ACCEPTED, EntryPoint.WORK), granted(2))
    ),
    rejects("ENTRY.4", "a wake that was done and granted nothing", nothing(WAKE, ACCEPTED, granted(2))),
    rejects("ENTRY.4", "recovery that was done and granted nothing", nothing(RESUME_IT, UNDER_RESUME, granted(2))),
    rejects(
        "ENTRY.4",
        "a worker that publishes while its run waits",
        step(publish(), ACCEPTED, then(ACCEPTED, EventType.PUBLISHED, publications=(body(),))),
    ),
    is_silent("ENTRY.4", "a wake is refused", nothing(WAKE, waiting_on(wait()), refused(Reason.NOT_ACCEPTED))),
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
    accepts("ENTRY.6", "a stream read again", nothing(STREAM, RUNNING, DONE, repeats=Done(stream=Streamed((), False)))),
    is_silent("ENTRY.6", "the first answer was lost", step(publish(), RUNNING, PUBLISHED, repeats=LOST)),
    is_silent(
        "ENTRY.6",
        "another command has the id",
        nothing(intend(), run(calls=(open_(PAY), unknown(CallId("x")))), refused(Reason.COMMAND_ID_CONFLICT)),
    ),
]
