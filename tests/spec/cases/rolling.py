"""Releases roll while runs wait, bundles are needed, tools are asked and tables migrate."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    Cause,
    Claim,
    Done,
    EndMigration,
    EventType,
    Evidence,
    LookUp,
    Migrate,
    Outcome,
    Reason,
    Refused,
    Restarted,
    RunId,
    RunState,
    RunView,
    Step,
    WaitState,
)

from ..approving import BOTH_SERVED, NEW, OLD, becoming, deploy, seen, waiting, wake
from ..steps import (
    CLAIM,
    DONE,
    ID,
    LOST,
    PAY,
    RUN,
    WORKER,
    accepts,
    granted,
    is_silent,
    lapsed,
    nothing,
    over,
    refused,
    rejects,
    run,
    step,
    truth,
    unknown,
)
from .version import (
    ASTRAY,
    CLAIMED,
    ENDED,
    NO_SUCH_BUNDLE,
    QUEUED,
    RETIRE_NEW,
    RETIRE_OLD,
    RUNNING,
    RUNNING_NEW,
    TOOK_NEW,
    UNSUPPORTED,
    WAITS,
    WOKEN,
    deploys,
    retired,
    under,
)

MIGRATE, END_MIGRATION = Migrate(ID), EndMigration(ID)

LOOK_UP = LookUp(ID, RUN, PAY)

RESTARTED = Restarted()

UNDER_NEW = replace(WAITS, bundle=NEW)

REWRITTEN = replace(WAITS, waits=(waiting(state=WaitState.ACCEPTED, bundle=NEW),))

SENT, SECOND = run(calls=(unknown(),)), run(name=RunId("second"))

CONFIRMED, UNSURE = Done(evidence=Evidence.CONFIRMED), Done(evidence=Evidence.AMBIGUOUS)

NEEDED_BY_RUN = Refused(Reason.BUNDLE_NEEDED, (RUN,))

UNSUPPORTED_SCHEMA, OLD_LIVES = refused(Reason.UNSUPPORTED_SCHEMA), refused(Reason.OLD_WORKER_LIVE)

MIGRATING, NOT_MIGRATING = refused(Reason.MIGRATING), refused(Reason.NOT_MIGRATING)


def retires(before: RunView | None, after: RunView | None = None, outcome: Outcome = DONE) -> Step:
    """The old bundle is retired."""
    unchanged = step(RETIRE_OLD, before, after or before, outcome)
    return becoming(seen(unchanged, bundles=BOTH_SERVED), bundles=retired(OLD))


def migrates(
    cause: Cause,
    before: tuple[int, int],
    after: tuple[int, int],
    run: RunView | None = RUNNING,
    outcome: Outcome = DONE,
) -> Step:
    return becoming(seen(step(cause, run, run, outcome), served=before), served=after)


def claims(schema: int, outcome: Outcome, served: tuple[int, int]) -> Step:
    """A worker of this schema claims, and is granted the run unless it is refused."""
    after = QUEUED if isinstance(outcome, Refused) else CLAIMED
    return seen(step(Claim(ID, RUN, WORKER, schema=schema), QUEUED, after, outcome), served=served)


def looked_up(outcome: Outcome, *, releases: int = 2, acts: int = 1, repeats: Outcome | None = None) -> Step:
    """The tool is asked about an operation, after so many releases of it."""
    really = replace(truth(acts=acts), tool_release=releases)
    return replace(nothing(LOOK_UP, SENT, outcome, repeats=repeats), truth_before=really, truth=really)


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

CASES = [*WAITED, *NEEDED, *LOOKUPS, *SCHEMAS]
