"""Watching writes nothing, and every change has its door."""

from dataclasses import replace
from typing import Any

from keepfact.spec.vocabulary import (
    FIRST_BUNDLE,
    Asked,
    BundleId,
    BundleView,
    CallState,
    Cause,
    Deploy,
    Done,
    Drift,
    Drifted,
    EntryPoint,
    EventType,
    Grant,
    InForce,
    Observation,
    PayloadView,
    Purge,
    ReaderView,
    RunId,
    RunState,
    SourceId,
    Step,
    Streamed,
    UserId,
)

from ..cancelling import (
    CANCEL,
    CHILD,
    asked_to_stop,
    spawn,
    wait,
    waiting_on,
)
from ..continuing import left, material
from ..steps import (
    ACT,
    DONE,
    ID,
    LOOKED_UP,
    LOST,
    OBSERVE,
    RECOVER,
    SUBMIT,
    TICK,
    WORKER_RAN,
    accepts,
    body,
    call,
    fail,
    is_silent,
    lapsed,
    nothing,
    over,
    publish,
    rejects,
    renew,
    run,
    step,
    then,
    told,
    truth,
)
from .entry import FINDING, INTERRUPTED, NEW_CHILD, PARENT, PUBLISHED, QUEUED, REPLAY, RUNNING, STREAM, UNKNOWN

OTHER = run(name=RunId("other"))

UNSIGNED = replace(PUBLISHED, history=(*RUNNING.history, replace(PUBLISHED.history[-1], principal="")))

STREAMED = Done(stream=Streamed(RUNNING.history, is_over=False))

AGEING = waiting_on(wait(left=2), materials=(FINDING,))

READER = ReaderView(SourceId("source"), UserId("user"))

GRANT, DEPLOY = Grant(ID, SourceId("source"), UserId("user")), Deploy(ID, BundleId("bundle-2"), 1, 0)

PURGE, DRIFTED = Purge(ID, "digest"), Drifted(Drift.RESOURCE)


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
    rejects("ENTRY.2", "a grant that moves the schema", stores(GRANT, served=(1, 2))),
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
]
