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
    Label,
    MarkerView,
    MaterialId,
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
    UserId,
    WaitId,
    WaitKind,
    WaitView,
)

from ..continuing import (
    FINDING,
    SOURCE,
    SUMMARY,
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
    truth,
    unknown,
)

CONTINUE, READ = continue_(), read_material()
LEFT, ADMITTED = left(), admitted()
FIRST = RunId("first")
WAIT = WaitId("wait")
REQUEST = RequestId("request")
ELSEWHERE = TenantId("elsewhere")
SEALED = {"state": RunState.UNKNOWN, "calls": (unknown(),)}
SUMMED_UP = material(SUMMARY, "notes", derived_from=(FINDING,))
STALE, SUPERSEDED, JUDGEMENT = Label.STALE, Label.SUPERSEDED, Label.JUDGEMENT
NOT_READABLE = refused(Reason.NOT_READABLE)
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


def read(before: RunView, *inherited: InheritedView, name: MaterialId = FINDING, **fields: Any) -> RunView:
    return then(before, (EventType.SAVED, name), inherited=inherited, **fields)


def asked(request: str | None = REQUEST, name: RunId = RUN) -> Submit:
    return replace(SUBMIT, run=name, request=request and RequestId(request))


def holding(request: str | None = REQUEST, name: RunId = FIRST, tenant: TenantId = TENANT) -> RunView:
    return replace(run(RunState.QUEUED, name=name), request=request and RequestId(request), tenant=tenant)


HANDED, USED = working(handed()), handed(reads=1)
READABLE = {"readers": readers("web")}
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
UNSOUND = {
    "of no time": material(as_of=None),
    "saved under no fence": material(fence=0),
    "saved under a fence that was never granted": material(fence=2),
    "derived from what cannot be found": material(derived_from=(SUMMARY,)),
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
    accepts("CONTINUE.3", "a finding that may be read", continued(left(material()), admitted(handed()))),
    accepts(
        "CONTINUE.3",
        "a finding that was handed to the old run",
        continued(
            left(inherited=(handed(run=FIRST, reads=2),)),
            admitted(handed(run=FIRST)),
            DONE,
            replace(left(material()), run=FIRST),
        ),
    ),
    accepts(
        "CONTINUE.3",
        "a handed finding that is read",
        beside(step(READ, HANDED, read(HANDED, USED)), left(material()), **READABLE),
    ),
    accepts(
        "CONTINUE.3",
        "a finding refused that was not handed over",
        nothing(READ, working(), refused(Reason.NO_SUCH_MATERIAL)),
    ),
    *(
        rejects("CONTINUE.3", f"a finding {what}", continued(left(view), admitted(handed())))
        for what, view in UNSOUND.items()
    ),
    rejects(
        "CONTINUE.3",
        "a summary of something of no time",
        continued(left(material(as_of=None), SUMMED_UP), admitted(handed(SUMMARY)), may_read=readers("web", "notes")),
    ),
    rejects(
        "CONTINUE.3",
        "a finding whose source may not be read",
        continued(left(material()), admitted(handed()), may_read=()),
    ),
    rejects(
        "CONTINUE.3",
        "a finding whose source another may read",
        continued(left(material()), admitted(handed()), may_read=readers("web", user=UserId("other"))),
    ),
    rejects("CONTINUE.3", "a finding that nobody saved", continued(left(), admitted(handed()))),
    rejects(
        "CONTINUE.3",
        "a finding told of a run that did not save it",
        continued(left(material()), admitted(handed(run=FIRST))),
    ),
    rejects(
        "CONTINUE.3",
        "a finding of a third run",
        continued(left(), admitted(handed(run=FIRST)), DONE, replace(left(material()), run=FIRST)),
    ),
    rejects(
        "CONTINUE.3", "a finding of another tenant", continued(left(material(), tenant=ELSEWHERE), admitted(handed()))
    ),
    rejects("CONTINUE.3", "a finding handed over twice", continued(left(material()), admitted(handed(), handed()))),
    rejects("CONTINUE.3", "a finding that comes as read", continued(left(material()), admitted(handed(reads=1)))),
    rejects("CONTINUE.3", "a finding read that was not handed over", step(READ, working(), read(working()))),
    rejects("CONTINUE.3", "the same said to be read", nothing(READ, working(), DONE)),
    rejects("CONTINUE.3", "a handed finding denied", nothing(READ, HANDED, refused(Reason.NO_SUCH_MATERIAL))),
    is_silent("CONTINUE.3", "nothing is handed over", continued()),
    is_silent("CONTINUE.3", "the reader never arrived", nothing(READ, working(), LOST)),
    is_silent("CONTINUE.3", "the reader is refused for another reason", nothing(READ, HANDED, NOT_READABLE)),
    is_silent("CONTINUE.3", "no run reads it", nothing(READ, None, refused(Reason.NO_SUCH_RUN))),
    is_silent("CONTINUE.3", "a body is published", nothing(publish(), HANDED, LOST)),
    accepts("CONTINUE.4", "a fresh finding called current", continued(left(material()), admitted(handed()))),
    accepts(
        "CONTINUE.4", "an old finding called stale", continued(left(material(fresh=0)), admitted(handed(label=STALE)))
    ),
    accepts(
        "CONTINUE.4",
        "a replaced finding called superseded",
        continued(
            left(material(fresh=0), material(SUMMARY, replaces=FINDING)),
            admitted(handed(label=SUPERSEDED), handed(SUMMARY)),
        ),
    ),
    accepts(
        "CONTINUE.4",
        "a finding that has grown stale since it was handed over first",
        continued(
            left(inherited=(handed(run=FIRST),)),
            admitted(handed(label=STALE, run=FIRST)),
            DONE,
            replace(left(material(fresh=0)), run=FIRST),
        ),
    ),
    rejects("CONTINUE.4", "an old finding called current", continued(left(material(fresh=0)), admitted(handed()))),
    rejects("CONTINUE.4", "a fresh finding called stale", continued(left(material()), admitted(handed(label=STALE)))),
    rejects(
        "CONTINUE.4", "a finding called superseded", continued(left(material()), admitted(handed(label=SUPERSEDED)))
    ),
    rejects(
        "CONTINUE.4",
        "a replaced finding called current",
        continued(left(material(), material(SUMMARY, replaces=FINDING)), admitted(handed(), handed(SUMMARY))),
    ),
    rejects(
        "CONTINUE.4",
        "a replaced finding called stale",
        continued(
            left(material(fresh=0), material(SUMMARY, replaces=FINDING)),
            admitted(handed(label=STALE), handed(SUMMARY)),
        ),
    ),
    rejects(
        "CONTINUE.4",
        "an old judgement called only a judgement",
        continued(left(material(fresh=0, judgement=True)), admitted(handed(label=JUDGEMENT))),
    ),
    rejects("CONTINUE.4", "a stale finding that is kept back", continued(left(material(fresh=0)))),
    rejects(
        "CONTINUE.4",
        "a replaced finding that is kept back",
        continued(left(material(), material(SUMMARY, replaces=FINDING)), admitted(handed(SUMMARY))),
    ),
    rejects("CONTINUE.4", "a finding that cannot be found", continued(left(), admitted(handed()))),
    is_silent("CONTINUE.4", "there is no material", continued()),
    is_silent("CONTINUE.4", "there is none that may be read", continued(left(material()), may_read=())),
    is_silent("CONTINUE.4", "there is none that is sound", continued(left(material(as_of=None)))),
    is_silent("CONTINUE.4", "it is refused", not_continued(left(material()), TAKEN)),
    is_silent(
        "CONTINUE.4", "it is read", beside(step(READ, HANDED, read(HANDED, USED)), left(material(fresh=0)), **READABLE)
    ),
    accepts(
        "CONTINUE.5",
        "a summary of what may be read",
        continued(left(material(), SUMMED_UP), admitted(handed(), handed(SUMMARY)), may_read=readers("web", "notes")),
    ),
    accepts(
        "CONTINUE.5",
        "only what may still be read",
        continued(left(material(), material(SUMMARY, "notes")), admitted(handed(SUMMARY)), may_read=readers("notes")),
    ),
    accepts(
        "CONTINUE.5",
        "a finding refused that nobody may read",
        beside(nothing(READ, HANDED, NOT_READABLE), left(material())),
    ),
    accepts(
        "CONTINUE.5",
        "a summary refused, since nobody may read all of it",
        beside(
            nothing(read_material(SUMMARY), working(handed(SUMMARY)), NOT_READABLE),
            left(material(), SUMMED_UP),
            readers=(*readers("web"), *readers("notes", user=UserId("other"))),
        ),
    ),
    rejects(
        "CONTINUE.5", "a finding whose grant was revoked", continued(left(material()), admitted(handed()), may_read=())
    ),
    rejects(
        "CONTINUE.5",
        "a summary of what may not be read",
        continued(left(material(), SUMMED_UP), admitted(handed(SUMMARY)), may_read=readers("notes")),
    ),
    rejects(
        "CONTINUE.5",
        "a summary of a summary of it",
        continued(
            left(material(), SUMMED_UP, material(MaterialId("digest"), "notes", derived_from=(SUMMARY,))),
            admitted(handed(MaterialId("digest"))),
            may_read=readers("notes"),
        ),
    ),
    rejects(
        "CONTINUE.5",
        "two summaries that derive from each other and from it",
        continued(
            left(material(derived_from=(SUMMARY,)), SUMMED_UP),
            admitted(handed(SUMMARY)),
            may_read=readers("notes"),
        ),
    ),
    rejects(
        "CONTINUE.5",
        "a finding read that nobody may read",
        beside(step(READ, HANDED, read(HANDED, USED)), left(material())),
    ),
    rejects(
        "CONTINUE.5",
        "the same unheard",
        beside(step(READ, HANDED, read(HANDED, USED), LOST), left(material())),
    ),
    rejects(
        "CONTINUE.5",
        "a summary read of which nobody may read all",
        beside(
            step(
                read_material(SUMMARY),
                working(handed(SUMMARY)),
                read(working(handed(SUMMARY)), handed(SUMMARY, reads=1), name=SUMMARY),
            ),
            left(material(), SUMMED_UP),
            readers=readers("notes"),
        ),
    ),
    is_silent("CONTINUE.5", "nothing is handed over", continued()),
    is_silent(
        "CONTINUE.5",
        "somebody may read it",
        beside(step(READ, HANDED, read(HANDED, USED)), left(material()), **READABLE),
    ),
    is_silent("CONTINUE.5", "it was not handed over", nothing(READ, working(), refused(Reason.NO_SUCH_MATERIAL))),
    is_silent("CONTINUE.5", "the reader never arrived", beside(nothing(READ, HANDED, LOST), left(material()))),
    is_silent("CONTINUE.5", "it was read before", beside(nothing(READ, HANDED, DONE, repeats=DONE), left(material()))),
    is_silent("CONTINUE.5", "a body is published", nothing(publish(), HANDED, LOST)),
    accepts(
        "CONTINUE.6",
        "a judgement called one",
        continued(left(material(judgement=True)), admitted(handed(label=JUDGEMENT))),
    ),
    accepts(
        "CONTINUE.6",
        "an old judgement called stale",
        continued(left(material(judgement=True, fresh=0)), admitted(handed(label=STALE))),
    ),
    rejects("CONTINUE.6", "a judgement called current", continued(left(material(judgement=True)), admitted(handed()))),
    rejects(
        "CONTINUE.6",
        "the same unheard",
        continued(left(material(judgement=True)), admitted(handed()), LOST),
    ),
    rejects(
        "CONTINUE.6", "a finding called a judgement", continued(left(material()), admitted(handed(label=JUDGEMENT)))
    ),
    rejects(
        "CONTINUE.6",
        "a judgement handed on as current",
        continued(
            left(inherited=(handed(run=FIRST, label=JUDGEMENT),)),
            admitted(handed(run=FIRST)),
            DONE,
            replace(left(material(judgement=True)), run=FIRST),
        ),
    ),
    is_silent("CONTINUE.6", "nothing is a judgement", continued(left(material()), admitted(handed()))),
    is_silent("CONTINUE.6", "it is refused", not_continued(left(material(judgement=True)), TAKEN)),
    is_silent("CONTINUE.6", "a body is published", nothing(publish(), HANDED, LOST)),
    accepts("CONTINUE.7", "one more use", beside(step(READ, HANDED, read(HANDED, USED)), left(material()), **READABLE)),
    accepts(
        "CONTINUE.7",
        "another use of one of two, unheard",
        beside(
            step(READ, working(USED, handed(SUMMARY)), read(working(), handed(reads=2), handed(SUMMARY)), LOST),
            left(material(), material(SUMMARY)),
            **READABLE,
        ),
    ),
    rejects("CONTINUE.7", "a source that is asked again", step(READ, HANDED, read(HANDED, USED), truth=truth())),
    rejects("CONTINUE.7", "a call that is born", step(READ, HANDED, read(HANDED, USED, calls=(call(),)))),
    rejects("CONTINUE.7", "a material computed again", step(READ, HANDED, read(HANDED, USED, materials=(material(),)))),
    rejects("CONTINUE.7", "a label that changes", step(READ, HANDED, read(HANDED, handed(label=STALE, reads=1)))),
    rejects("CONTINUE.7", "a cost", step(READ, HANDED, read(HANDED, USED, known_cents=1))),
    rejects("CONTINUE.7", "the same unheard", step(READ, HANDED, read(HANDED, USED, known_cents=1), LOST)),
    rejects("CONTINUE.7", "a use that is not counted", step(READ, HANDED, read(HANDED, handed()))),
    rejects("CONTINUE.7", "a use counted twice", step(READ, HANDED, read(HANDED, handed(reads=2)))),
    rejects("CONTINUE.7", "a use that is not told", step(READ, HANDED, working(USED))),
    rejects("CONTINUE.7", "a use told of another", step(READ, HANDED, read(HANDED, USED, name=SUMMARY))),
    rejects("CONTINUE.7", "a use of nothing", nothing(READ, HANDED, DONE)),
    rejects(
        "CONTINUE.7",
        "a use counted for another",
        step(READ, working(handed(), handed(SUMMARY)), read(working(), handed(), handed(SUMMARY, reads=1))),
    ),
    is_silent("CONTINUE.7", "it is refused", nothing(READ, HANDED, NOT_READABLE)),
    is_silent("CONTINUE.7", "it was read before", nothing(READ, HANDED, DONE, repeats=DONE)),
    is_silent("CONTINUE.7", "a body is published", nothing(publish(), HANDED, LOST)),
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
