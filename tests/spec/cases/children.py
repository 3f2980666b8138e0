"""One child for one spawn id, and a bound on deaths."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    ChildView,
    Contract,
    EntryPoint,
    EventType,
    Fence,
    Reason,
    RunId,
    RunState,
)

from ..cancelling import CHILD, RESUME_IT, SPAWN, child_of, spawn, spawned
from ..steps import (
    DONE,
    WORKER,
    WORKER_RAN,
    accepts,
    fail,
    granted,
    is_silent,
    lapsed,
    mark_unknown,
    nothing,
    open_,
    over,
    publish,
    refused,
    rejects,
    release,
    run,
    step,
    then,
    told,
    unknown,
)
from .bounds import RUNNING, STALE, published

PARENT, NEW_CHILD = spawned(RUNNING), child_of(RUNNING)

OTHER_CHILD = RunId("other child")

RESUME = Contract.RESUME

DEAD, DEAD_AGAIN = lapsed(contract=RESUME), replace(lapsed(contract=RESUME), deaths=1)

ALIVE_AGAIN = then(
    DEAD, EventType.GRANTED, by=EntryPoint.RECOVER, fence=Fence(2), lease_left_seconds=30, worker=WORKER, deaths=1
)

GIVEN_UP = over(DEAD_AGAIN, RunState.INTERRUPTED, EventType.ENDED, by=EntryPoint.RECOVER)

TRIED = replace(run(contract=RESUME), deaths=1)

TRIED_PAY = replace(run(contract=RESUME, calls=(open_(),)), deaths=1)

CASES = [
    accepts("EFFECT.12", "a child", step(spawn(), RUNNING, PARENT, others=(None, NEW_CHILD))),
    accepts("EFFECT.12", "the same child again", step(spawn(), PARENT, PARENT, others=(NEW_CHILD, NEW_CHILD))),
    accepts("EFFECT.12", "a conflict", nothing(spawn(OTHER_CHILD), PARENT, refused(Reason.SPAWN_CONFLICT))),
    accepts("EFFECT.12", "a worker process that spawned", step(WORKER_RAN, RUNNING, PARENT, others=(None, NEW_CHILD))),
    rejects("EFFECT.12", "a child that is listed and not there", step(spawn(), RUNNING, PARENT)),
    rejects("EFFECT.12", "a child that is done and not there", nothing(spawn(), RUNNING, DONE)),
    rejects("EFFECT.12", "a child that is not listed", step(spawn(), RUNNING, RUNNING, others=(None, NEW_CHILD))),
    rejects(
        "EFFECT.12",
        "a child that runs at once",
        step(spawn(), RUNNING, PARENT, others=(None, replace(NEW_CHILD, state=RunState.RUNNING))),
    ),
    rejects(
        "EFFECT.12",
        "a child with another budget",
        step(spawn(), RUNNING, PARENT, others=(None, replace(NEW_CHILD, budget_cents=99))),
    ),
    rejects(
        "EFFECT.12",
        "a child under another contract",
        step(spawn(), RUNNING, PARENT, others=(None, replace(NEW_CHILD, contract=RESUME))),
    ),
    rejects(
        "EFFECT.12",
        "a child that was there",
        step(spawn(), RUNNING, PARENT, others=(NEW_CHILD, NEW_CHILD)),
    ),
    rejects(
        "EFFECT.12",
        "a second child under one spawn id",
        step(
            spawn(OTHER_CHILD),
            PARENT,
            spawned(PARENT, OTHER_CHILD),
            others=(None, child_of(RUNNING, OTHER_CHILD)),
        ),
    ),
    rejects("EFFECT.12", "another child that is let through", nothing(spawn(OTHER_CHILD), PARENT, DONE)),
    rejects("EFFECT.12", "a conflict over the same child", nothing(spawn(), PARENT, refused(Reason.SPAWN_CONFLICT))),
    rejects("EFFECT.12", "the same child that is refused", nothing(spawn(), PARENT, refused(Reason.RUN_EXISTS))),
    rejects(
        "EFFECT.12",
        "a worker process that spawned twice",
        step(WORKER_RAN, RUNNING, then(PARENT, children=(ChildView(SPAWN, CHILD), ChildView(SPAWN, OTHER_CHILD)))),
    ),
    is_silent("EFFECT.12", "a stale worker spawns", nothing(spawn(), RUNNING, STALE)),
    is_silent("EFFECT.12", "a worker process does other work", step(WORKER_RAN, RUNNING, published(RUNNING))),
    is_silent("EFFECT.12", "nothing is spawned", step(publish(), RUNNING, published(RUNNING))),
    accepts("EFFECT.13", "a first death", step(RESUME_IT, DEAD, ALIVE_AGAIN, granted(2))),
    accepts("EFFECT.13", "the last death, after which it is over", step(RESUME_IT, DEAD_AGAIN, GIVEN_UP)),
    accepts("EFFECT.13", "progress that starts over", step(publish(), TRIED, published(TRIED, deaths=0))),
    rejects(
        "EFFECT.13", "a death that does not count", step(RESUME_IT, DEAD, replace(ALIVE_AGAIN, deaths=0), granted(2))
    ),
    rejects(
        "EFFECT.13",
        "one try more",
        step(
            RESUME_IT,
            DEAD_AGAIN,
            then(DEAD_AGAIN, EventType.GRANTED, by=EntryPoint.RECOVER, fence=2, lease_left_seconds=30, deaths=2),
            granted(2),
        ),
    ),
    rejects(
        "EFFECT.13",
        "a run that is called failed at the limit",
        step(RESUME_IT, DEAD_AGAIN, replace(GIVEN_UP, state=RunState.FAILED)),
    ),
    rejects("EFFECT.13", "progress that does not", step(publish(), TRIED, published(TRIED))),
    rejects(
        "EFFECT.13",
        "a loss that counts as progress",
        step(mark_unknown(), TRIED_PAY, told(TRIED_PAY, EventType.LOST, unknown(), deaths=0)),
    ),
    rejects(
        "EFFECT.13",
        "a release that starts over",
        step(
            release(), TRIED, then(TRIED, EventType.RELEASED, state=RunState.QUEUED, lease_left_seconds=None, deaths=0)
        ),
    ),
    rejects("EFFECT.13", "a failure that counts a death", step(fail(), TRIED, replace(TRIED, deaths=2))),
    is_silent("EFFECT.13", "recovery is refused", nothing(RESUME_IT, TRIED, refused(Reason.LEASE_LIVE))),
    is_silent("EFFECT.13", "the run is under settle", nothing(RESUME_IT, lapsed(), DONE)),
    is_silent(
        "EFFECT.13",
        "a loss is told",
        step(mark_unknown(), TRIED_PAY, told(TRIED_PAY, EventType.LOST, unknown())),
    ),
]
