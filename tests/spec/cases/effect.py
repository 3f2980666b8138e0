"""At most once, and honestly."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    CallKind,
    CallState,
    CallView,
    Done,
    EntryPoint,
    EventType,
    Evidence,
    Fence,
    LookUp,
    Reason,
    RunState,
    RunView,
)

from ..cancelling import CANCEL, asked_to_stop, cancelling, recognised, send_again
from ..steps import (
    ACT,
    ASK,
    DONE,
    ID,
    LOST,
    PAY,
    RECOVER,
    RUN,
    WORKER_RAN,
    accepts,
    call,
    confirmed,
    fail,
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
    run,
    step,
    told,
    truth,
    unknown,
)

RUNNING, IN_FLIGHT, UNKNOWN, ANSWERED = run(), run(calls=(open_(),)), run(calls=(unknown(),)), run(calls=(confirmed(),))
UNPRICED, WAITING = run(calls=(confirmed(None),)), lapsed(calls=(open_(),))
TWO, LOST_AND_OPEN = run(calls=(open_(), open_(ASK))), run(calls=(unknown(), open_(ASK)))
NOT_FOUND = call(state=CallState.NOT_FOUND)
CONFIRMED = confirmed(answer=None)
OTHER_ARGUMENTS, ATTEMPT = intend(digest="other"), intend(kind=CallKind.ATTEMPT)
CONFLICT, NOT_OPEN = refused(Reason.CALL_ID_CONFLICT), refused(Reason.CALL_NOT_OPEN)
FOUND, MISSED, UNSURE = reconcile(Evidence.CONFIRMED, 5), reconcile(Evidence.NOT_FOUND), reconcile(Evidence.AMBIGUOUS)


def intended(call: CallView) -> RunView:
    return told(RUNNING, EventType.INTENDED, call)


def answered(before: RunView, *calls: CallView) -> RunView:
    return told(before, EventType.ANSWERED, *calls)


def found(before: RunView, *calls: CallView) -> RunView:
    return told(before, EventType.RECONCILED, *calls)


def settled(call: CallView) -> RunView:
    events = ((EventType.LOST, PAY), EventType.SEALED)
    sealed_for = RunState.INTERRUPTED
    return over(WAITING, RunState.UNKNOWN, *events, by=EntryPoint.RECOVER, calls=(call,), sealed_for=sealed_for)


SENDABLE, SENT = run(calls=(recognised(),)), recognised(CallState.OPEN, sends=2)
TOLD_PAY = replace(open_(), told_to_stop=True)
TOLD = cancelling(lease=0, calls=(open_(),))
SETTLED = over(
    TOLD,
    RunState.UNKNOWN,
    (EventType.LOST, PAY),
    EventType.SEALED,
    by=EntryPoint.RECOVER,
    calls=(replace(unknown(), told_to_stop=True),),
    sealed_for=RunState.CANCELLED,
)
LOOK_UP = LookUp(ID, RUN, PAY)

CASES = [
    accepts("EFFECT.1", "an intent recorded as it was asked", step(intend(), RUNNING, intended(open_()))),
    accepts("EFFECT.1", "a request that arrives after its intent", step(ACT, IN_FLIGHT, IN_FLIGHT, truth=truth())),
    rejects("EFFECT.1", "an intent that records other arguments", step(OTHER_ARGUMENTS, RUNNING, intended(open_()))),
    rejects("EFFECT.1", "an intent that records another kind", step(ATTEMPT, RUNNING, intended(open_()))),
    rejects("EFFECT.1", "an intent that holds less", step(intend(ceiling=9), RUNNING, intended(open_()))),
    rejects(
        "EFFECT.1",
        "an intent under another fence",
        step(intend(), RUNNING, intended(replace(open_(), fence=Fence(0)))),
    ),
    rejects("EFFECT.1", "an intent that is done and not there", nothing(intend(), RUNNING, DONE)),
    rejects("EFFECT.1", "a request without an intent", step(WORKER_RAN, RUNNING, RUNNING, truth=truth())),
    is_silent("EFFECT.1", "an intent is refused", nothing(intend(), RUNNING, refused(Reason.OVER_BUDGET))),
    is_silent("EFFECT.1", "the call was intended before", nothing(intend(ceiling=9), IN_FLIGHT, DONE)),
    is_silent("EFFECT.1", "nothing is intended or sent", nothing(publish(), RUNNING, DONE)),
    accepts("EFFECT.3", "the same intent again", nothing(intend(), IN_FLIGHT, DONE)),
    accepts("EFFECT.3", "a conflict over other arguments", nothing(OTHER_ARGUMENTS, IN_FLIGHT, CONFLICT)),
    rejects("EFFECT.3", "other arguments that are let through", nothing(OTHER_ARGUMENTS, IN_FLIGHT, DONE)),
    rejects("EFFECT.3", "another kind that is let through", nothing(ATTEMPT, IN_FLIGHT, DONE)),
    rejects("EFFECT.3", "a conflict over the same arguments", nothing(intend(), IN_FLIGHT, CONFLICT)),
    rejects(
        "EFFECT.3",
        "an intent overwritten unheard",
        step(OTHER_ARGUMENTS, IN_FLIGHT, run(calls=(call(digest="other"),)), LOST),
    ),
    is_silent("EFFECT.3", "the id is new", step(intend(), RUNNING, intended(open_()))),
    is_silent("EFFECT.3", "a stale worker intends it again", nothing(intend(), IN_FLIGHT, refused(Reason.STALE_FENCE))),
    is_silent("EFFECT.3", "the call is answered", step(record(), IN_FLIGHT, answered(IN_FLIGHT, confirmed()))),
    accepts("EFFECT.4", "a tool that acted once", step(ACT, IN_FLIGHT, IN_FLIGHT, truth=truth())),
    rejects(
        "EFFECT.4",
        "a tool that acted twice",
        step(WORKER_RAN, IN_FLIGHT, IN_FLIGHT, truth_before=truth(), truth=truth(acts=2)),
    ),
    is_silent(
        "EFFECT.4",
        "the model was asked twice",
        step(WORKER_RAN, IN_FLIGHT, IN_FLIGHT, truth=truth(acts=2, kind=CallKind.ATTEMPT)),
    ),
    is_silent("EFFECT.4", "a request has not acted", step(WORKER_RAN, IN_FLIGHT, IN_FLIGHT, truth=truth(0, acts=0))),
    is_silent("EFFECT.4", "nothing new happened", step(publish(), IN_FLIGHT, IN_FLIGHT, truth_before=truth(acts=2))),
    accepts("EFFECT.5", "recovery that leaves a call unknown", step(RECOVER, WAITING, settled(unknown()))),
    accepts(
        "EFFECT.5",
        "a timeout that is unknown",
        step(mark_unknown(), IN_FLIGHT, told(IN_FLIGHT, EventType.LOST, unknown())),
    ),
    accepts(
        "EFFECT.5",
        "an answer of the call it belongs to",
        step(record(), IN_FLIGHT, answered(IN_FLIGHT, confirmed())),
    ),
    accepts("EFFECT.5", "evidence on the call it names", step(MISSED, UNKNOWN, found(UNKNOWN, NOT_FOUND))),
    rejects("EFFECT.5", "recovery that calls it not found", step(RECOVER, WAITING, settled(NOT_FOUND))),
    rejects(
        "EFFECT.5",
        "recovery that invents an answer",
        step(RECOVER, WAITING, settled(call(state=CallState.UNKNOWN, answer="error"))),
    ),
    rejects("EFFECT.5", "an unknown call that is pending again", step(fail(), UNKNOWN, IN_FLIGHT)),
    rejects("EFFECT.5", "an answered call that becomes unknown", step(fail(), run(calls=(CONFIRMED,)), UNKNOWN)),
    rejects("EFFECT.5", "a call that is dropped", step(fail(), IN_FLIGHT, RUNNING)),
    rejects("EFFECT.5", "an answer that drops its call", step(record(), IN_FLIGHT, RUNNING)),
    rejects("EFFECT.5", "a loss that leaves its call open", nothing(mark_unknown(), IN_FLIGHT, DONE)),
    rejects("EFFECT.5", "a loss written at another call", step(mark_unknown(ASK), TWO, LOST_AND_OPEN)),
    rejects(
        "EFFECT.5", "an answer that resolves another call", step(record(), TWO, run(calls=(open_(), unknown(ASK))))
    ),
    rejects(
        "EFFECT.5", "evidence that resolves another", step(FOUND, LOST_AND_OPEN, run(calls=(unknown(), unknown(ASK))))
    ),
    accepts(
        "EFFECT.5",
        "a call that is sent again",
        step(send_again(), SENDABLE, told(SENDABLE, EventType.SENT_AGAIN, SENT)),
    ),
    accepts("EFFECT.5", "recovery of a call that was told to stop", step(RECOVER, TOLD, SETTLED)),
    rejects(
        "EFFECT.5",
        "a sending that opens another call",
        step(send_again(ASK), run(calls=(unknown(), unknown(ASK))), TWO),
    ),
    rejects(
        "EFFECT.5",
        "a sending with an invented result",
        step(send_again(), SENDABLE, run(calls=(replace(SENT, answer="sent"),))),
    ),
    rejects("EFFECT.5", "a request to stop that opens a lost call", step(CANCEL, UNKNOWN, asked_to_stop(IN_FLIGHT))),
    is_silent(
        "EFFECT.5", "a call is told to stop", step(CANCEL, IN_FLIGHT, asked_to_stop(IN_FLIGHT, calls=(TOLD_PAY,)))
    ),
    is_silent("EFFECT.5", "no call changes", nothing(publish(), IN_FLIGHT, DONE)),
    is_silent("EFFECT.5", "a loss is refused", nothing(mark_unknown(), ANSWERED, NOT_OPEN)),
    is_silent("EFFECT.5", "a worker worked by itself", step(WORKER_RAN, IN_FLIGHT, answered(IN_FLIGHT, confirmed()))),
    accepts("EFFECT.6", "a confirmation", step(FOUND, UNKNOWN, found(UNKNOWN, CONFIRMED))),
    accepts("EFFECT.6", "a definite not_found", step(MISSED, UNKNOWN, found(UNKNOWN, NOT_FOUND))),
    accepts("EFFECT.6", "ambiguous evidence that changes nothing", nothing(UNSURE, UNKNOWN, DONE)),
    accepts("EFFECT.6", "a late answer that is refused", nothing(record(), UNKNOWN, NOT_OPEN)),
    rejects("EFFECT.6", "ambiguous evidence taken for not_found", step(UNSURE, UNKNOWN, found(UNKNOWN, NOT_FOUND))),
    rejects("EFFECT.6", "a confirmation that leaves it unknown", nothing(FOUND, UNKNOWN, DONE)),
    rejects("EFFECT.6", "a not_found that confirms", step(MISSED, UNKNOWN, found(UNKNOWN, CONFIRMED))),
    rejects("EFFECT.6", "a confirmation with an answer nobody gave", step(FOUND, UNKNOWN, found(UNKNOWN, confirmed()))),
    rejects("EFFECT.6", "evidence that drops its call", step(FOUND, UNKNOWN, RUNNING)),
    rejects("EFFECT.6", "evidence on no call", nothing(FOUND, RUNNING, DONE)),
    rejects("EFFECT.6", "a late answer that resolves it", step(record(), UNKNOWN, answered(UNKNOWN, confirmed()))),
    accepts("EFFECT.6", "a look-up that is told nothing", nothing(LOOK_UP, UNKNOWN, Done(evidence=Evidence.AMBIGUOUS))),
    rejects("EFFECT.6", "a look-up that sends the request", step(LOOK_UP, UNKNOWN, UNKNOWN, truth=truth())),
    rejects("EFFECT.6", "a look-up that writes", step(LOOK_UP, UNKNOWN, found(UNKNOWN, CONFIRMED))),
    is_silent("EFFECT.6", "a look-up may never have arrived", nothing(LOOK_UP, UNKNOWN, LOST)),
    is_silent("EFFECT.6", "an open call is answered", step(record(), IN_FLIGHT, answered(IN_FLIGHT, confirmed()))),
    is_silent("EFFECT.6", "evidence is malformed", nothing(MISSED, UNKNOWN, refused(Reason.MALFORMED))),
    accepts("EFFECT.6", "evidence on no call that is refused", nothing(MISSED, RUNNING, refused(Reason.NO_SUCH_CALL))),
    accepts("EFFECT.6", "evidence on an open call, refused", nothing(MISSED, IN_FLIGHT, refused(Reason.CALL_OPEN))),
    rejects("EFFECT.6", "an unknown call said to be open", nothing(MISSED, UNKNOWN, refused(Reason.CALL_OPEN))),
    rejects("EFFECT.6", "an unknown call called resolved", nothing(FOUND, UNKNOWN, refused(Reason.ALREADY_RESOLVED))),
    rejects("EFFECT.6", "a contradiction of nothing", nothing(MISSED, UNKNOWN, refused(Reason.CONTRADICTED))),
    rejects("EFFECT.6", "a call said not to exist", nothing(FOUND, UNKNOWN, refused(Reason.NO_SUCH_CALL))),
    is_silent("EFFECT.6", "there is neither answer nor evidence", nothing(publish(), UNKNOWN, DONE)),
    accepts("EFFECT.9", "the answer that was given", step(record(), IN_FLIGHT, answered(IN_FLIGHT, confirmed()))),
    accepts("EFFECT.9", "evidence that adds the amount", step(FOUND, UNPRICED, found(UNPRICED, confirmed()))),
    accepts("EFFECT.9", "a second answer that is refused", nothing(record(), ANSWERED, NOT_OPEN)),
    rejects("EFFECT.9", "half of the answer", step(record(), IN_FLIGHT, answered(IN_FLIGHT, confirmed(answer="ans")))),
    rejects("EFFECT.9", "an answer to no call", nothing(record(), RUNNING, DONE)),
    rejects(
        "EFFECT.9",
        "a second answer that replaces the first",
        step(record(), ANSWERED, answered(ANSWERED, confirmed(answer="another"))),
    ),
    rejects(
        "EFFECT.9",
        "evidence that changes a known amount",
        step(reconcile(Evidence.CONFIRMED, 3), ANSWERED, found(ANSWERED, confirmed(3))),
    ),
    rejects(
        "EFFECT.9",
        "a price for a call that never happened",
        step(record(), run(calls=(NOT_FOUND,)), run(calls=(replace(NOT_FOUND, cost_cents=5),))),
    ),
    is_silent("EFFECT.9", "the call is unknown", nothing(UNSURE, UNKNOWN, DONE)),
    is_silent("EFFECT.9", "a first answer is refused", nothing(record(), IN_FLIGHT, refused(Reason.LEASE_LAPSED))),
    is_silent("EFFECT.9", "there is neither answer nor evidence", nothing(publish(), ANSWERED, DONE)),
]
