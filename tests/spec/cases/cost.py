"""Unknown is not zero."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    CallState,
    CallView,
    EntryPoint,
    EventType,
    Evidence,
    Reason,
    RunState,
    RunView,
)

from ..cancelling import CANCEL, asked_to_stop, recognised, send_again
from ..steps import (
    ACT,
    ASK,
    DONE,
    LOST,
    PAY,
    RECOVER,
    WORKER_RAN,
    accepts,
    call,
    confirmed,
    intend,
    is_silent,
    lapsed,
    mark_unknown,
    nothing,
    open_,
    over,
    publish,
    reconcile,
    record,
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

RUNNING, IN_FLIGHT, UNKNOWN, ANSWERED = run(), run(calls=(open_(),)), run(calls=(unknown(),)), run(calls=(confirmed(),))
HELD, HELD_AND_OPEN = run(calls=(unknown(ASK),)), run(calls=(unknown(ASK), open_()))
DEAR, UNPRICED, WAITING = (
    run(calls=(confirmed(9, over_ceiling=True),)),
    run(calls=(confirmed(None),)),
    lapsed(calls=(open_(),)),
)
NOT_FOUND = call(state=CallState.NOT_FOUND)
OVER_BUDGET = refused(Reason.OVER_BUDGET)
FOUND, MISSED, UNSURE = reconcile(Evidence.CONFIRMED, 4), reconcile(Evidence.NOT_FOUND), reconcile(Evidence.AMBIGUOUS)


def intended(*calls: CallView) -> RunView:
    return told(HELD, EventType.INTENDED, *calls)


def answered(call: CallView) -> RunView:
    return told(IN_FLIGHT, EventType.ANSWERED, call)


def found(call: CallView) -> RunView:
    return told(UNKNOWN, EventType.RECONCILED, call)


def settled(state: RunState, call: CallView) -> RunView:
    events = ((EventType.LOST, PAY), EventType.SEALED if state is RunState.UNKNOWN else EventType.ENDED)
    sealed_for = RunState.INTERRUPTED if state is RunState.UNKNOWN else None
    return over(WAITING, state, *events, by=EntryPoint.RECOVER, calls=(call,), sealed_for=sealed_for)


SEALED = settled(RunState.UNKNOWN, unknown())
BOOKED_AS_ZERO = settled(RunState.INTERRUPTED, replace(unknown(), cost_cents=0))
LOST_PAY = told(IN_FLIGHT, EventType.LOST, unknown())

MISSED_PAY = run(calls=(replace(NOT_FOUND, sends_max=2),))
SENT_PAY = told(MISSED_PAY, EventType.SENT_AGAIN, replace(open_(), sends=2, sends_max=2))
HOLDS_ALL = call(ASK, CallState.UNKNOWN, ceiling=6)
FULL = run(calls=(NOT_FOUND, HOLDS_ALL))
SENDABLE = run(calls=(recognised(),))
SENT = told(SENDABLE, EventType.SENT_AGAIN, recognised(CallState.OPEN, sends=2))

CASES = [
    accepts("COST.1", "a dispatch that spends the last cent", step(intend(), HELD, intended(unknown(ASK), open_()))),
    accepts("COST.1", "a refusal of one cent too many", nothing(intend(ceiling=6), HELD, OVER_BUDGET)),
    rejects(
        "COST.1",
        "a dispatch that forgets what is held",
        step(intend(ceiling=6), HELD, intended(unknown(ASK), call(ceiling=6))),
    ),
    rejects(
        "COST.1",
        "the same although its answer was lost",
        step(intend(ceiling=6), HELD, intended(unknown(ASK), call(ceiling=6)), LOST),
    ),
    rejects("COST.1", "a refusal although there is enough", nothing(intend(), HELD, OVER_BUDGET)),
    accepts("COST.1", "a sending again that finds room", step(send_again(), MISSED_PAY, SENT_PAY)),
    accepts("COST.1", "a refusal of one that finds none", nothing(send_again(), FULL, OVER_BUDGET)),
    rejects(
        "COST.1",
        "a sending again that finds none",
        step(send_again(), FULL, told(FULL, EventType.SENT_AGAIN, open_(), HOLDS_ALL)),
    ),
    rejects("COST.1", "a refusal of one although there is room", nothing(send_again(), MISSED_PAY, OVER_BUDGET)),
    rejects("COST.1", "a refusal of what is still held for", nothing(send_again(), SENDABLE, OVER_BUDGET)),
    is_silent("COST.1", "a call is sent again that is still held for", step(send_again(), SENDABLE, SENT)),
    is_silent("COST.1", "the call was intended before", nothing(intend(ceiling=99), IN_FLIGHT, DONE)),
    is_silent("COST.1", "it is refused for another reason", nothing(intend(), HELD, refused(Reason.STALE_FENCE))),
    is_silent("COST.1", "nothing is dispatched", nothing(publish(), HELD, DONE)),
    accepts("COST.2", "a cost within its hold", step(ACT, IN_FLIGHT, IN_FLIGHT, truth=truth(5))),
    accepts(
        "COST.2",
        "a recorded cost above its ceiling",
        step(renew(), replace(DEAR, lease_left_seconds=3), DEAR, truth_before=truth(9)),
    ),
    rejects("COST.2", "a cost that was booked as 0", step(RECOVER, WAITING, BOOKED_AS_ZERO, truth_before=truth(5))),
    rejects(
        "COST.2", "a call that acted and is not found", step(MISSED, UNKNOWN, found(NOT_FOUND), truth_before=truth(9))
    ),
    rejects(
        "COST.2", "more known than was spent", step(record(), IN_FLIGHT, answered(confirmed()), truth_before=truth(4))
    ),
    is_silent("COST.2", "an open call broke its ceiling", step(ACT, IN_FLIGHT, IN_FLIGHT, truth=truth(6))),
    is_silent("COST.2", "nothing happened outside", nothing(publish(), IN_FLIGHT, DONE)),
    is_silent("COST.2", "the run has no calls", step(WORKER_RAN, RUNNING, RUNNING, truth=truth())),
    accepts("COST.3", "recovery that keeps the hold", step(RECOVER, WAITING, SEALED)),
    accepts("COST.3", "an answer that ends its own hold", step(record(), IN_FLIGHT, answered(confirmed()))),
    accepts("COST.3", "evidence that ends the hold of its call", step(MISSED, UNKNOWN, found(NOT_FOUND))),
    accepts("COST.3", "a cancellation that keeps it", step(CANCEL, UNKNOWN, asked_to_stop(UNKNOWN))),
    accepts("COST.3", "a sending again that keeps it", step(send_again(), SENDABLE, SENT)),
    rejects(
        "COST.3",
        "a cancellation that releases it",
        step(CANCEL, UNKNOWN, asked_to_stop(UNKNOWN, held_cents=0)),
    ),
    rejects("COST.3", "recovery that releases it", step(RECOVER, WAITING, settled(RunState.INTERRUPTED, NOT_FOUND))),
    rejects("COST.3", "a hold that is kept and not shown", step(RECOVER, WAITING, replace(SEALED, held_cents=0))),
    rejects(
        "COST.3",
        "a hold that is shown and not kept",
        step(RECOVER, WAITING, then(settled(RunState.INTERRUPTED, NOT_FOUND), held_cents=5)),
    ),
    rejects(
        "COST.3",
        "an answer that ends another hold",
        step(record(), HELD_AND_OPEN, run(calls=(call(ASK, CallState.NOT_FOUND), confirmed()))),
    ),
    is_silent("COST.3", "nothing is held", nothing(publish(), RUNNING, DONE)),
    is_silent("COST.3", "a worker worked by itself", step(WORKER_RAN, IN_FLIGHT, answered(confirmed()))),
    accepts("COST.4", "a confirmed amount that becomes known", step(FOUND, UNKNOWN, found(confirmed(4, answer=None)))),
    accepts("COST.4", "a not_found that ends the hold at 0", step(MISSED, UNKNOWN, found(NOT_FOUND))),
    accepts(
        "COST.4",
        "a confirmation without an amount",
        step(reconcile(Evidence.CONFIRMED), UNKNOWN, found(confirmed(None, answer=None))),
    ),
    accepts("COST.4", "ambiguous evidence that ends nothing", nothing(UNSURE, UNKNOWN, DONE)),
    rejects("COST.4", "an amount that is lost on the way", step(FOUND, UNKNOWN, found(confirmed(0)))),
    rejects("COST.4", "an amount that is known and still held", step(FOUND, UNKNOWN, then(UNKNOWN, known_cents=4))),
    rejects("COST.4", "a not_found that keeps the hold", nothing(MISSED, UNKNOWN, DONE)),
    rejects("COST.4", "a not_found that costs", step(MISSED, UNKNOWN, found(replace(NOT_FOUND, cost_cents=4)))),
    rejects("COST.4", "ambiguous evidence that ends a hold", step(UNSURE, UNKNOWN, found(NOT_FOUND))),
    rejects("COST.4", "ambiguous evidence that costs", step(UNSURE, UNKNOWN, then(UNKNOWN, known_cents=4))),
    is_silent("COST.4", "evidence is refused", nothing(MISSED, ANSWERED, refused(Reason.ALREADY_RESOLVED))),
    is_silent("COST.4", "there is no evidence", nothing(publish(), UNKNOWN, DONE)),
    accepts("COST.5", "a reported 0 that is an amount", step(record(0), IN_FLIGHT, answered(confirmed(0)))),
    accepts("COST.5", "a missing amount that stays held", step(record(None), IN_FLIGHT, answered(confirmed(None)))),
    rejects("COST.5", "a missing amount booked as 0", step(record(None), IN_FLIGHT, answered(confirmed(0)))),
    rejects(
        "COST.5",
        "a missing amount taken from the total",
        step(record(None), IN_FLIGHT, then(answered(confirmed(None)), known_cents=5)),
    ),
    rejects(
        "COST.5",
        "a missing amount that is not held",
        step(record(None), IN_FLIGHT, then(answered(confirmed(None)), held_cents=0)),
    ),
    rejects("COST.5", "a reported 0 taken for missing", step(record(0), IN_FLIGHT, answered(confirmed(None)))),
    rejects(
        "COST.5",
        "an amount that the call does not show",
        step(record(), IN_FLIGHT, then(answered(confirmed(None)), known_cents=5, held_cents=0)),
    ),
    rejects(
        "COST.5",
        "an amount that the total does not show",
        step(record(), IN_FLIGHT, then(answered(confirmed()), known_cents=0)),
    ),
    rejects("COST.5", "an answer to a call that is not there", nothing(record(), RUNNING, DONE)),
    is_silent("COST.5", "the answer is refused", nothing(record(0), RUNNING, refused(Reason.NO_SUCH_CALL))),
    is_silent("COST.5", "there is no answer", nothing(publish(), IN_FLIGHT, DONE)),
    accepts("COST.6", "a hold for each call", step(intend(), HELD, intended(unknown(ASK), open_()))),
    rejects("COST.6", "a second call that shares the hold", step(intend(), HELD, replace(HELD_AND_OPEN, held_cents=5))),
    accepts("COST.6", "a hold that begins again", step(send_again(), MISSED_PAY, SENT_PAY)),
    accepts("COST.6", "a hold that goes on", step(send_again(), SENDABLE, SENT)),
    rejects("COST.6", "a sending without a hold", step(send_again(), MISSED_PAY, replace(SENT_PAY, held_cents=0))),
    rejects("COST.6", "a sending that is held for twice", step(send_again(), SENDABLE, replace(SENT, held_cents=10))),
    rejects("COST.6", "a sending that is done and not there", nothing(send_again(), MISSED_PAY, DONE)),
    is_silent("COST.6", "the call was intended before", nothing(intend(), IN_FLIGHT, DONE)),
    is_silent("COST.6", "the intent is refused", nothing(intend(), HELD, OVER_BUDGET)),
    is_silent("COST.6", "nothing is dispatched", nothing(publish(), HELD, DONE)),
    accepts(
        "COST.7",
        "an amount above its ceiling, in full and flagged",
        step(record(9), IN_FLIGHT, answered(confirmed(9, over_ceiling=True))),
    ),
    accepts("COST.7", "an amount at its ceiling, not flagged", step(record(5), IN_FLIGHT, answered(confirmed(5)))),
    rejects("COST.7", "an amount that was cut down", step(record(9), IN_FLIGHT, answered(confirmed(5)))),
    rejects("COST.7", "an amount that is not flagged", step(record(9), IN_FLIGHT, answered(confirmed(9)))),
    rejects(
        "COST.7",
        "a bill that is not flagged",
        step(reconcile(Evidence.CONFIRMED, 9), UNKNOWN, found(confirmed(9, answer=None))),
    ),
    rejects(
        "COST.7", "a flag on an honest amount", step(record(5), IN_FLIGHT, answered(confirmed(5, over_ceiling=True)))
    ),
    is_silent("COST.7", "the answer names no amount", step(record(None), IN_FLIGHT, answered(confirmed(None)))),
    is_silent("COST.7", "the answer is refused", nothing(record(9), IN_FLIGHT, refused(Reason.LEASE_LAPSED))),
    is_silent("COST.7", "there is no answer", nothing(publish(), DEAR, DONE)),
    accepts("COST.8", "a true total", step(mark_unknown(), IN_FLIGHT, LOST_PAY)),
    accepts(
        "COST.8",
        "a total with an answer that names no amount",
        step(record(None), IN_FLIGHT, answered(confirmed(None))),
    ),
    accepts("COST.8", "a total with an amount", step(record(), IN_FLIGHT, answered(confirmed()))),
    rejects("COST.8", "a total without what is held", step(mark_unknown(), IN_FLIGHT, replace(LOST_PAY, held_cents=0))),
    rejects(
        "COST.8", "a wrong number of unresolved items", step(mark_unknown(), IN_FLIGHT, replace(LOST_PAY, unresolved=0))
    ),
    rejects(
        "COST.8",
        "an amount of a call that is unknown",
        step(mark_unknown(), IN_FLIGHT, replace(LOST_PAY, calls=(replace(LOST_PAY.calls[0], cost_cents=0),))),
    ),
    rejects("COST.8", "a total that drifts while calls stay", step(publish(), ANSWERED, then(ANSWERED, known_cents=6))),
    is_silent("COST.8", "the run has no calls", step(publish(), RUNNING, then(RUNNING, EventType.PUBLISHED))),
    is_silent("COST.8", "the run stays as it was", nothing(publish(), IN_FLIGHT, LOST)),
]
