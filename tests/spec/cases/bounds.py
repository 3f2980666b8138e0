"""At most once, and honestly: the bounds."""

from dataclasses import replace
from typing import Any

from keepfact.spec.vocabulary import (
    Assess,
    CallKind,
    CallState,
    CallTruth,
    CallView,
    ChildView,
    Contract,
    Delivered,
    EntryPoint,
    EventType,
    Fence,
    Intend,
    Reason,
    RunId,
    RunState,
    RunView,
    TenantId,
    Truth,
    Undo,
)

from ..cancelling import CHILD, RESUME_IT, SPAWN, child_of, recognised, send_again, spawn, spawned
from ..steps import (
    ACT,
    ASK,
    DONE,
    ID,
    LOST,
    PAY,
    RUN,
    WORKER,
    WORKER_RAN,
    accepts,
    body,
    call,
    confirmed,
    fail,
    granted,
    intend,
    is_silent,
    lapsed,
    mark_unknown,
    nothing,
    open_,
    over,
    publish,
    record,
    refused,
    rejects,
    release,
    run,
    step,
    succeed,
    then,
    told,
    truth,
    unknown,
)

RUNNING, IN_FLIGHT, UNKNOWN = run(), run(calls=(open_(),)), run(calls=(unknown(),))
CONFLICT, STALE = refused(Reason.CALL_ID_CONFLICT), refused(Reason.STALE_FENCE)
INTENDED = told(RUNNING, EventType.INTENDED, open_())
NEIGHBOUR = run(name=RunId("neighbour"), calls=(open_(),))
STRANGER = replace(NEIGHBOUR, tenant=TenantId("stranger"))
MISSED = replace(call(state=CallState.NOT_FOUND), sends_max=3)
NOT_FOUND, SENDABLE = run(calls=(MISSED,)), run(calls=(recognised(),))
SENT = recognised(CallState.OPEN, sends=2)
SPENT = run(calls=(recognised(sends=3),))
UNDO_PAY = Intend(ID, RUN, Fence(1), ASK, CallKind.OPERATION, "arguments", 5, compensates=PAY, undo=Undo.CORRECTABLE)
UNDOES = replace(call(ASK), compensates=PAY, undo=Undo.CORRECTABLE)
PAID = run(calls=(confirmed(),))
NOT_COMPENSABLE = refused(Reason.NOT_COMPENSABLE)
SUCCEEDED = over(
    run(publications=(body(),)), RunState.SUCCEEDED, EventType.ENDED, delivered=Delivered(1, partial=False)
)
GOOD, BAD = Assess(ID, RUN, True), Assess(ID, RUN, False)
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


def arrived(*keys: str, fence: int | None = None, requests: int = 1) -> Truth:
    """What the outside saw of one call."""
    return Truth((CallTruth(PAY, CallKind.OPERATION, requests, 1, 5, keys, None if fence is None else Fence(fence)),))


def sent(before: RunView, *calls: CallView) -> RunView:
    return told(before, EventType.SENT_AGAIN, *calls)


def assessed(before: RunView, good: bool, **fields: Any) -> RunView:
    return then(before, EventType.ASSESSED, by=EntryPoint.DECIDE, assessment=good, **fields)


def published(before: RunView, **fields: Any) -> RunView:
    return then(before, EventType.PUBLISHED, publications=(body(),), **fields)


CASES = [
    accepts(
        "EFFECT.2", "a request under its id and fence", step(ACT, IN_FLIGHT, IN_FLIGHT, truth=arrived(PAY, fence=1))
    ),
    accepts("EFFECT.2", "a server that shows neither", step(ACT, IN_FLIGHT, IN_FLIGHT, truth=arrived())),
    accepts("EFFECT.2", "an id that is new", step(intend(), RUNNING, INTENDED)),
    accepts("EFFECT.2", "an id that a stranger uses", step(intend(), RUNNING, INTENDED, others=(STRANGER, STRANGER))),
    accepts(
        "EFFECT.2",
        "a conflict with a neighbour's id",
        step(intend(), RUNNING, RUNNING, CONFLICT, others=(NEIGHBOUR, NEIGHBOUR)),
    ),
    rejects("EFFECT.2", "a request under a fresh key", step(ACT, IN_FLIGHT, IN_FLIGHT, truth=arrived("fresh"))),
    rejects(
        "EFFECT.2",
        "a second request under another key",
        step(ACT, IN_FLIGHT, IN_FLIGHT, truth_before=arrived(PAY), truth=arrived(PAY, "pay-2")),
    ),
    rejects("EFFECT.2", "a request beside a later fence", step(ACT, IN_FLIGHT, IN_FLIGHT, truth=arrived(PAY, fence=2))),
    rejects(
        "EFFECT.2", "an id that a neighbour uses", step(intend(), RUNNING, INTENDED, others=(NEIGHBOUR, NEIGHBOUR))
    ),
    rejects(
        "EFFECT.2",
        "a worker process that takes a neighbour's id",
        step(WORKER_RAN, RUNNING, INTENDED, others=(NEIGHBOUR, NEIGHBOUR)),
    ),
    rejects("EFFECT.2", "a conflict with nobody", nothing(intend(), RUNNING, CONFLICT)),
    rejects(
        "EFFECT.2",
        "a conflict with a stranger",
        step(intend(), RUNNING, RUNNING, CONFLICT, others=(STRANGER, STRANGER)),
    ),
    is_silent("EFFECT.2", "the run itself has the call", nothing(intend(digest="other"), IN_FLIGHT, CONFLICT)),
    is_silent("EFFECT.2", "nothing is intended or sent", step(publish(), RUNNING, published(RUNNING))),
    accepts(
        "EFFECT.7",
        "a call that was not found",
        step(send_again(), NOT_FOUND, sent(NOT_FOUND, replace(MISSED, state=CallState.OPEN, sends=2))),
    ),
    accepts("EFFECT.7", "an unknown call that its tool recognises", step(send_again(), SENDABLE, sent(SENDABLE, SENT))),
    accepts("EFFECT.7", "a refusal of an unknown call", nothing(send_again(), UNKNOWN, refused(Reason.NOT_SENDABLE))),
    accepts("EFFECT.7", "a refusal of an open call", nothing(send_again(), IN_FLIGHT, refused(Reason.NOT_SENDABLE))),
    rejects("EFFECT.7", "an unknown call", step(send_again(), UNKNOWN, sent(UNKNOWN, replace(open_(), sends=2)))),
    rejects(
        "EFFECT.7",
        "an unknown call of which nobody heard",
        step(send_again(), UNKNOWN, sent(UNKNOWN, replace(open_(), sends=2)), LOST),
    ),
    rejects("EFFECT.7", "a confirmed call", step(send_again(), PAID, sent(PAID, replace(open_(), sends=2)))),
    rejects(
        "EFFECT.7",
        "a refusal of a call that was not found",
        nothing(send_again(), NOT_FOUND, refused(Reason.NOT_SENDABLE)),
    ),
    rejects(
        "EFFECT.7",
        "other arguments under its id",
        step(send_again(), SENDABLE, sent(SENDABLE, replace(SENT, digest="other"))),
    ),
    rejects("EFFECT.7", "a later fence", step(send_again(), SENDABLE, sent(SENDABLE, replace(SENT, fence=Fence(2))))),
    rejects("EFFECT.7", "another id", step(send_again(), SENDABLE, sent(SENDABLE, recognised(), call(ASK)))),
    rejects("EFFECT.7", "a sending that is done and not there", nothing(send_again(), SENDABLE, DONE)),
    is_silent(
        "EFFECT.7", "it is refused for another reason", nothing(send_again(), SPENT, refused(Reason.SENDS_SPENT))
    ),
    is_silent("EFFECT.7", "nothing is sent again", step(intend(), RUNNING, INTENDED)),
    accepts("EFFECT.8", "an intent that stands for one sending", step(intend(), RUNNING, INTENDED)),
    accepts("EFFECT.8", "the second of three sendings", step(send_again(), SENDABLE, sent(SENDABLE, SENT))),
    accepts("EFFECT.8", "a refusal of a fourth", nothing(send_again(), SPENT, refused(Reason.SENDS_SPENT))),
    accepts(
        "EFFECT.8",
        "a second request that was committed",
        step(ACT, run(calls=(SENT,)), run(calls=(SENT,)), truth_before=truth(), truth=arrived(PAY, requests=2)),
    ),
    rejects(
        "EFFECT.8",
        "a fourth sending of three",
        step(send_again(), SPENT, sent(SPENT, recognised(CallState.OPEN, sends=4))),
    ),
    rejects(
        "EFFECT.7",
        "a sending that is not counted",
        step(send_again(), SENDABLE, sent(SENDABLE, recognised(CallState.OPEN))),
    ),
    rejects(
        "EFFECT.8",
        "a sending that counts for two",
        step(send_again(), SENDABLE, sent(SENDABLE, recognised(CallState.OPEN, sends=3))),
    ),
    rejects(
        "EFFECT.8",
        "a sending that does not count",
        step(send_again(), SENDABLE, sent(SENDABLE, recognised(CallState.OPEN))),
    ),
    rejects(
        "EFFECT.8",
        "a bound that rises",
        step(send_again(), SENDABLE, sent(SENDABLE, replace(SENT, sends_max=9))),
    ),
    rejects(
        "EFFECT.8",
        "an intent that allows more than was asked",
        step(intend(), RUNNING, told(RUNNING, EventType.INTENDED, replace(open_(), sends_max=9))),
    ),
    rejects(
        "EFFECT.8",
        "a count that starts over",
        step(record(), run(calls=(SENT,)), run(calls=(replace(SENT, state=CallState.CONFIRMED, sends=1),))),
    ),
    rejects("EFFECT.8", "a refusal before the bound", nothing(send_again(), SENDABLE, refused(Reason.SENDS_SPENT))),
    rejects(
        "EFFECT.8",
        "a request that nobody committed",
        step(ACT, IN_FLIGHT, IN_FLIGHT, truth_before=truth(), truth=arrived(PAY, requests=2)),
    ),
    rejects(
        "EFFECT.8",
        "a worker process that sends without end",
        step(WORKER_RAN, SENDABLE, run(calls=(recognised(CallState.OPEN, sends=4),))),
    ),
    is_silent(
        "EFFECT.8", "nothing is sent", step(record(), IN_FLIGHT, told(IN_FLIGHT, EventType.ANSWERED, confirmed()))
    ),
    is_silent("EFFECT.8", "sending is refused otherwise", nothing(send_again(), SENDABLE, STALE)),
    accepts("EFFECT.10", "a result that is good", step(GOOD, SUCCEEDED, assessed(SUCCEEDED, True))),
    accepts(
        "EFFECT.10",
        "another opinion later",
        step(BAD, assessed(SUCCEEDED, True), assessed(assessed(SUCCEEDED, True), False)),
    ),
    accepts("EFFECT.10", "a refusal before the end", nothing(GOOD, RUNNING, refused(Reason.NOT_ENDED))),
    accepts(
        "EFFECT.10",
        "an answer that qualifies nothing",
        step(record(), IN_FLIGHT, told(IN_FLIGHT, EventType.ANSWERED, confirmed())),
    ),
    rejects("EFFECT.10", "the opposite of what was said", step(BAD, SUCCEEDED, assessed(SUCCEEDED, True))),
    rejects("EFFECT.10", "an opinion that is dropped", nothing(GOOD, SUCCEEDED, DONE)),
    rejects("EFFECT.10", "an opinion before the end", step(GOOD, RUNNING, assessed(RUNNING, True))),
    rejects("EFFECT.10", "a refusal after it", nothing(GOOD, SUCCEEDED, refused(Reason.NOT_ENDED))),
    rejects(
        "EFFECT.10",
        "an opinion that changes the end",
        step(BAD, SUCCEEDED, assessed(SUCCEEDED, False, state=RunState.FAILED)),
    ),
    rejects(
        "EFFECT.10",
        "a success that calls itself good",
        step(
            succeed(),
            run(publications=(body(),)),
            over(run(publications=(body(),)), RunState.SUCCEEDED, EventType.ENDED, assessment=True),
        ),
    ),
    rejects(
        "EFFECT.10",
        "a success that qualifies its body",
        step(
            succeed(),
            run(publications=(body(qualified=False),)),
            over(run(publications=(body(),)), RunState.SUCCEEDED, EventType.ENDED),
        ),
    ),
    rejects(
        "EFFECT.10",
        "an answer that publishes itself",
        step(record(), IN_FLIGHT, published(told(IN_FLIGHT, EventType.ANSWERED, confirmed()))),
    ),
    rejects(
        "EFFECT.10",
        "a worker process that praises itself",
        step(WORKER_RAN, RUNNING, published(RUNNING, assessment=True)),
    ),
    is_silent("EFFECT.10", "a worker publishes", step(publish(), RUNNING, published(RUNNING))),
    is_silent("EFFECT.10", "an assessment may never have arrived", nothing(GOOD, SUCCEEDED, LOST)),
    accepts("EFFECT.11", "a compensation", step(UNDO_PAY, PAID, told(PAID, EventType.INTENDED, confirmed(), UNDOES))),
    accepts("EFFECT.11", "a refusal of one that has nothing to undo", nothing(UNDO_PAY, UNKNOWN, NOT_COMPENSABLE)),
    accepts(
        "EFFECT.11",
        "a refusal of one that does not say how far",
        nothing(replace(UNDO_PAY, undo=None), PAID, NOT_COMPENSABLE),
    ),
    rejects(
        "EFFECT.11",
        "a compensation of a call that is unknown",
        step(UNDO_PAY, UNKNOWN, told(UNKNOWN, EventType.INTENDED, unknown(), UNDOES)),
    ),
    rejects(
        "EFFECT.11",
        "a compensation of nothing",
        step(UNDO_PAY, RUNNING, told(RUNNING, EventType.INTENDED, UNDOES)),
    ),
    rejects(
        "EFFECT.11",
        "a compensation that does not say how far",
        step(
            replace(UNDO_PAY, undo=None),
            PAID,
            told(PAID, EventType.INTENDED, confirmed(), replace(UNDOES, undo=None)),
        ),
    ),
    rejects(
        "EFFECT.11",
        "a compensation that forgets what it undoes",
        step(UNDO_PAY, PAID, told(PAID, EventType.INTENDED, confirmed(), call(ASK))),
    ),
    rejects(
        "EFFECT.11",
        "a compensation that promises more",
        step(
            UNDO_PAY,
            PAID,
            told(PAID, EventType.INTENDED, confirmed(), replace(UNDOES, undo=Undo.REVERSIBLE)),
        ),
    ),
    rejects(
        "EFFECT.11",
        "an original that is gone from the bill",
        step(UNDO_PAY, PAID, told(PAID, EventType.INTENDED, call(state=CallState.NOT_FOUND), UNDOES)),
    ),
    rejects("EFFECT.11", "a refusal of one that may be", nothing(UNDO_PAY, PAID, NOT_COMPENSABLE)),
    rejects(
        "EFFECT.11",
        "an intent that undoes what nobody asked",
        step(intend(ASK), PAID, told(PAID, EventType.INTENDED, confirmed(), UNDOES)),
    ),
    is_silent("EFFECT.11", "nothing is undone", step(intend(), RUNNING, INTENDED)),
    is_silent("EFFECT.11", "a stale worker undoes", nothing(UNDO_PAY, PAID, STALE)),
    is_silent("EFFECT.11", "a body is published", step(publish(), RUNNING, published(RUNNING))),
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
