"""Bound to what was shown."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    CallId,
    CallState,
    EntryPoint,
    EventType,
    InForce,
    Outcome,
    Reason,
    RunState,
    RunView,
    Step,
    WaitState,
    WaitView,
)

from ..approving import (
    ASKED,
    LATER,
    approved,
    ask_for_approval,
    decide,
    denied,
    intend_approved,
    request,
    seen,
    waiting,
    waiting_run,
)
from ..cancelling import send_again
from ..steps import (
    DONE,
    LOST,
    PAY,
    WORKER_RAN,
    Case,
    accepts,
    body,
    call,
    intend,
    is_silent,
    nothing,
    over,
    publish,
    refused,
    rejects,
    run,
    step,
    then,
)

SHIP = CallId("ship")

MOVED = InForce(plan=2)

DENIED, EXPIRED, NOT_APPROVED = refused(Reason.DENIED), refused(Reason.EXPIRED), refused(Reason.NOT_APPROVED)

DRIFTED, NOT_PERMITTED = refused(Reason.DRIFTED), refused(Reason.NOT_PERMITTED)

RUNNING = run()

ASKING = waiting_run(request())

ALLOWED, REFUSED_ONCE = then(RUNNING, waits=(approved(),)), then(RUNNING, waits=(denied(),))

OTHER_WAIT = then(RUNNING, waits=(waiting(ASKED),))


def asks(before: RunView, shown: WaitView, **asked: str) -> Step:
    """A worker asks for an approval, after which the run waits with this request."""
    after = over(
        before,
        RunState.WAITING_APPROVAL,
        (EventType.WAITED, shown.wait),
        waits=(*before.waits, shown),
    )
    return step(replace(ask_for_approval(shown.wait), **asked), before, after)


def decides(shown: WaitView, *, approves: bool = True, digest: str = "arguments", now: bool | None = None) -> Step:
    """A person decides this request; `now` is how it stands then, if not as the person said."""
    before = waiting_run(shown)
    decision = approves if now is None else now
    after = then(
        before,
        (EventType.DECIDED, ASKED),
        by=EntryPoint.DECIDE,
        waits=(replace(shown, approved=decision, state=WaitState.ACCEPTED),),
    )
    return step(decide(approves, digest=digest), before, after)


def dispatches(
    before: RunView, name: CallId = PAY, *, wait: str | None = ASKED, digest: str = "arguments", used: bool = True
) -> Step:
    """A worker intends an operation, and the approval that it names is used by it."""
    waits = tuple(replace(view, used_by=name) if used and view.wait == wait else view for view in before.waits)
    after = then(before, (EventType.INTENDED, name), calls=(*before.calls, call(name, digest=digest)), waits=waits)
    return step(intend_approved(name, wait=wait and ASKED, digest=digest), before, after)


def unheard(seen: Step) -> Step:
    return replace(seen, outcome=LOST)


def comes_to_nothing(seen: Step, outcome: Outcome) -> Step:
    return replace(seen, after=seen.before, outcome=outcome)


def sends_again(shown: WaitView) -> Step:
    """A call that was not found is sent once more, under the approval that it has used."""
    lost = replace(call(state=CallState.NOT_FOUND), sends_max=2)
    before = then(RUNNING, calls=(lost,), waits=(shown,))
    again = replace(lost, state=CallState.OPEN, sends=2)
    return step(send_again(), before, then(before, (EventType.SENT_AGAIN, PAY), calls=(again,)))


PAID = dispatches(ALLOWED).after.runs[0]

USED = approved(used_by=PAY)

PUBLISHED = then(PAID, EventType.PUBLISHED, publications=(body(),))

ANEW = request(LATER, digest="other arguments", in_force=MOVED, differs=("digest", "plan"))

HIDING = request(LATER, digest="other arguments", in_force=MOVED, differs=("plan",))

ASKED_ANEW = seen(asks(ALLOWED, ANEW, digest="other arguments"), in_force=MOVED)

BOUND: list[Case] = [
    accepts("APPROVAL.1", "a request that says everything", asks(RUNNING, request())),
    accepts("APPROVAL.1", "a request that nobody heard of", unheard(asks(RUNNING, request()))),
    rejects("APPROVAL.1", "a request that was never written down", nothing(ask_for_approval(), RUNNING, DONE)),
    rejects("APPROVAL.1", "a request about another operation", asks(RUNNING, request(call=SHIP))),
    rejects("APPROVAL.1", "a request that shows other arguments", asks(RUNNING, request(digest="others"))),
    rejects("APPROVAL.1", "a request that plays its risk down", asks(RUNNING, request(), risk="high")),
    rejects("APPROVAL.1", "a request on another basis", asks(RUNNING, request(), basis="habit")),
    rejects("APPROVAL.1", "a request that shows an older plan", seen(asks(RUNNING, request()), in_force=MOVED)),
    rejects("APPROVAL.1", "a request that stays open for longer", asks(RUNNING, request(seconds=600))),
    rejects("APPROVAL.1", "a request that is born approved", asks(RUNNING, request(approved=True))),
    rejects("APPROVAL.1", "a request that shows nothing", asks(RUNNING, replace(request(), shown=None))),
    rejects("APPROVAL.1", "a second request under the same id", asks(then(RUNNING, waits=(denied(),)), request())),
    accepts("APPROVAL.1", "a decision on what was shown", decides(request())),
    rejects("APPROVAL.1", "a decision on something else", decides(request(), digest="others")),
    accepts(
        "APPROVAL.1",
        "a decision on something else that is refused",
        nothing(decide(digest="others"), ASKING, refused(Reason.SHOWN_DIFFERS)),
    ),
    rejects(
        "APPROVAL.1",
        "a decision on what was shown that is told otherwise",
        nothing(decide(), ASKING, refused(Reason.SHOWN_DIFFERS)),
    ),
    rejects("APPROVAL.1", "a decision on what was never asked", nothing(decide(wait=LATER), ASKING, DONE)),
    accepts("APPROVAL.1", "work that leaves what was shown", step(publish(), PAID, PUBLISHED)),
    rejects(
        "APPROVAL.1",
        "work that changes what was shown",
        step(publish(), PAID, then(PUBLISHED, waits=(approved(risk="none", used_by=PAY),))),
    ),
    rejects(
        "APPROVAL.1", "a worker process that forgets a request", step(WORKER_RAN, ALLOWED, then(ALLOWED, waits=()))
    ),
    is_silent("APPROVAL.1", "nothing was ever asked", step(publish(), RUNNING, then(RUNNING, publications=(body(),)))),
    is_silent("APPROVAL.1", "it is read again", nothing(decide(), waiting_run(request(approved=True)), DONE)),
]

OTHERS: list[Case] = [
    accepts("APPROVAL.2", "the operation that was approved", dispatches(ALLOWED)),
    accepts("APPROVAL.2", "the operation that was approved, unheard", unheard(dispatches(ALLOWED))),
    accepts("APPROVAL.2", "another operation that is refused", nothing(intend_approved(SHIP), ALLOWED, NOT_APPROVED)),
    accepts(
        "APPROVAL.2", "an operation that names no approval", nothing(intend_approved(wait=None), ALLOWED, NOT_APPROVED)
    ),
    rejects("APPROVAL.2", "another operation under it", dispatches(ALLOWED, SHIP)),
    rejects("APPROVAL.2", "another operation under it, unheard", unheard(dispatches(ALLOWED, SHIP))),
    rejects("APPROVAL.2", "the operation without its approval", dispatches(ALLOWED, wait=None)),
    rejects("APPROVAL.2", "an operation nobody has decided on", dispatches(then(RUNNING, waits=(request(),)))),
    rejects("APPROVAL.2", "an approval that is none", dispatches(RUNNING)),
    rejects("APPROVAL.2", "a wait of another kind as an approval", dispatches(OTHER_WAIT)),
    rejects(
        "APPROVAL.2",
        "an earlier approval after it was asked for anew",
        dispatches(then(RUNNING, waits=(approved(), request(LATER)))),
    ),
    rejects("APPROVAL.2", "what was approved told that it is not", nothing(intend_approved(), ALLOWED, NOT_APPROVED)),
    rejects("APPROVAL.2", "an operation that needs none told so", nothing(intend(), RUNNING, NOT_APPROVED)),
    is_silent("APPROVAL.2", "the operation needs none", dispatches(ALLOWED, SHIP, wait=None)),
    is_silent("APPROVAL.2", "the call is intended already", nothing(intend(), PAID, DONE)),
    is_silent("APPROVAL.2", "it is refused for another reason", nothing(intend_approved(), ALLOWED, EXPIRED)),
]

DRIFT: list[Case] = [
    accepts("APPROVAL.3", "a dispatch while nothing has changed", dispatches(ALLOWED)),
    accepts(
        "APPROVAL.3",
        "a dispatch refused as the plan moved",
        seen(nothing(intend_approved(), ALLOWED, DRIFTED), in_force=MOVED),
    ),
    accepts(
        "APPROVAL.3", "other arguments that are refused", nothing(intend_approved(digest="others"), ALLOWED, DRIFTED)
    ),
    rejects("APPROVAL.3", "a dispatch under another plan", seen(dispatches(ALLOWED), in_force=MOVED)),
    rejects("APPROVAL.3", "a dispatch of another resource", seen(dispatches(ALLOWED), in_force=InForce(resource=2))),
    rejects("APPROVAL.3", "a dispatch under another policy", seen(dispatches(ALLOWED), in_force=InForce(policy=2))),
    rejects("APPROVAL.3", "a dispatch with other arguments", dispatches(ALLOWED, digest="others")),
    rejects("APPROVAL.3", "an unheard dispatch with other arguments", unheard(dispatches(ALLOWED, digest="others"))),
    rejects("APPROVAL.3", "a refusal although nothing has changed", nothing(intend_approved(), ALLOWED, DRIFTED)),
    rejects("APPROVAL.3", "a drift of what needs no approval", nothing(intend(), RUNNING, DRIFTED)),
    accepts("APPROVAL.3", "sending again while nothing has changed", sends_again(USED)),
    accepts(
        "APPROVAL.3",
        "sending again refused as the plan moved",
        seen(comes_to_nothing(sends_again(USED), DRIFTED), in_force=MOVED),
    ),
    rejects("APPROVAL.3", "sending again under another plan", seen(sends_again(USED), in_force=MOVED)),
    accepts("APPROVAL.3", "a first request, which differs from nothing", asks(RUNNING, request())),
    accepts("APPROVAL.3", "a request anew that shows the difference", ASKED_ANEW),
    rejects(
        "APPROVAL.3",
        "a request anew that hides a difference",
        seen(asks(ALLOWED, HIDING, digest="other arguments"), in_force=MOVED),
    ),
    rejects("APPROVAL.3", "a first request that shows a difference", asks(RUNNING, request(differs=("risk",)))),
    is_silent("APPROVAL.3", "the operation is under no approval", dispatches(RUNNING, wait=None)),
    is_silent("APPROVAL.3", "a request is refused", nothing(ask_for_approval(), ALLOWED, DENIED)),
    is_silent(
        "APPROVAL.3", "the call is intended already", seen(nothing(intend_approved(), PAID, DONE), in_force=MOVED)
    ),
]

CASES = [*BOUND, *OTHERS, *DRIFT]
