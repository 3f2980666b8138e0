"""How recovery brings a run to its end, or on."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    CallKind,
    CallState,
    Contract,
    EventType,
    Fence,
    Reason,
    RunState,
    RunView,
    WaitKind,
    WaitState,
)

from ..cancelling import (
    RESUME_IT,
    child_of,
    spawn,
    spawned,
    wait,
    waiting_on,
)
from ..steps import (
    ASK,
    DONE,
    LOST,
    PAY,
    RECOVER,
    WORKER,
    accepts,
    body,
    call,
    confirmed,
    fail,
    granted,
    intend,
    is_silent,
    lapsed,
    nothing,
    open_,
    over,
    publish,
    refused,
    rejects,
    run,
    step,
    then,
    told,
    unknown,
)
from .ends import RECONCILED, STOPPED, STOPPING
from .settle import BY_RECOVERY, ENDED, FAILED, FOUND, INTERRUPTED, LAPSED, RUNNING, SEALED, WAITING, settled

CONFLICT = refused(Reason.COMMAND_ID_CONFLICT)

SWEEP = replace(RECOVER, seen_fence=Fence(9))

RESUMABLE = lapsed(calls=(open_(),), contract=Contract.RESUME)

RESUMED = then(
    RESUMABLE,
    (EventType.LOST, PAY),
    EventType.GRANTED,
    by=BY_RECOVERY,
    calls=(unknown(),),
    fence=Fence(2),
    worker=WORKER,
    lease_left_seconds=30,
    deaths=1,
)

DOUBTFUL = run(calls=(unknown(),), contract=Contract.RESUME)

LOST_ASK = call(ASK, CallState.UNKNOWN, kind=CallKind.ATTEMPT)

DOUBTFUL_ASK = run(calls=(LOST_ASK,), contract=Contract.RESUME)

DOUBTFUL_ASK_AND_OPEN = told(DOUBTFUL_ASK, EventType.INTENDED, LOST_ASK, open_())

HOPEFUL, EXPIRED, DUE = waiting_on(wait()), waiting_on(wait(left=0)), waiting_on(wait(kind=WaitKind.TIMER, left=0))

BROKE = waiting_on(wait(kind=WaitKind.TIMER), known_cents=10)


def gone(run: RunView) -> RunView:
    """A waiting run as recovery ends it."""
    closed = tuple(replace(wait, state=WaitState.CLOSED) for wait in run.waits)
    return over(run, RunState.INTERRUPTED, ENDED, by=BY_RECOVERY, waits=closed, known_cents=run.known_cents)


CASES = [
    accepts("SETTLE.1", "a run that ends interrupted", step(RECOVER, LAPSED, INTERRUPTED)),
    accepts("SETTLE.1", "a run sealed with its call unknown", step(RECOVER, WAITING, SEALED)),
    accepts("SETTLE.1", "the same although its answer was lost", step(RECOVER, WAITING, SEALED, LOST)),
    rejects(
        "SETTLE.1", "an end with a call unresolved", step(RECOVER, WAITING, replace(SEALED, state=RunState.INTERRUPTED))
    ),
    rejects(
        "SETTLE.1", "a seal with nothing unresolved", step(RECOVER, LAPSED, replace(SEALED, calls=(), unresolved=0))
    ),
    rejects("SETTLE.1", "a refusal to settle", nothing(RECOVER, LAPSED, refused(Reason.LEASE_LIVE))),
    rejects("SETTLE.1", "a refusal that settles", step(RECOVER, LAPSED, INTERRUPTED, refused(Reason.LEASE_LIVE))),
    rejects("SETTLE.1", "a call left open", step(RECOVER, WAITING, then(SEALED, calls=(open_(),)))),
    rejects(
        "SETTLE.1", "a lease that outlives the seal", step(RECOVER, LAPSED, replace(INTERRUPTED, lease_left_seconds=0))
    ),
    rejects("SETTLE.1", "a seal for another end", step(RECOVER, WAITING, replace(SEALED, sealed_for=RunState.FAILED))),
    accepts("SETTLE.1", "a cancelling run that ends cancelled", step(RECOVER, STOPPING, STOPPED)),
    rejects(
        "SETTLE.1",
        "a cancelling run that ends interrupted",
        step(RECOVER, STOPPING, replace(STOPPED, state=RunState.INTERRUPTED)),
    ),
    is_silent("SETTLE.1", "a sweep was overtaken", nothing(SWEEP, LAPSED, refused(Reason.STALE_FENCE))),
    is_silent("SETTLE.1", "the lease is live", nothing(RECOVER, RUNNING, refused(Reason.LEASE_LIVE))),
    is_silent("SETTLE.1", "recovery never arrived", nothing(RECOVER, LAPSED, LOST)),
    is_silent("SETTLE.1", "another command has the id", nothing(RECOVER, LAPSED, CONFLICT)),
    is_silent("SETTLE.1", "the run is under resume", nothing(RECOVER, lapsed(contract=Contract.RESUME), DONE)),
    is_silent("SETTLE.1", "the worker comes late", nothing(fail(), LAPSED, refused(Reason.LEASE_LAPSED))),
    accepts("SETTLE.2", "a second settler that is refused", nothing(RECOVER, SEALED, refused(Reason.SEALED))),
    is_silent("SETTLE.2", "a second settler whose answer is lost", nothing(RECOVER, SEALED, LOST)),
    rejects("SETTLE.2", "a second settler that ends the run", step(RECOVER, SEALED, RECONCILED)),
    rejects("SETTLE.2", "a second settler that ends it unheard", step(RECOVER, SEALED, RECONCILED, LOST)),
    rejects("SETTLE.2", "a second settler that is told it settled", nothing(RECOVER, INTERRUPTED, DONE)),
    rejects("SETTLE.2", "a refusal that settles once more", step(RECOVER, SEALED, RECONCILED, refused(Reason.SEALED))),
    is_silent("SETTLE.2", "the run was not settled", step(RECOVER, LAPSED, INTERRUPTED)),
    is_silent("SETTLE.2", "another command has the id", nothing(RECOVER, SEALED, CONFLICT)),
    is_silent("SETTLE.2", "evidence comes in", step(FOUND, SEALED, RECONCILED)),
    accepts("SETTLE.7", "a run that goes on with its call unknown", step(RESUME_IT, RESUMABLE, RESUMED, granted(2))),
    accepts(
        "SETTLE.7", "a dispatch that waits for evidence", nothing(intend(ASK), DOUBTFUL, refused(Reason.UNRESOLVED))
    ),
    accepts("SETTLE.7", "a child that waits for evidence", nothing(spawn(), DOUBTFUL, refused(Reason.UNRESOLVED))),
    rejects(
        "SETTLE.7",
        "a run that is settled although it may go on",
        step(RESUME_IT, RESUMABLE, replace(SEALED, contract=Contract.RESUME)),
    ),
    rejects("SETTLE.7", "a call left open", step(RESUME_IT, RESUMABLE, then(RESUMED, calls=(open_(),)), granted(2))),
    rejects(
        "SETTLE.7",
        "a lease that is not live",
        step(RESUME_IT, RESUMABLE, replace(RESUMED, lease_left_seconds=0), granted(2)),
    ),
    rejects(
        "SETTLE.7", "a grant to another worker", step(RESUME_IT, RESUMABLE, replace(RESUMED, worker=None), granted(2))
    ),
    rejects(
        "SETTLE.7",
        "a grant under the old fence",
        step(RESUME_IT, RESUMABLE, replace(RESUMED, fence=Fence(1)), granted(1)),
    ),
    rejects(
        "SETTLE.7",
        "an answer that recovery forgets",
        step(
            RESUME_IT,
            lapsed(calls=(confirmed(),), contract=Contract.RESUME),
            replace(RESUMED, calls=(unknown(),)),
            granted(2),
        ),
    ),
    rejects(
        "SETTLE.7",
        "a dispatch that does not wait for evidence",
        step(intend(ASK), DOUBTFUL, told(DOUBTFUL, EventType.INTENDED, unknown(), call(ASK))),
    ),
    rejects(
        "SETTLE.7",
        "a dispatch that nobody heard of",
        step(intend(ASK), DOUBTFUL, told(DOUBTFUL, EventType.INTENDED, unknown(), call(ASK)), LOST),
    ),
    rejects(
        "SETTLE.7",
        "a child that does not wait for evidence",
        step(spawn(), DOUBTFUL, spawned(DOUBTFUL), others=(None, child_of(DOUBTFUL))),
    ),
    rejects(
        "SETTLE.7",
        "a refusal with nothing in doubt",
        nothing(intend(), run(contract=Contract.RESUME), refused(Reason.UNRESOLVED)),
    ),
    is_silent("SETTLE.7", "the run is under settle", nothing(intend(ASK), run(calls=(unknown(),)), DONE)),
    is_silent("SETTLE.7", "the call was intended before", nothing(intend(), DOUBTFUL, DONE)),
    is_silent(
        "SETTLE.7",
        "it died too often",
        step(RESUME_IT, replace(RESUMABLE, deaths=1), replace(SEALED, contract=Contract.RESUME)),
    ),
    is_silent("SETTLE.7", "only an attempt is in doubt", step(intend(), DOUBTFUL_ASK, DOUBTFUL_ASK_AND_OPEN)),
    is_silent("SETTLE.7", "no run is recovered", step(publish(), DOUBTFUL, then(DOUBTFUL, publications=(body(),)))),
    accepts("SETTLE.8", "recovery that grants", step(RESUME_IT, RESUMABLE, RESUMED, granted(2))),
    rejects(
        "SETTLE.8",
        "an end that is told twice",
        step(RECOVER, LAPSED, then(INTERRUPTED, ENDED, by=BY_RECOVERY)),
    ),
    rejects("SETTLE.8", "an end that is not told", step(RECOVER, LAPSED, over(LAPSED, RunState.INTERRUPTED))),
    accepts("SETTLE.8", "recovery that tells what was lost", step(RECOVER, WAITING, SEALED)),
    rejects(
        "SETTLE.8",
        "a loss that did not happen",
        step(
            RECOVER,
            lapsed(calls=(confirmed(),)),
            over(lapsed(calls=(confirmed(),)), RunState.INTERRUPTED, (EventType.LOST, PAY), ENDED, by=BY_RECOVERY),
        ),
    ),
    rejects("SETTLE.8", "a loss that is not told", step(RECOVER, WAITING, settled(EventType.SEALED, call=unknown()))),
    rejects(
        "SETTLE.8",
        "a past that recovery rewrites",
        step(RECOVER, LAPSED, replace(INTERRUPTED, history=(INTERRUPTED.history[-1],) * 3)),
    ),
    is_silent("SETTLE.8", "a worker ends its run", step(fail(), RUNNING, FAILED)),
    is_silent("SETTLE.8", "recovery is refused", nothing(RECOVER, WAITING, refused(Reason.NOT_RUNNING))),
    accepts("SETTLE.10", "a run whose worker was lost", step(RECOVER, LAPSED, INTERRUPTED)),
    accepts("SETTLE.10", "the same under resume", step(RESUME_IT, RESUMABLE, RESUMED, granted(2))),
    accepts("SETTLE.10", "a run that stops without a worker", step(RECOVER, STOPPING, STOPPED)),
    accepts("SETTLE.10", "a wait that expired", step(RECOVER, EXPIRED, gone(EXPIRED))),
    accepts("SETTLE.10", "a wake that nobody can pay for", step(RECOVER, BROKE, gone(BROKE))),
    accepts("SETTLE.10", "a wait that goes on", nothing(RECOVER, HOPEFUL, refused(Reason.NOT_RUNNING))),
    accepts("SETTLE.10", "a timer that is due", nothing(RECOVER, DUE, refused(Reason.NOT_RUNNING))),
    accepts("SETTLE.10", "a run in the queue", nothing(RECOVER, run(RunState.QUEUED), refused(Reason.NOT_RUNNING))),
    accepts(
        "SETTLE.10",
        "a recovery under resume without a worker",
        nothing(RECOVER, RESUMABLE, refused(Reason.NO_WORKER)),
    ),
    accepts(
        "SETTLE.10",
        "a worker that does not support the bundle",
        nothing(replace(RESUME_IT, supports=()), RESUMABLE, refused(Reason.UNSUPPORTED_BUNDLE)),
    ),
    rejects("SETTLE.10", "a lost run that is left", nothing(RECOVER, LAPSED, refused(Reason.NOT_RUNNING))),
    rejects("SETTLE.10", "a lost run that is said to be recovered", nothing(RECOVER, LAPSED, DONE)),
    rejects("SETTLE.10", "a stopping run that is left", nothing(RECOVER, STOPPING, refused(Reason.CANCELLING))),
    rejects("SETTLE.10", "a wait without hope that is left", nothing(RECOVER, EXPIRED, refused(Reason.NOT_RUNNING))),
    rejects("SETTLE.10", "a stale sweep that was not", nothing(RECOVER, LAPSED, refused(Reason.STALE_FENCE))),
    rejects(
        "SETTLE.10", "a run under settle for want of a worker", nothing(RECOVER, LAPSED, refused(Reason.NO_WORKER))
    ),
    rejects(
        "SETTLE.10",
        "a bundle that the worker supports",
        nothing(RESUME_IT, RESUMABLE, refused(Reason.UNSUPPORTED_BUNDLE)),
    ),
    rejects("SETTLE.10", "a wait with hope that is ended", step(RECOVER, HOPEFUL, gone(HOPEFUL))),
    rejects(
        "SETTLE.10",
        "a queued run that is ended",
        step(RECOVER, run(RunState.QUEUED), over(run(RunState.QUEUED), RunState.INTERRUPTED, ENDED, by=BY_RECOVERY)),
    ),
    is_silent("SETTLE.10", "a sweep was overtaken", nothing(SWEEP, LAPSED, refused(Reason.STALE_FENCE))),
    is_silent("SETTLE.10", "the lease is live", nothing(RECOVER, RUNNING, refused(Reason.LEASE_LIVE))),
    is_silent("SETTLE.10", "the run is over", nothing(RECOVER, SEALED, refused(Reason.SEALED))),
    is_silent("SETTLE.10", "another command has the id", nothing(RECOVER, LAPSED, CONFLICT)),
    is_silent("SETTLE.10", "nobody recovers", step(fail(), RUNNING, FAILED)),
]
