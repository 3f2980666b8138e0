"""Three facts apart, and what undoes an operation."""

from dataclasses import replace
from typing import Any

from keepfact.spec.vocabulary import (
    Assess,
    CallKind,
    CallState,
    Delivered,
    EntryPoint,
    EventType,
    Fence,
    Intend,
    Reason,
    RunState,
    RunView,
    Undo,
)

from ..steps import (
    ASK,
    DONE,
    ID,
    LOST,
    PAY,
    RUN,
    WORKER_RAN,
    accepts,
    body,
    call,
    confirmed,
    intend,
    is_silent,
    nothing,
    open_,
    over,
    publish,
    record,
    refused,
    rejects,
    run,
    step,
    succeed,
    then,
    told,
    unknown,
)

RUNNING, IN_FLIGHT, UNKNOWN = run(), run(calls=(open_(),)), run(calls=(unknown(),))

CONFLICT, STALE = refused(Reason.CALL_ID_CONFLICT), refused(Reason.STALE_FENCE)

INTENDED = told(RUNNING, EventType.INTENDED, open_())

UNDO_PAY = Intend(ID, RUN, Fence(1), ASK, CallKind.OPERATION, "arguments", 5, compensates=PAY, undo=Undo.CORRECTABLE)

UNDOES = replace(call(ASK), compensates=PAY, undo=Undo.CORRECTABLE)

PAID = run(calls=(confirmed(),))

NOT_COMPENSABLE = refused(Reason.NOT_COMPENSABLE)

SUCCEEDED = over(
    run(publications=(body(),)), RunState.SUCCEEDED, EventType.ENDED, delivered=Delivered(1, partial=False)
)

GOOD, BAD = Assess(ID, RUN, True), Assess(ID, RUN, False)


def assessed(before: RunView, good: bool, **fields: Any) -> RunView:
    return then(before, EventType.ASSESSED, by=EntryPoint.DECIDE, assessment=good, **fields)


def published(before: RunView, **fields: Any) -> RunView:
    return then(before, EventType.PUBLISHED, publications=(body(),), **fields)


CASES = [
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
]
