"""What an approval is good for: in time, once, for its operation, and never after a denial."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    EventType,
    InForce,
    Reason,
    WaitState,
)

from ..approving import (
    LATER,
    approved,
    ask_for_approval,
    decide,
    denied,
    intend_approved,
    request,
    seen,
    waiting_run,
)
from ..steps import (
    DONE,
    LOST,
    PAY,
    WORKER_RAN,
    Case,
    accepts,
    body,
    is_silent,
    nothing,
    publish,
    refused,
    rejects,
    step,
    then,
)
from .approval import (
    ALLOWED,
    ASKING,
    DENIED,
    DRIFTED,
    EXPIRED,
    NOT_PERMITTED,
    PAID,
    PUBLISHED,
    REFUSED_ONCE,
    RUNNING,
    SHIP,
    USED,
    asks,
    decides,
    dispatches,
    sends_again,
    unheard,
)

FORBIDDEN = InForce(permitted=False)

TAKEN, DECIDED_BEFORE = refused(Reason.APPROVAL_USED), refused(Reason.ALREADY_DECIDED)

IN_TIME = then(RUNNING, waits=(approved(seconds=1),))

TOO_LATE = then(RUNNING, waits=(approved(seconds=0),))

PAID_BEFORE = then(PAID, waits=(approved(),))

TIME: list[Case] = [
    accepts("APPROVAL.4", "a dispatch in time", dispatches(IN_TIME)),
    accepts("APPROVAL.4", "a dispatch that is too late and refused", nothing(intend_approved(), TOO_LATE, EXPIRED)),
    accepts(
        "APPROVAL.4",
        "a dispatch that is refused as permission was revoked",
        seen(nothing(intend_approved(), ALLOWED, NOT_PERMITTED), in_force=FORBIDDEN),
    ),
    rejects("APPROVAL.4", "a dispatch under an expired approval", dispatches(TOO_LATE)),
    rejects("APPROVAL.4", "a dispatch without permission", seen(dispatches(ALLOWED), in_force=FORBIDDEN)),
    rejects("APPROVAL.4", "a dispatch in time told that it is late", nothing(intend_approved(), ALLOWED, EXPIRED)),
    rejects("APPROVAL.4", "a permission that is said to be gone", nothing(intend_approved(), ALLOWED, NOT_PERMITTED)),
    rejects("APPROVAL.4", "sending again under an expired approval", sends_again(replace(USED, left_seconds=0))),
    rejects("APPROVAL.4", "sending again without permission", seen(sends_again(USED), in_force=FORBIDDEN)),
    accepts("APPROVAL.4", "a decision in time", decides(request(seconds=1))),
    accepts("APPROVAL.4", "a denial without permission", seen(decides(request(), approves=False), in_force=FORBIDDEN)),
    accepts(
        "APPROVAL.4",
        "a decision that is too late and refused",
        nothing(decide(), waiting_run(request(seconds=0)), EXPIRED),
    ),
    accepts(
        "APPROVAL.4",
        "an approval without permission that is refused",
        seen(nothing(decide(), ASKING, NOT_PERMITTED), in_force=FORBIDDEN),
    ),
    rejects("APPROVAL.4", "an approval after the time", decides(request(seconds=0))),
    rejects("APPROVAL.4", "a denial after the time", decides(request(seconds=0), approves=False)),
    rejects("APPROVAL.4", "an approval without permission", seen(decides(request()), in_force=FORBIDDEN)),
    rejects(
        "APPROVAL.4",
        "an unheard approval without permission",
        unheard(seen(decides(request()), in_force=FORBIDDEN)),
    ),
    rejects(
        "APPROVAL.4",
        "a denial that is said to need a permission",
        seen(nothing(decide(False), ASKING, NOT_PERMITTED), in_force=FORBIDDEN),
    ),
    is_silent("APPROVAL.4", "the operation is under no approval", dispatches(RUNNING, wait=None)),
    is_silent(
        "APPROVAL.4",
        "what was decided is read again, late",
        nothing(decide(), waiting_run(request(approved=True, seconds=0)), DONE),
    ),
]

DECIDED = waiting_run(request(approved=True, state=WaitState.ACCEPTED))

ONCE: list[Case] = [
    accepts("APPROVAL.5", "a first decision", decides(request())),
    accepts("APPROVAL.5", "a denial", decides(request(), approves=False)),
    accepts("APPROVAL.5", "the same decision again, which is read", nothing(decide(), DECIDED, DONE)),
    accepts(
        "APPROVAL.5",
        "another decision that is refused",
        nothing(decide(False), DECIDED, DECIDED_BEFORE),
    ),
    accepts(
        "APPROVAL.5",
        "an approval of something else that is refused",
        nothing(decide(digest="other arguments"), DECIDED, DECIDED_BEFORE),
    ),
    accepts("APPROVAL.5", "work that leaves a decision", step(publish(), PAID, PUBLISHED)),
    rejects("APPROVAL.5", "a decision that turns out the other way", decides(request(), now=False)),
    rejects("APPROVAL.5", "a decision that is done and nowhere", nothing(decide(), ASKING, DONE)),
    rejects("APPROVAL.5", "another decision that is said to be done", nothing(decide(False), DECIDED, DONE)),
    rejects(
        "APPROVAL.5",
        "an approval of something else that is said to be done",
        nothing(decide(digest="other arguments"), DECIDED, DONE),
    ),
    rejects("APPROVAL.5", "a decision that is overturned", decides(request(approved=True), approves=False)),
    rejects("APPROVAL.5", "an unheard change of mind", unheard(decides(request(approved=True), approves=False))),
    rejects("APPROVAL.5", "the same decision told twice in the history", decides(request(approved=True))),
    rejects(
        "APPROVAL.5",
        "the same decision again called a conflict",
        nothing(decide(), DECIDED, DECIDED_BEFORE),
    ),
    rejects(
        "APPROVAL.5",
        "a decision nobody heard of, called a conflict when it is asked again",
        nothing(decide(), DECIDED, DECIDED_BEFORE, repeats=LOST),
    ),
    rejects(
        "APPROVAL.5",
        "the same decision again called too late",
        nothing(decide(), waiting_run(request(approved=True, seconds=0)), EXPIRED),
    ),
    rejects("APPROVAL.5", "a first decision called a second", nothing(decide(), ASKING, DECIDED_BEFORE)),
    rejects(
        "APPROVAL.5",
        "work that decides by itself",
        step(publish(), then(RUNNING, waits=(request(),)), then(RUNNING, waits=(request(approved=True),))),
    ),
    rejects("APPROVAL.5", "a worker process that decides", step(WORKER_RAN, REFUSED_ONCE, ALLOWED)),
    rejects(
        "APPROVAL.5",
        "a decision that decides another request too",
        step(
            decide(),
            waiting_run(request(LATER), request()),
            waiting_run(request(LATER, approved=True), request(approved=True)),
        ),
    ),
    is_silent("APPROVAL.5", "nothing is decided", asks(RUNNING, request())),
    is_silent(
        "APPROVAL.5",
        "an approval of something else, of which nobody heard, is refused when it is asked again",
        nothing(decide(digest="other arguments"), DECIDED, DECIDED_BEFORE, repeats=LOST),
    ),
    is_silent("APPROVAL.5", "there is no such request", nothing(decide(), RUNNING, refused(Reason.NO_SUCH_WAIT))),
    is_silent("APPROVAL.5", "a first decision is too late", nothing(decide(), ASKING, EXPIRED)),
]

USES: list[Case] = [
    accepts("APPROVAL.6", "an approval that is used with the intent", dispatches(ALLOWED)),
    accepts(
        "APPROVAL.6",
        "a second use that is refused",
        nothing(intend_approved(SHIP), then(RUNNING, waits=(USED,)), TAKEN),
    ),
    accepts("APPROVAL.6", "work that leaves a use", step(publish(), PAID, PUBLISHED)),
    accepts(
        "APPROVAL.6", "a worker process that uses one", replace(dispatches(ALLOWED), cause=WORKER_RAN, outcome=None)
    ),
    rejects("APPROVAL.6", "a dispatch that does not use it up", dispatches(ALLOWED, used=False)),
    rejects("APPROVAL.6", "a second operation under it", dispatches(PAID, SHIP)),
    rejects("APPROVAL.6", "a second operation under it, unheard", unheard(dispatches(PAID, SHIP))),
    rejects(
        "APPROVAL.6",
        "a use by an operation that it was not asked for",
        dispatches(then(RUNNING, waits=(approved(call=PAY),)), SHIP),
    ),
    rejects("APPROVAL.6", "a dispatch under what was used before", dispatches(then(RUNNING, waits=(USED,)))),
    rejects(
        "APPROVAL.6",
        "a use by what was intended before",
        step(publish(), PAID_BEFORE, then(PAID_BEFORE, EventType.PUBLISHED, publications=(body(),), waits=(USED,))),
    ),
    rejects(
        "APPROVAL.6",
        "a use without an intent",
        step(publish(), ALLOWED, then(ALLOWED, EventType.PUBLISHED, publications=(body(),), waits=(USED,))),
    ),
    rejects(
        "APPROVAL.6",
        "a use that is given back",
        step(publish(), PAID, then(PUBLISHED, waits=(approved(),))),
    ),
    rejects(
        "APPROVAL.6",
        "an unused approval said to be used",
        nothing(intend_approved(), ALLOWED, TAKEN),
    ),
    is_silent("APPROVAL.6", "no approval is used", dispatches(RUNNING, wait=None)),
    is_silent("APPROVAL.6", "a dispatch is refused", nothing(intend_approved(), ALLOWED, DRIFTED)),
]

NEVER: list[Case] = [
    accepts("APPROVAL.7", "a denied operation that is refused", nothing(intend_approved(), REFUSED_ONCE, DENIED)),
    accepts("APPROVAL.7", "a denied operation not asked again", nothing(ask_for_approval(LATER), REFUSED_ONCE, DENIED)),
    accepts(
        "APPROVAL.7",
        "a worker process that does something else",
        step(WORKER_RAN, REFUSED_ONCE, then(REFUSED_ONCE, EventType.PUBLISHED, publications=(body(),))),
    ),
    rejects("APPROVAL.7", "a denied operation that is dispatched", dispatches(REFUSED_ONCE)),
    rejects("APPROVAL.7", "a denied operation sent as if it needed no approval", dispatches(REFUSED_ONCE, wait=None)),
    rejects("APPROVAL.7", "a denied operation that is dispatched unheard", unheard(dispatches(REFUSED_ONCE))),
    rejects("APPROVAL.7", "a denied operation that is asked for again", asks(REFUSED_ONCE, request(LATER))),
    rejects(
        "APPROVAL.7",
        "a denied operation under a later approval",
        dispatches(then(RUNNING, waits=(denied(wait=LATER), approved()))),
    ),
    rejects(
        "APPROVAL.7",
        "a worker process that sends what was denied",
        replace(dispatches(REFUSED_ONCE, wait=None), cause=WORKER_RAN, outcome=None),
    ),
    rejects(
        "APPROVAL.7",
        "a worker process that asks again for what was denied",
        replace(asks(REFUSED_ONCE, request(LATER)), cause=WORKER_RAN, outcome=None),
    ),
    rejects("APPROVAL.7", "an operation said to be denied that is not", nothing(intend_approved(), ALLOWED, DENIED)),
    rejects("APPROVAL.7", "a request said to be denied that is new", nothing(ask_for_approval(), RUNNING, DENIED)),
    is_silent("APPROVAL.7", "another operation was denied", dispatches(REFUSED_ONCE, SHIP, wait=None)),
    is_silent("APPROVAL.7", "the operation was approved", dispatches(ALLOWED)),
    is_silent("APPROVAL.7", "nothing was denied to a worker process", step(WORKER_RAN, PAID, PUBLISHED)),
]

CASES = [*TIME, *ONCE, *USES, *NEVER]
