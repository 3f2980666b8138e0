"""Releases roll while runs wait."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    LATEST,
    ArrivalView,
    Branch,
    BundleId,
    BundleView,
    Continue,
    Contract,
    EntryPoint,
    EventType,
    MarkerView,
    Outcome,
    Reason,
    Retire,
    RunId,
    RunState,
    RunView,
    Spawn,
    SpawnId,
    Step,
    UserId,
    WaitState,
)

from ..approving import BOTH_SERVED, LATER, MARKER, NEW, OLD, becoming, deploy, mark, seen, waiting, waiting_run, wake
from ..continuing import admitted, left
from ..steps import (
    CLAIM,
    DONE,
    ID,
    LOST,
    OBSERVE,
    RECOVER,
    RUN,
    SUBMIT,
    WORKER,
    WORKER_RAN,
    accepts,
    body,
    granted,
    is_silent,
    lapsed,
    nothing,
    publish,
    refused,
    rejects,
    run,
    step,
    then,
)

RETIRE_OLD, RETIRE_NEW = Retire(ID, OLD), Retire(ID, NEW)

CONTINUE = Continue(ID, RUN, RunId("source"), UserId("user"), Contract.SETTLE, 10)

SPAWN = Spawn(ID, RUN, run().fence, SpawnId("spawn"), RunId("child"), 5)

NO_SUCH_BUNDLE, UNSUPPORTED = refused(Reason.NO_SUCH_BUNDLE), refused(Reason.UNSUPPORTED_BUNDLE)

RUNNING, QUEUED, ENDED = run(), run(RunState.QUEUED), run(RunState.SUCCEEDED)

QUEUED_NEW, RUNNING_NEW = replace(QUEUED, bundle=NEW), replace(RUNNING, bundle=NEW)

CLAIMED = then(QUEUED, EventType.GRANTED, state=RunState.RUNNING, fence=1, lease_left_seconds=30)

LAPSED = lapsed(contract=Contract.RESUME)

RESUMED = then(LAPSED, EventType.GRANTED, by=EntryPoint.RECOVER, fence=2, lease_left_seconds=30)

CHILD = replace(run(RunState.QUEUED, name=RunId("child")), parent=RUN)

TOOK_OLD, TOOK_NEW = MarkerView(MARKER, Branch.OLD), MarkerView(MARKER, Branch.NEW)

WAITS = waiting_run(
    waiting(state=WaitState.ACCEPTED),
    contract=Contract.RESUME,
    markers=(TOOK_OLD,),
    arrivals=(ArrivalView(LATER, 1, "news"),),
)

WOKEN = then(
    WAITS,
    (EventType.GRANTED, LATER),
    by=EntryPoint.WAKE,
    state=RunState.RUNNING,
    fence=2,
    worker=WORKER,
    lease_left_seconds=30,
    waits=(replace(WAITS.waits[0], state=WaitState.CONSUMED),),
)

ASTRAY = replace(WAITS, markers=(TOOK_NEW,))


def under(run: RunView) -> RunView:
    """The same run, pinned to the new bundle."""
    return replace(run, bundle=NEW)


def submits(run: RunView, bundle: BundleId = LATEST, bundles: tuple[BundleView, ...] = BOTH_SERVED) -> Step:
    return seen(step(replace(SUBMIT, bundle=bundle), None, run), bundles=bundles)


def retired(*bundles: BundleId) -> tuple[BundleView, ...]:
    """Both bundles, of which these are retired."""
    return tuple(replace(view, is_retired=view.bundle in bundles) for view in BOTH_SERVED)


def deploys(run: RunView | None = None, outcome: Outcome = DONE, **asked: int) -> Step:
    """A new bundle comes to be served."""
    return becoming(step(deploy(**asked), run, run, outcome), bundles=BOTH_SERVED)


def marks(branch: Branch, before: RunView, *views: MarkerView, outcome: Outcome = DONE) -> Step:
    """A run records the branch that it takes, while both bundles are served."""
    after = then(before, (EventType.MARKED, MARKER), markers=(*before.markers, *views))
    return seen(step(mark(branch), before, after, outcome), bundles=BOTH_SERVED)


PINS = [
    accepts("VERSION.1", "an admission to the latest bundle", submits(QUEUED_NEW)),
    accepts("VERSION.1", "an admission to the bundle it names", submits(QUEUED, OLD)),
    accepts("VERSION.1", "an admission to the latest that is not retired", submits(QUEUED, bundles=retired(NEW))),
    accepts(
        "VERSION.1",
        "a continuation on the latest bundle",
        seen(
            step(CONTINUE, None, replace(admitted(), bundle=NEW), others=(left(), left())),
            bundles=BOTH_SERVED,
        ),
    ),
    accepts(
        "VERSION.1", "an unknown bundle that is refused", nothing(replace(SUBMIT, bundle=NEW), None, NO_SUCH_BUNDLE)
    ),
    accepts(
        "VERSION.1",
        "a retired bundle that is refused",
        seen(nothing(replace(SUBMIT, bundle=NEW), None, NO_SUCH_BUNDLE), bundles=retired(NEW)),
    ),
    accepts("VERSION.1", "a retirement of nothing that is refused", nothing(RETIRE_NEW, None, NO_SUCH_BUNDLE)),
    accepts(
        "VERSION.1",
        "work that stays with its bundle",
        step(publish(), RUNNING_NEW, then(RUNNING_NEW, EventType.PUBLISHED, publications=(body(),))),
    ),
    accepts("VERSION.1", "a bundle that comes to be served", deploys()),
    rejects("VERSION.1", "an admission to an older bundle than the latest", submits(QUEUED)),
    rejects("VERSION.1", "an admission to another bundle than it names", submits(QUEUED_NEW, OLD)),
    rejects("VERSION.1", "an admission to a selector", submits(replace(QUEUED, bundle=LATEST))),
    rejects("VERSION.1", "an admission to a retired bundle", submits(QUEUED_NEW, NEW, retired(NEW))),
    rejects("VERSION.1", "an admission to a bundle nobody knows", submits(QUEUED_NEW, NEW, BOTH_SERVED[:1])),
    rejects(
        "VERSION.1", "a continuation that keeps an old bundle", seen(step(CONTINUE, None, QUEUED), bundles=BOTH_SERVED)
    ),
    rejects(
        "VERSION.1",
        "a child under another bundle than its parent",
        seen(becoming(step(SPAWN, RUNNING_NEW, None), runs=(RUNNING_NEW, CHILD)), bundles=BOTH_SERVED),
    ),
    rejects("VERSION.1", "a served bundle said to be unknown", nothing(SUBMIT, None, NO_SUCH_BUNDLE)),
    rejects("VERSION.1", "a known bundle that cannot be retired as unknown", nothing(RETIRE_OLD, None, NO_SUCH_BUNDLE)),
    rejects("VERSION.1", "work that moves its run to another bundle", step(publish(), RUNNING, RUNNING_NEW)),
    rejects(
        "VERSION.1",
        "a release that moves a run along",
        becoming(step(deploy(), RUNNING, RUNNING_NEW), bundles=BOTH_SERVED),
    ),
    rejects(
        "VERSION.1",
        "a release that exchanges what a bundle holds",
        becoming(step(deploy(), None, None), bundles=(BundleView(OLD, (MARKER,)), BOTH_SERVED[1])),
    ),
    rejects(
        "VERSION.1",
        "a release that replaces another",
        becoming(step(deploy(), None, None), bundles=BOTH_SERVED[1:]),
    ),
    rejects(
        "VERSION.1",
        "a retirement that loses a bundle",
        becoming(seen(step(RETIRE_NEW, None, None), bundles=BOTH_SERVED), bundles=BOTH_SERVED[:1]),
    ),
    rejects(
        "VERSION.1",
        "a retired bundle that comes back",
        becoming(seen(step(deploy(OLD), None, None), bundles=retired(OLD)), bundles=BOTH_SERVED),
    ),
    rejects(
        "VERSION.1",
        "a release called by a selector",
        becoming(step(deploy(LATEST), None, None), bundles=(*BOTH_SERVED[:1], BundleView(LATEST, (MARKER,)))),
    ),
    is_silent("VERSION.1", "nothing changes", nothing(OBSERVE, RUNNING, DONE)),
    is_silent("VERSION.1", "an admission is refused", nothing(SUBMIT, RUNNING, refused(Reason.RUN_EXISTS))),
]

SUPPORT = [
    accepts("VERSION.2", "a claim by a worker that supports it", step(CLAIM, QUEUED, CLAIMED, granted(1))),
    accepts("VERSION.2", "a claim that is refused for its bundle", nothing(CLAIM, QUEUED_NEW, UNSUPPORTED)),
    accepts("VERSION.2", "a wake by a worker that supports it", step(wake(NEW, OLD), WAITS, WOKEN, granted(2))),
    accepts("VERSION.2", "a wake that is refused for its bundle", nothing(wake(NEW), WAITS, UNSUPPORTED)),
    accepts("VERSION.2", "a recovery that is refused for its bundle", nothing(RECOVER, under(LAPSED), UNSUPPORTED)),
    rejects("VERSION.2", "a claim of what it does not support", step(CLAIM, QUEUED_NEW, under(CLAIMED), granted(1))),
    rejects("VERSION.2", "an unheard claim of what it does not support", step(CLAIM, QUEUED_NEW, under(CLAIMED), LOST)),
    rejects("VERSION.2", "a wake of what it does not support", step(wake(NEW), WAITS, WOKEN, granted(2))),
    rejects("VERSION.2", "a recovery by who does not support it", step(RECOVER, under(LAPSED), under(RESUMED))),
    rejects("VERSION.2", "a supported bundle that is refused", nothing(CLAIM, QUEUED, UNSUPPORTED)),
    rejects("VERSION.2", "a wake that is refused although supported", nothing(wake(OLD), WAITS, UNSUPPORTED)),
    is_silent("VERSION.2", "a claim is refused for another reason", nothing(CLAIM, ENDED, refused(Reason.NOT_QUEUED))),
    is_silent("VERSION.2", "recovery grants nothing", nothing(RECOVER, under(LAPSED), refused(Reason.LEASE_LIVE))),
]

REPLAYED = [
    accepts("VERSION.3", "a release that was replayed", deploys()),
    accepts("VERSION.3", "a release that was replayed, unheard", deploys(outcome=LOST)),
    accepts("VERSION.3", "a release that diverged", nothing(deploy(diverged=1), None, refused(Reason.DIVERGED))),
    accepts("VERSION.3", "a release never replayed", nothing(deploy(replayed=0), None, refused(Reason.NOT_REPLAYED))),
    rejects("VERSION.3", "a release that serves though it diverged", deploys(diverged=1)),
    rejects("VERSION.3", "a release that serves and was never replayed", deploys(replayed=0)),
    rejects("VERSION.3", "an unheard release that diverged", deploys(outcome=LOST, diverged=1)),
    rejects(
        "VERSION.3",
        "a second release of one name beside the first",
        becoming(seen(step(deploy(), None, None), bundles=BOTH_SERVED), bundles=(*BOTH_SERVED, BOTH_SERVED[1])),
    ),
    rejects("VERSION.3", "a release that is done and serves nothing", nothing(deploy(), None, DONE)),
    rejects("VERSION.3", "a second release of one name", seen(nothing(deploy(), None, DONE), bundles=BOTH_SERVED)),
    rejects(
        "VERSION.3", "a release without its markers", becoming(deploys(), bundles=(BOTH_SERVED[0], BundleView(NEW)))
    ),
    rejects("VERSION.3", "a release that touches a run", becoming(step(deploy(), WAITS, ASTRAY), bundles=BOTH_SERVED)),
    rejects("VERSION.3", "a release said to diverge that did not", nothing(deploy(), None, refused(Reason.DIVERGED))),
    rejects("VERSION.3", "a replayed release said not to be", nothing(deploy(), None, refused(Reason.NOT_REPLAYED))),
    is_silent("VERSION.3", "a release is there already", nothing(deploy(OLD), None, refused(Reason.BUNDLE_EXISTS))),
]

BRANCHES = [
    accepts("VERSION.4", "an old run that takes the old branch", marks(Branch.OLD, RUNNING, TOOK_OLD)),
    accepts("VERSION.4", "a new run that takes the new branch", marks(Branch.NEW, RUNNING_NEW, TOOK_NEW)),
    accepts("VERSION.4", "a branch that is taken unheard", marks(Branch.OLD, RUNNING, TOOK_OLD, outcome=LOST)),
    accepts(
        "VERSION.4",
        "the wrong branch that is refused",
        seen(nothing(mark(Branch.NEW), RUNNING, refused(Reason.WRONG_BRANCH)), bundles=BOTH_SERVED),
    ),
    accepts(
        "VERSION.4", "the same branch again", nothing(mark(Branch.OLD), replace(RUNNING, markers=(TOOK_OLD,)), DONE)
    ),
    accepts("VERSION.4", "a wake that keeps the branch", step(wake(OLD), WAITS, WOKEN, granted(2))),
    accepts(
        "VERSION.4",
        "a worker process that takes it",
        replace(marks(Branch.OLD, RUNNING, TOOK_OLD), cause=WORKER_RAN, outcome=None),
    ),
    rejects("VERSION.4", "an old run that takes the new branch", marks(Branch.NEW, RUNNING, TOOK_NEW)),
    rejects("VERSION.4", "a new run that takes the old branch", marks(Branch.OLD, RUNNING_NEW, TOOK_OLD)),
    rejects(
        "VERSION.4", "an old run that takes the new one unheard", marks(Branch.NEW, RUNNING, TOOK_NEW, outcome=LOST)
    ),
    rejects("VERSION.4", "another branch recorded than was taken", marks(Branch.OLD, RUNNING, TOOK_NEW)),
    rejects("VERSION.4", "a branch that is done and not recorded", nothing(mark(Branch.OLD), RUNNING, DONE)),
    rejects("VERSION.4", "a branch that is recorded twice", marks(Branch.OLD, RUNNING, TOOK_OLD, TOOK_OLD)),
    rejects(
        "VERSION.4", "another marker with it", marks(Branch.OLD, RUNNING, TOOK_OLD, MarkerView("another", Branch.OLD))
    ),
    rejects(
        "VERSION.4",
        "the right branch that is refused",
        nothing(mark(Branch.OLD), RUNNING, refused(Reason.WRONG_BRANCH)),
    ),
    rejects(
        "VERSION.4", "work that takes a branch in passing", step(publish(), RUNNING, then(RUNNING, markers=(TOOK_OLD,)))
    ),
    rejects("VERSION.4", "a wake that changes the branch", step(wake(OLD), WAITS, replace(WOKEN, markers=(TOOK_NEW,)))),
    rejects(
        "VERSION.4",
        "a worker process that forgets its branch",
        step(WORKER_RAN, replace(RUNNING, markers=(TOOK_OLD,)), then(RUNNING, EventType.PUBLISHED)),
    ),
    rejects(
        "VERSION.4",
        "a worker process that takes the wrong branch",
        replace(marks(Branch.NEW, RUNNING, TOOK_NEW), cause=WORKER_RAN, outcome=None),
    ),
    is_silent("VERSION.4", "no branch was ever taken", step(CLAIM, QUEUED, CLAIMED, granted(1))),
    is_silent(
        "VERSION.4", "a branch is told too late", nothing(mark(Branch.OLD), RUNNING, refused(Reason.STALE_FENCE))
    ),
]

CASES = [*PINS, *SUPPORT, *REPLAYED, *BRANCHES]
