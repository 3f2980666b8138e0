"""A key for each call, and a bound on how often it is sent."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    CallKind,
    CallState,
    CallTruth,
    CallView,
    EventType,
    Evidence,
    Fence,
    Reason,
    RunId,
    RunView,
    TenantId,
    Truth,
)

from ..cancelling import recognised, send_again
from ..steps import (
    ACT,
    ASK,
    DONE,
    LOST,
    PAY,
    WORKER_RAN,
    accepts,
    call,
    confirmed,
    intend,
    is_silent,
    nothing,
    open_,
    publish,
    reconcile,
    record,
    refused,
    rejects,
    run,
    step,
    told,
    truth,
)
from .bounds import CONFLICT, IN_FLIGHT, INTENDED, PAID, RUNNING, STALE, UNKNOWN, published

NEIGHBOUR = run(name=RunId("neighbour"), calls=(open_(),))

STRANGER = replace(NEIGHBOUR, tenant=TenantId("stranger"))

MISSED = replace(call(state=CallState.NOT_FOUND), sends_max=3)

NOT_FOUND, SENDABLE = run(calls=(MISSED,)), run(calls=(recognised(),))

SENT = recognised(CallState.OPEN, sends=2)

SPENT = run(calls=(recognised(sends=3),))


RESENT, IN_FLIGHT_AGAIN = run(calls=(recognised(sends=2),)), run(calls=(SENT,))

UNDATED, OLD_NEWS, NEWS = (reconcile(Evidence.NOT_FOUND, sends=sends) for sends in (None, 1, 2))

TOO_OLD, OPEN = refused(Reason.STALE_EVIDENCE), refused(Reason.CALL_OPEN)


def found(before: RunView) -> RunView:
    """After the call was said not to be found."""
    return told(before, EventType.RECONCILED, *(replace(one, state=CallState.NOT_FOUND) for one in before.calls))


def arrived(*keys: str, fence: int | None = None, requests: int = 1) -> Truth:
    """What the outside saw of one call."""
    return Truth((CallTruth(PAY, CallKind.OPERATION, requests, 1, 5, keys, None if fence is None else Fence(fence)),))


def sent(before: RunView, *calls: CallView) -> RunView:
    return told(before, EventType.SENT_AGAIN, *calls)


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
    accepts("EFFECT.7", "evidence about an earlier sending turned away", nothing(OLD_NEWS, RESENT, TOO_OLD)),
    accepts("EFFECT.7", "the same refused for another reason", nothing(OLD_NEWS, IN_FLIGHT_AGAIN, OPEN)),
    rejects("EFFECT.7", "evidence about an earlier sending", step(OLD_NEWS, RESENT, found(RESENT))),
    rejects("EFFECT.7", "the same of which nobody heard", step(OLD_NEWS, RESENT, found(RESENT), LOST)),
    rejects("EFFECT.7", "evidence about the latest sending turned away", nothing(NEWS, RESENT, TOO_OLD)),
    rejects("EFFECT.7", "evidence turned away that names no sending", nothing(UNDATED, RESENT, TOO_OLD)),
    is_silent("EFFECT.7", "evidence about the latest sending", step(NEWS, RESENT, found(RESENT))),
    is_silent("EFFECT.7", "evidence that names no sending", step(UNDATED, RESENT, found(RESENT))),
    is_silent("EFFECT.7", "evidence that never arrived", nothing(OLD_NEWS, RESENT, LOST)),
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
]
