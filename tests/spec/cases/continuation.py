"""Inherit material, not power."""

from dataclasses import replace
from typing import Any

from keepfact.spec.vocabulary import (
    ENDS,
    FIRST_BUNDLE,
    FORMAT,
    TENANT,
    ArrivalView,
    Branch,
    BundleId,
    BundleView,
    CallState,
    Checkpoint,
    ChildView,
    Contract,
    EntryPoint,
    EventType,
    Fence,
    InheritedView,
    MarkerView,
    Outcome,
    ReaderView,
    Reason,
    RequestId,
    RunId,
    RunState,
    RunView,
    Session,
    SpawnId,
    Step,
    Submit,
    TenantId,
    WaitId,
    WaitKind,
    WaitView,
)

from ..continuing import (
    SOURCE,
    admitted,
    beside,
    continue_,
    handed,
    left,
    material,
    read_material,
    readers,
)
from ..steps import (
    ASK,
    DONE,
    LOST,
    PAY,
    RUN,
    SUBMIT,
    WORKER,
    accepts,
    body,
    call,
    confirmed,
    is_silent,
    nothing,
    publish,
    refused,
    rejects,
    run,
    step,
    then,
    unknown,
)

CONTINUE, READ = continue_(), read_material()

LEFT, ADMITTED = left(), admitted()

FIRST = RunId("first")

WAIT = WaitId("wait")

REQUEST = RequestId("request")

ELSEWHERE = TenantId("elsewhere")

SEALED = {"state": RunState.UNKNOWN, "calls": (unknown(),)}

TAKEN = refused(Reason.REQUEST_TAKEN)


def continued(
    source: RunView | None = LEFT,
    new: RunView | None = ADMITTED,
    outcome: Outcome = DONE,
    *runs: RunView,
    after: RunView | None = None,
    may_read: tuple[ReaderView, ...] = readers("web"),
    **kept: Any,
) -> Step:
    """SOURCE, which changes only if `after` is given, is continued as RUN, beside these runs."""
    others = (source, after or source) if source else None
    return beside(step(CONTINUE, None, new, outcome, others=others), *runs, readers=may_read, **kept)


def not_continued(source: RunView | None, outcome: Outcome) -> Step:
    return continued(source, None, outcome)


def working(*inherited: InheritedView) -> RunView:
    """A continuation at work."""
    return replace(run(), continues=SOURCE, inherited=inherited)


def asked(request: str | None = REQUEST, name: RunId = RUN) -> Submit:
    return replace(SUBMIT, run=name, request=request and RequestId(request))


def holding(request: str | None = REQUEST, name: RunId = FIRST, tenant: TenantId = TENANT) -> RunView:
    return replace(run(RunState.QUEUED, name=name), request=request and RequestId(request), tenant=tenant)


HANDED, USED = working(handed()), handed(reads=1)

ADMITTED_BY_SUBMIT = replace(run(RunState.QUEUED), continues=SOURCE)

NEWER = BundleId("newer")

BUNDLES = (BundleView(FIRST_BUNDLE), BundleView(NEWER))

RETIRED = (BundleView(FIRST_BUNDLE), BundleView(NEWER, is_retired=True))

POWERS: dict[str, dict[str, Any]] = {
    "a fence": {"fence": Fence(1)},
    "a lease": {"worker": WORKER, "lease_left_seconds": 30},
    "a call": {"calls": (unknown(),)},
    "a cost": {"known_cents": 5},
    "a body": {"publications": (body(),)},
    "a child": {"children": (ChildView(SpawnId("spawn"), FIRST),)},
    "a wait": {"waits": (WaitView(WAIT, WaitKind.TIMER, Checkpoint(FORMAT, FIRST_BUNDLE, "digest", 1, 5), 30),)},
    "an arrival": {"arrivals": (ArrivalView(WAIT, 1, "digest"),)},
    "a marker": {"markers": (MarkerView("marker", Branch.OLD),)},
    "a parent": {"parent": FIRST},
    "the request id": {"request": REQUEST},
    "the materials": {"materials": (material(),)},
    "deaths": {"deaths": 1},
    "an assessment": {"assessment": True},
}

CASES = [
    accepts("CONTINUE.1", "a run of its own", continued()),
    accepts("CONTINUE.1", "the same although its answer was lost", continued(outcome=LOST)),
    accepts("CONTINUE.1", "a run on the newest bundle", continued(new=admitted(bundle=NEWER), bundles=BUNDLES)),
    accepts("CONTINUE.1", "a run on the newest that is not retired", continued(bundles=RETIRED)),
    rejects("CONTINUE.1", "an old run that is told of it", continued(after=then(left(), EventType.MARKED))),
    rejects("CONTINUE.1", "an old run that goes on", continued(after=left(state=RunState.QUEUED))),
    rejects("CONTINUE.1", "the same unheard", continued(after=left(state=RunState.QUEUED), outcome=LOST)),
    rejects("CONTINUE.1", "nothing said to be a run", continued(new=None)),
    rejects("CONTINUE.1", "a run that was there", step(CONTINUE, admitted(), admitted(), others=(left(), left()))),
    rejects("CONTINUE.1", "a run that continues nothing that is there", continued(source=None)),
    rejects("CONTINUE.1", "a run that forgets what it continues", continued(new=admitted(continues=None))),
    rejects("CONTINUE.1", "another budget", continued(new=admitted(budget_cents=11))),
    rejects("CONTINUE.1", "another contract", continued(new=admitted(contract=Contract.RESUME))),
    rejects("CONTINUE.1", "the bundle of the old run", continued(bundles=BUNDLES)),
    rejects("CONTINUE.1", "a retired bundle", continued(new=admitted(bundle=NEWER), bundles=RETIRED)),
    rejects("CONTINUE.1", "a run that is not queued", continued(new=admitted(state=RunState.RUNNING))),
    rejects("CONTINUE.1", "an admission by another door", continued(new=ADMITTED_BY_SUBMIT)),
    rejects("CONTINUE.1", "a grant that comes with it", continued(new=then(admitted(), EventType.GRANTED))),
    rejects("CONTINUE.1", "the old history", continued(new=replace(admitted(), history=left().history))),
    is_silent("CONTINUE.1", "it is refused", not_continued(run(name=SOURCE), refused(Reason.NOT_ENDED))),
    is_silent("CONTINUE.1", "it never arrived", not_continued(left(), LOST)),
    is_silent("CONTINUE.1", "a run is submitted", step(SUBMIT, None, run(RunState.QUEUED))),
    accepts("CONTINUE.2", "a bare run", continued()),
    accepts(
        "CONTINUE.2",
        "a run with material and open questions",
        continued(left(material(), **SEALED), admitted(handed(), open_calls=(PAY,))),
    ),
    accepts(
        "CONTINUE.2",
        "a request id of its own",
        replace(continued(new=admitted(request=REQUEST)), cause=continue_(request=REQUEST)),
    ),
    *(
        rejects("CONTINUE.2", f"{what} that comes along", continued(new=admitted(**power)))
        for what, power in POWERS.items()
    ),
    rejects("CONTINUE.2", "a fence that comes along unheard", continued(new=admitted(fence=Fence(1)), outcome=LOST)),
    rejects("CONTINUE.2", "a request id that is dropped", replace(continued(), cause=continue_(request=REQUEST))),
    is_silent("CONTINUE.2", "it is refused", not_continued(run(name=SOURCE), refused(Reason.NOT_ENDED))),
    is_silent("CONTINUE.2", "a run is submitted", step(SUBMIT, None, run(RunState.QUEUED))),
    accepts("CONTINUE.8", "an unknown call that is shown", continued(left(**SEALED), admitted(open_calls=(PAY,)))),
    accepts(
        "CONTINUE.8",
        "an amount still to come, beside what is known",
        continued(
            left(state=RunState.UNKNOWN, calls=(confirmed(None), call(ASK, CallState.NOT_FOUND))),
            admitted(open_calls=(PAY,)),
        ),
    ),
    rejects("CONTINUE.8", "an unknown call that is kept back", continued(left(**SEALED))),
    rejects("CONTINUE.8", "the same unheard", continued(left(**SEALED), outcome=LOST)),
    rejects("CONTINUE.8", "another call in its place", continued(left(**SEALED), admitted(open_calls=(ASK,)))),
    rejects("CONTINUE.8", "a call shown twice", continued(left(**SEALED), admitted(open_calls=(PAY, PAY)))),
    rejects("CONTINUE.8", "a resolved call", continued(left(calls=(confirmed(),)), admitted(open_calls=(PAY,)))),
    is_silent("CONTINUE.8", "nothing is unresolved", continued(left(calls=(confirmed(),)))),
    is_silent("CONTINUE.8", "it is refused", not_continued(left(**SEALED), TAKEN)),
    is_silent("CONTINUE.8", "a body is published", nothing(publish(), HANDED, LOST)),
    *(accepts("CONTINUE.9", f"a run that is {state}", continued(left(state=state))) for state in sorted(ENDS)),
    accepts("CONTINUE.9", "a run that is sealed as unknown", continued(left(**SEALED), admitted(open_calls=(PAY,)))),
    *(
        accepts(
            "CONTINUE.9", f"a refusal while it is {state}", not_continued(left(state=state), refused(Reason.NOT_ENDED))
        )
        for state in sorted(set(RunState) - ENDS - {RunState.UNKNOWN})
    ),
    *(
        rejects("CONTINUE.9", f"a continuation of a run that is {state}", continued(left(state=state)))
        for state in sorted(set(RunState) - ENDS - {RunState.UNKNOWN})
    ),
    rejects("CONTINUE.9", "the same unheard", continued(left(state=RunState.CANCELLING), outcome=LOST)),
    rejects("CONTINUE.9", "a refusal after its end", not_continued(left(), refused(Reason.NOT_ENDED))),
    rejects(
        "CONTINUE.9", "a refusal to continue a sealed run", not_continued(left(**SEALED), refused(Reason.NOT_ENDED))
    ),
    is_silent("CONTINUE.9", "it is refused for another reason", not_continued(left(), TAKEN)),
    is_silent("CONTINUE.9", "there is no such run", not_continued(None, refused(Reason.NO_SUCH_RUN))),
    is_silent("CONTINUE.9", "it never arrived", not_continued(run(name=SOURCE), LOST)),
    is_silent("CONTINUE.9", "a run is submitted", step(SUBMIT, None, run(RunState.QUEUED))),
    accepts("CONTINUE.10", "a request's first run", step(asked(), None, holding(name=RUN))),
    accepts(
        "CONTINUE.10",
        "a run beside that of another request",
        beside(step(asked(), None, holding(name=RUN)), holding("other"), holding(None, SOURCE)),
    ),
    accepts(
        "CONTINUE.10",
        "the same request of another tenant",
        beside(step(asked(), None, holding(name=RUN)), holding(tenant=ELSEWHERE)),
    ),
    accepts("CONTINUE.10", "a second run that is refused", beside(nothing(asked(), None, TAKEN), holding())),
    accepts(
        "CONTINUE.10",
        "a continuation under its own request",
        replace(continued(new=admitted(request=REQUEST)), cause=continue_(request=REQUEST)),
    ),
    accepts(
        "CONTINUE.10",
        "a continuation that is refused",
        replace(not_continued(left(request=REQUEST), TAKEN), cause=continue_(request=REQUEST)),
    ),
    rejects("CONTINUE.10", "a second run for one request", beside(step(asked(), None, holding(name=RUN)), holding())),
    rejects("CONTINUE.10", "the same unheard", beside(step(asked(), None, holding(name=RUN), LOST), holding())),
    rejects(
        "CONTINUE.10",
        "a continuation that takes the request along",
        replace(continued(left(request=REQUEST), admitted(request=REQUEST)), cause=continue_(request=REQUEST)),
    ),
    rejects("CONTINUE.10", "a request that is forgotten", step(asked(), None, holding(None, RUN))),
    rejects("CONTINUE.10", "a run admitted under another", step(asked(), None, holding("other", RUN))),
    rejects(
        "CONTINUE.10",
        "a refusal for a request that nobody has",
        beside(nothing(asked(), None, TAKEN), holding("other")),
    ),
    rejects("CONTINUE.10", "a refusal for its own request", nothing(asked(), holding(name=RUN), TAKEN)),
    rejects("CONTINUE.10", "a refusal without a request", beside(nothing(asked(None), None, TAKEN), holding(None))),
    rejects(
        "CONTINUE.10",
        "a refusal for a request of another tenant",
        replace(
            beside(nothing(asked(), None, TAKEN), holding(tenant=ELSEWHERE)),
            session=Session(TENANT, "somebody", EntryPoint.SUBMIT),
        ),
    ),
    is_silent("CONTINUE.10", "no request is named", step(SUBMIT, None, run(RunState.QUEUED))),
    is_silent("CONTINUE.10", "it never arrived", beside(nothing(asked(), None, LOST), holding())),
    is_silent(
        "CONTINUE.10", "the run was admitted before", beside(nothing(asked(), holding(name=RUN), DONE, repeats=DONE))
    ),
    is_silent("CONTINUE.10", "a body is published", nothing(publish(), HANDED, LOST)),
]
