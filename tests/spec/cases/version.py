"""Releases roll while runs wait."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    LATEST,
    ArrivalView,
    Branch,
    BundleId,
    BundleView,
    Cause,
    Claim,
    Continue,
    Contract,
    Done,
    EndMigration,
    EntryPoint,
    EventType,
    Evidence,
    LookUp,
    MarkerView,
    Migrate,
    Outcome,
    Reason,
    Refused,
    Restarted,
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
    PAY,
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
    over,
    publish,
    refused,
    rejects,
    run,
    step,
    then,
    truth,
    unknown,
)

RETIRE_OLD, RETIRE_NEW = Retire(ID, OLD), Retire(ID, NEW)
MIGRATE, END_MIGRATION = Migrate(ID), EndMigration(ID)
CONTINUE = Continue(ID, RUN, RunId("source"), UserId("user"), Contract.SETTLE, 10)
SPAWN = Spawn(ID, RUN, run().fence, SpawnId("spawn"), RunId("child"), 5)
LOOK_UP = LookUp(ID, RUN, PAY)
RESTARTED = Restarted()
NO_SUCH_BUNDLE, UNSUPPORTED = refused(Reason.NO_SUCH_BUNDLE), refused(Reason.UNSUPPORTED_BUNDLE)

RUNNING, QUEUED, ENDED = run(), run(RunState.QUEUED), run(RunState.SUCCEEDED)
QUEUED_NEW, RUNNING_NEW = replace(QUEUED, bundle=NEW), replace(RUNNING, bundle=NEW)
CLAIMED = then(QUEUED, EventType.GRANTED, state=RunState.RUNNING, fence=1, lease_left_seconds=30)
LAPSED = lapsed(contract=Contract.RESUME)
RESUMED = then(LAPSED, EventType.GRANTED, by=EntryPoint.RECOVER, fence=2, lease_left_seconds=30)
CHILD = replace(run(RunState.QUEUED, name=RunId("child")), parent=RUN)
TOOK_OLD, TOOK_NEW = MarkerView(MARKER, Branch.OLD), MarkerView(MARKER, Branch.NEW)
# Under resume, where a grant by a wake is not the only one that needs no admission.
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
UNDER_NEW = replace(WAITS, bundle=NEW)
REWRITTEN = replace(WAITS, waits=(waiting(state=WaitState.ACCEPTED, bundle=NEW),))
SENT, SECOND = run(calls=(unknown(),)), run(name=RunId("second"))
CONFIRMED, UNSURE = Done(evidence=Evidence.CONFIRMED), Done(evidence=Evidence.AMBIGUOUS)
NEEDED_BY_RUN = Refused(Reason.BUNDLE_NEEDED, (RUN,))
UNSUPPORTED_SCHEMA, OLD_LIVES = refused(Reason.UNSUPPORTED_SCHEMA), refused(Reason.OLD_WORKER_LIVE)
MIGRATING, NOT_MIGRATING = refused(Reason.MIGRATING), refused(Reason.NOT_MIGRATING)


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


def retires(before: RunView | None, after: RunView | None = None, outcome: Outcome = DONE) -> Step:
    """The old bundle is retired."""
    unchanged = step(RETIRE_OLD, before, after or before, outcome)
    return becoming(seen(unchanged, bundles=BOTH_SERVED), bundles=retired(OLD))


def marks(branch: Branch, before: RunView, *views: MarkerView, outcome: Outcome = DONE) -> Step:
    """A run records the branch that it takes, while both bundles are served."""
    after = then(before, (EventType.MARKED, MARKER), markers=(*before.markers, *views))
    return seen(step(mark(branch), before, after, outcome), bundles=BOTH_SERVED)


def migrates(
    cause: Cause,
    before: tuple[int, int],
    after: tuple[int, int],
    run: RunView | None = RUNNING,
    outcome: Outcome = DONE,
) -> Step:
    return becoming(seen(step(cause, run, run, outcome), schema=before), schema=after)


def claims(schema: int, outcome: Outcome, served: tuple[int, int]) -> Step:
    """A worker of this schema claims, and is granted the run unless it is refused."""
    after = QUEUED if isinstance(outcome, Refused) else CLAIMED
    return seen(step(Claim(ID, RUN, WORKER, schema=schema), QUEUED, after, outcome), schema=served)


def looked_up(outcome: Outcome, *, releases: int = 2, acts: int = 1, repeats: Outcome | None = None) -> Step:
    """The tool is asked about an operation, after so many releases of it."""
    really = replace(truth(acts=acts), tool_release=releases)
    return replace(nothing(LOOK_UP, SENT, outcome, repeats=repeats), truth_before=really, truth=really)


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
    is_silent("VERSION.3", "a release is malformed", nothing(deploy(OLD), None, refused(Reason.MALFORMED))),
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

WAITED = [
    accepts("VERSION.5", "a wait through an upgrade", deploys(WAITS)),
    accepts(
        "VERSION.5",
        "a wait through a roll-back",
        becoming(seen(step(RETIRE_NEW, WAITS, WAITS), bundles=BOTH_SERVED), bundles=retired(NEW)),
    ),
    accepts("VERSION.5", "a wait through a migration", migrates(MIGRATE, (1, 1), (1, 2), WAITS)),
    accepts("VERSION.5", "a wait through the end of a migration", migrates(END_MIGRATION, (1, 2), (2, 2), WAITS)),
    accepts("VERSION.5", "a wait through a restart", nothing(RESTARTED, WAITS, DONE)),
    accepts("VERSION.5", "a wake along its own branch", step(wake(OLD), WAITS, WOKEN, granted(2))),
    accepts("VERSION.5", "a wake by a newer release that is refused", nothing(wake(NEW), WAITS, UNSUPPORTED)),
    rejects(
        "VERSION.5",
        "an upgrade that moves a waiting run along",
        becoming(step(deploy(), WAITS, UNDER_NEW), bundles=BOTH_SERVED),
    ),
    rejects(
        "VERSION.5", "an upgrade that changes its branch", becoming(step(deploy(), WAITS, ASTRAY), bundles=BOTH_SERVED)
    ),
    rejects(
        "VERSION.5",
        "an upgrade that rewrites its checkpoint",
        becoming(step(deploy(), WAITS, REWRITTEN), bundles=BOTH_SERVED),
    ),
    rejects("VERSION.5", "an upgrade that loses the run", becoming(step(deploy(), WAITS, None), bundles=BOTH_SERVED)),
    rejects(
        "VERSION.5",
        "a roll-back that moves a waiting run",
        step(RETIRE_NEW, replace(UNDER_NEW, waits=REWRITTEN.waits), WAITS),
    ),
    rejects("VERSION.5", "a restart after which it takes the other branch", step(RESTARTED, WAITS, ASTRAY)),
    rejects("VERSION.5", "a migration that loses a checkpoint", step(MIGRATE, WAITS, replace(WAITS, waits=()))),
    rejects("VERSION.5", "a wake by a newer release", step(wake(NEW), WAITS, WOKEN, granted(2))),
    rejects("VERSION.5", "an unheard wake by a newer release", step(wake(NEW), WAITS, WOKEN, LOST)),
    rejects(
        "VERSION.5",
        "a wake that goes on along the other branch",
        step(wake(OLD), WAITS, replace(WOKEN, markers=(TOOK_NEW,)), granted(2)),
    ),
    rejects("VERSION.5", "a wake that goes on under another bundle", step(wake(OLD), WAITS, under(WOKEN), granted(2))),
    rejects(
        "VERSION.5",
        "a wake by a newer release, refused, that ends the run",
        step(wake(NEW), WAITS, over(WAITS, RunState.FAILED, EventType.ENDED), UNSUPPORTED),
    ),
    rejects("VERSION.5", "a run whose checkpoint is of another bundle", nothing(RESTARTED, REWRITTEN, DONE)),
    is_silent("VERSION.5", "nobody waits", deploys(RUNNING)),
    is_silent("VERSION.5", "a wake was never heard of", nothing(wake(NEW), WAITS, LOST)),
]

NEEDED = [
    accepts("VERSION.6", "a bundle that nobody needs", retires(ENDED)),
    accepts("VERSION.6", "a bundle that nobody needs, unheard", retires(ENDED, outcome=LOST)),
    accepts("VERSION.6", "a bundle whose runs are on another", retires(RUNNING_NEW)),
    accepts("VERSION.6", "a needed bundle that is refused", nothing(RETIRE_OLD, WAITS, NEEDED_BY_RUN)),
    accepts("VERSION.6", "a bundle that a sealed run needs", nothing(RETIRE_OLD, run(RunState.UNKNOWN), NEEDED_BY_RUN)),
    rejects("VERSION.6", "a bundle retired under a waiting run", retires(WAITS)),
    rejects("VERSION.6", "a bundle retired under a sealed run", retires(run(RunState.UNKNOWN))),
    rejects("VERSION.6", "a bundle retired unheard under a run", retires(QUEUED, outcome=LOST)),
    rejects("VERSION.6", "a retirement that touches a run", retires(ENDED, under(ENDED))),
    rejects("VERSION.6", "a retirement that is done and is none", nothing(RETIRE_OLD, ENDED, DONE)),
    rejects("VERSION.6", "a retirement of another bundle", becoming(retires(ENDED), bundles=retired(NEW))),
    rejects("VERSION.6", "a retirement of a bundle nobody knows", nothing(RETIRE_NEW, ENDED, DONE)),
    rejects("VERSION.6", "a refusal that lists nobody", nothing(RETIRE_OLD, WAITS, refused(Reason.BUNDLE_NEEDED))),
    rejects(
        "VERSION.6",
        "a refusal that lists others",
        nothing(RETIRE_OLD, WAITS, Refused(Reason.BUNDLE_NEEDED, (RunId("x"),))),
    ),
    rejects(
        "VERSION.6",
        "a refusal that lists only one of two",
        step(RETIRE_OLD, WAITS, WAITS, NEEDED_BY_RUN, others=(SECOND, SECOND)),
    ),
    rejects("VERSION.6", "a refusal though nobody needs it", nothing(RETIRE_OLD, ENDED, NEEDED_BY_RUN)),
    is_silent("VERSION.6", "there is no such bundle", nothing(RETIRE_NEW, ENDED, NO_SUCH_BUNDLE)),
    is_silent("VERSION.6", "a release is deployed", deploys(WAITS)),
]

LOOKUPS = [
    accepts("VERSION.7", "an operation found by the tool's second release", looked_up(CONFIRMED)),
    accepts("VERSION.7", "an operation found by the release that did it", looked_up(CONFIRMED, releases=1)),
    rejects("VERSION.7", "an operation the new release does not find", looked_up(Done(evidence=Evidence.NOT_FOUND))),
    rejects("VERSION.7", "an operation the new release is unsure of", looked_up(Done(evidence=Evidence.AMBIGUOUS))),
    rejects("VERSION.7", "a look-up that says nothing", looked_up(DONE)),
    rejects("VERSION.7", "an operation the new release does not know", looked_up(refused(Reason.NO_SUCH_CALL))),
    is_silent("VERSION.7", "the operation never took effect", looked_up(Done(evidence=Evidence.AMBIGUOUS), acts=0)),
    is_silent(
        "VERSION.7", "nothing is known of the operation", nothing(LOOK_UP, RUNNING, refused(Reason.NO_SUCH_CALL))
    ),
    is_silent("VERSION.7", "the answer is lost", looked_up(LOST)),
    is_silent("VERSION.7", "the first answer is read again", looked_up(UNSURE, repeats=UNSURE)),
]

SCHEMAS = [
    accepts("VERSION.8", "an old worker while the schema migrates", claims(1, granted(1), (1, 2))),
    accepts("VERSION.8", "a new worker while the schema migrates", claims(2, granted(1), (1, 2))),
    accepts("VERSION.8", "a new worker before it, refused", claims(2, UNSUPPORTED_SCHEMA, (1, 1))),
    accepts("VERSION.8", "an old worker after it, refused", claims(1, UNSUPPORTED_SCHEMA, (2, 2))),
    rejects("VERSION.8", "an old worker refused while the schema migrates", claims(1, UNSUPPORTED_SCHEMA, (1, 2))),
    rejects("VERSION.8", "a new worker refused while the schema migrates", claims(2, UNSUPPORTED_SCHEMA, (1, 2))),
    rejects("VERSION.8", "a new worker served before it", claims(2, granted(1), (1, 1))),
    rejects("VERSION.8", "an old worker served after it", claims(1, granted(1), (2, 2))),
    rejects("VERSION.8", "an old worker served after it, unheard", claims(1, LOST, (2, 2))),
    accepts("VERSION.8", "a migration that begins under a live lease", migrates(MIGRATE, (1, 1), (1, 2))),
    accepts(
        "VERSION.8", "a migration that ends under a live lease of the new", migrates(END_MIGRATION, (1, 2), (2, 2))
    ),
    accepts("VERSION.8", "a second migration at once, refused", migrates(MIGRATE, (1, 2), (1, 2), outcome=MIGRATING)),
    accepts("VERSION.8", "an end without a beginning, refused", nothing(END_MIGRATION, RUNNING, NOT_MIGRATING)),
    accepts(
        "VERSION.8", "an end refused as an old worker lives", migrates(END_MIGRATION, (1, 2), (1, 2), outcome=OLD_LIVES)
    ),
    rejects("VERSION.8", "a migration that drops the old at once", migrates(MIGRATE, (1, 1), (2, 2))),
    rejects("VERSION.8", "a migration on a migration", migrates(MIGRATE, (1, 2), (1, 3))),
    rejects("VERSION.8", "a migration that does not end", migrates(END_MIGRATION, (1, 2), (1, 2))),
    rejects("VERSION.8", "an end that goes back", migrates(END_MIGRATION, (1, 2), (1, 1))),
    rejects("VERSION.8", "an end without a beginning", migrates(END_MIGRATION, (1, 1), (1, 1))),
    rejects("VERSION.8", "a beginning said to be under way", migrates(MIGRATE, (1, 1), (1, 1), outcome=MIGRATING)),
    rejects(
        "VERSION.8", "an end said to have no beginning", migrates(END_MIGRATION, (1, 2), (1, 2), outcome=NOT_MIGRATING)
    ),
    rejects(
        "VERSION.8", "an end refused though nobody works", migrates(END_MIGRATION, (1, 2), (1, 2), QUEUED, OLD_LIVES)
    ),
    rejects("VERSION.8", "an end of nothing refused for a lease", nothing(END_MIGRATION, RUNNING, OLD_LIVES)),
    rejects(
        "VERSION.8",
        "an end that takes a lease away",
        becoming(migrates(END_MIGRATION, (1, 2), (2, 2)), runs=(replace(RUNNING, lease_left_seconds=None),)),
    ),
    rejects(
        "VERSION.8",
        "a beginning that takes a lease away",
        becoming(migrates(MIGRATE, (1, 1), (1, 2)), runs=(lapsed(),)),
    ),
    is_silent("VERSION.8", "a claim is refused for another reason", nothing(CLAIM, ENDED, refused(Reason.NOT_QUEUED))),
    is_silent("VERSION.8", "a claim's answer was lost", nothing(CLAIM, QUEUED, LOST)),
    is_silent("VERSION.8", "the beginning was never heard of", nothing(MIGRATE, RUNNING, LOST)),
]

CASES = [*PINS, *SUPPORT, *REPLAYED, *BRANCHES, *WAITED, *NEEDED, *LOOKUPS, *SCHEMAS]
