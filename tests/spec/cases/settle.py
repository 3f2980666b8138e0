"""What a crash leaves."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    ArrivalView,
    CallId,
    CallKind,
    CallState,
    CallView,
    Contract,
    Delivered,
    EntryPoint,
    EventType,
    Evidence,
    Fence,
    MaterialId,
    MaterialView,
    PublicationView,
    Reason,
    RunState,
    RunView,
    SourceId,
    WaitKind,
    WaitState,
)

from ..cancelling import (
    CANCEL,
    NEWS,
    RESUME_IT,
    STOP,
    asked_to_stop,
    cancelling,
    child_of,
    recognised,
    send_again,
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
    WORKER_RAN,
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
    reconcile,
    refused,
    rejects,
    run,
    step,
    succeed,
    then,
    told,
    unknown,
)

RUNNING, WITH_BODY, LAPSED, WAITING = run(), run(publications=(body(),)), lapsed(), lapsed(calls=(open_(),))
ENDED, BY_RECOVERY = EventType.ENDED, EntryPoint.RECOVER
INTERRUPTED = over(LAPSED, RunState.INTERRUPTED, ENDED, by=BY_RECOVERY)
FAILED = over(RUNNING, RunState.FAILED, ENDED)
WHOLE, PARTIAL = Delivered(1, partial=False), Delivered(1, partial=True)
SUCCEEDED = over(WITH_BODY, RunState.SUCCEEDED, ENDED, delivered=WHOLE)
CONFLICT = refused(Reason.COMMAND_ID_CONFLICT)
FOUND, UNSURE = reconcile(Evidence.CONFIRMED, 5), reconcile(Evidence.AMBIGUOUS)
CONFIRMED = confirmed(answer=None)


def settled(*events: EventType | tuple[EventType, CallId], call: CallView) -> RunView:
    """WAITING as recovery leaves it."""
    sealed_for = RunState.INTERRUPTED
    return over(WAITING, RunState.UNKNOWN, *events, by=BY_RECOVERY, calls=(call,), sealed_for=sealed_for)


def failed_with(*bodies: PublicationView, delivered: Delivered | None = None) -> RunView:
    """A run with these bodies, as its failure leaves it."""
    return over(run(publications=bodies), RunState.FAILED, ENDED, delivered=delivered)


SEALED = settled((EventType.LOST, PAY), EventType.SEALED, call=unknown())
RECONCILED = then(
    told(SEALED, EventType.RECONCILED, CONFIRMED),
    ENDED,
    by=EntryPoint.RECONCILE,
    state=RunState.INTERRUPTED,
    sealed_for=None,
)
OTHER_INTENTS = {
    "kind": replace(unknown(), kind=CallKind.ATTEMPT),
    "digest": replace(unknown(), digest="other"),
    "ceiling": replace(unknown(), ceiling_cents=0),
    "fence": replace(unknown(), fence=Fence(7)),
    "superseded attempt": replace(unknown(), supersedes=ASK),
}

STOPPING = cancelling(lease=0)
STOPPED = over(STOPPING, RunState.CANCELLED, ENDED, by=BY_RECOVERY)
SWEEP = replace(RECOVER, seen_fence=Fence(9))
FINDING = MaterialView(MaterialId("finding"), SourceId("source"), "digest", Fence(1), None, 2)
KEPT = waiting_on(wait(), materials=(FINDING,), arrivals=(ArrivalView(NEWS, 1, "news"),))
SENDABLE = run(calls=(recognised(),))
SENT = told(SENDABLE, EventType.SENT_AGAIN, recognised(CallState.OPEN, sends=2))
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
    accepts(
        "SETTLE.3",
        "recovery that leaves the body",
        step(RECOVER, lapsed(publications=(body(),)), then(INTERRUPTED, publications=(body(),), delivered=PARTIAL)),
    ),
    accepts(
        "SETTLE.3",
        "an answer that gets its amount",
        step(
            FOUND,
            run(calls=(confirmed(None),)),
            told(run(calls=(confirmed(None),)), EventType.RECONCILED, confirmed(5)),
        ),
    ),
    is_silent("SETTLE.3", "nothing happens", nothing(publish(), WITH_BODY, LOST)),
    rejects("SETTLE.3", "recovery that clears the body", step(RECOVER, lapsed(publications=(body(),)), INTERRUPTED)),
    rejects(
        "SETTLE.3", "a body that is edited", step(WORKER_RAN, WITH_BODY, run(publications=(body(qualified=False),)))
    ),
    rejects("SETTLE.3", "an answer that is gone", step(fail(), run(calls=(confirmed(),)), FAILED)),
    rejects("SETTLE.3", "an open call that is gone", step(RECOVER, WAITING, INTERRUPTED)),
    rejects(
        "SETTLE.3",
        "an answer without amount that is edited",
        step(fail(), run(calls=(confirmed(None),)), then(FAILED, calls=(confirmed(None, answer="other"),))),
    ),
    *(
        rejects(
            "SETTLE.3", f"an intent whose {part} is changed", step(RECOVER, WAITING, then(SEALED, calls=(changed,)))
        )
        for part, changed in OTHER_INTENTS.items()
    ),
    rejects("SETTLE.3", "a run that is gone", step(fail(), WITH_BODY, None)),
    accepts(
        "SETTLE.3",
        "a cancellation that closes waits and tells calls",
        step(CANCEL, KEPT, asked_to_stop(KEPT, waits=(wait(state=WaitState.CLOSED),))),
    ),
    accepts("SETTLE.3", "a call that is sent again", step(send_again(), SENDABLE, SENT)),
    rejects("SETTLE.3", "a finding that is gone", step(CANCEL, KEPT, asked_to_stop(KEPT, materials=()))),
    rejects(
        "SETTLE.3",
        "a finding that is edited",
        step(CANCEL, KEPT, asked_to_stop(KEPT, materials=(replace(FINDING, digest="other"),))),
    ),
    rejects("SETTLE.3", "an arrival that is gone", step(CANCEL, KEPT, asked_to_stop(KEPT, arrivals=()))),
    rejects("SETTLE.3", "a wait that is gone", step(CANCEL, KEPT, asked_to_stop(KEPT, waits=()))),
    rejects(
        "SETTLE.3",
        "a checkpoint that is moved",
        step(
            CANCEL,
            KEPT,
            asked_to_stop(KEPT, waits=(replace(wait(), checkpoint=replace(wait().checkpoint, history_number=9)),)),
        ),
    ),
    rejects(
        "SETTLE.3",
        "a bound that is raised while sending again",
        step(send_again(), SENDABLE, replace(SENT, calls=(replace(SENT.calls[0], sends_max=9),))),
    ),
    is_silent("SETTLE.3", "there was nothing to save", step(fail(), RUNNING, FAILED)),
    accepts(
        "SETTLE.4",
        "the last qualified body, marked partial",
        step(
            fail(),
            run(publications=(body(), body(2, qualified=False))),
            failed_with(body(), body(2, qualified=False), delivered=PARTIAL),
        ),
    ),
    accepts(
        "SETTLE.4",
        "the partial body of a run that waits for evidence",
        step(
            RECOVER,
            lapsed(calls=(open_(),), publications=(body(),)),
            then(SEALED, publications=(body(),), delivered=PARTIAL),
        ),
    ),
    accepts("SETTLE.4", "nothing, when nothing is qualified", step(fail(), RUNNING, FAILED)),
    rejects("SETTLE.4", "a partial body told as whole", step(fail(), WITH_BODY, failed_with(body(), delivered=WHOLE))),
    rejects(
        "SETTLE.4",
        "the first of two qualified bodies",
        step(fail(), run(publications=(body(), body(2))), failed_with(body(), body(2), delivered=PARTIAL)),
    ),
    rejects(
        "SETTLE.4",
        "a body that nobody qualified",
        step(fail(), run(publications=(body(qualified=False),)), failed_with(body(qualified=False), delivered=PARTIAL)),
    ),
    rejects("SETTLE.4", "a qualified body that is kept back", step(fail(), WITH_BODY, failed_with(body()))),
    is_silent("SETTLE.4", "the run goes on", step(publish(), RUNNING, WITH_BODY)),
    is_silent("SETTLE.4", "it was over before", nothing(publish(), failed_with(body()), refused(Reason.SEALED))),
    accepts("SETTLE.5", "a success with a body", step(succeed(), WITH_BODY, SUCCEEDED)),
    rejects("SETTLE.5", "a success without one", step(succeed(), RUNNING, over(RUNNING, RunState.SUCCEEDED, ENDED))),
    rejects(
        "SETTLE.5", "a success with an unknown call", step(succeed(), WITH_BODY, then(SUCCEEDED, calls=(unknown(),)))
    ),
    rejects(
        "SETTLE.5",
        "a run sealed for success without a body",
        step(
            succeed(),
            run(calls=(unknown(),)),
            over(run(calls=(unknown(),)), RunState.UNKNOWN, EventType.SEALED, sealed_for=RunState.SUCCEEDED),
        ),
    ),
    is_silent("SETTLE.5", "the run fails", step(fail(), RUNNING, FAILED)),
    is_silent("SETTLE.5", "it had succeeded before", nothing(succeed(), SUCCEEDED, refused(Reason.SEALED))),
    accepts("SETTLE.6", "the last evidence, which ends the run", step(FOUND, SEALED, RECONCILED)),
    accepts("SETTLE.6", "ambiguous evidence, which does not", nothing(UNSURE, SEALED, DONE)),
    rejects("SETTLE.6", "evidence after which it stays unknown", step(FOUND, SEALED, then(SEALED, calls=(CONFIRMED,)))),
    rejects(
        "SETTLE.6", "an end that it was not sealed for", step(FOUND, SEALED, replace(RECONCILED, state=RunState.FAILED))
    ),
    rejects(
        "SETTLE.6", "an end before the last evidence", step(UNSURE, SEALED, replace(SEALED, state=RunState.INTERRUPTED))
    ),
    is_silent("SETTLE.6", "the run is not sealed", step(FOUND, run(calls=(unknown(),)), run(calls=(CONFIRMED,)))),
    is_silent("SETTLE.6", "a late body comes in", step(publish(), SEALED, then(SEALED, publications=(body(),)))),
    rejects("SETTLE.6", "evidence that comes too late", nothing(FOUND, SEALED, refused(Reason.SEALED))),
    rejects(
        "SETTLE.6",
        "an amount that comes too late",
        nothing(FOUND, replace(SEALED, calls=(confirmed(None),)), refused(Reason.SEALED)),
    ),
    is_silent(
        "SETTLE.6",
        "evidence that an answer refutes is refused",
        nothing(
            reconcile(Evidence.NOT_FOUND),
            replace(SEALED, calls=(confirmed(None),)),
            refused(Reason.CONTRADICTED),
        ),
    ),
    is_silent("SETTLE.6", "evidence of a stranger is refused", nothing(FOUND, SEALED, refused(Reason.NOT_ALLOWED))),
    is_silent(
        "SETTLE.6", "evidence is on no call", nothing(replace(FOUND, call=ASK), SEALED, refused(Reason.NO_SUCH_CALL))
    ),
    is_silent("SETTLE.6", "there is no evidence", nothing(RECOVER, SEALED, refused(Reason.SEALED))),
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
    accepts("SETTLE.9", "a failure of a worker that fails", step(fail(), RUNNING, FAILED)),
    accepts("SETTLE.9", "an interruption of a worker that was lost", step(RECOVER, LAPSED, INTERRUPTED)),
    accepts(
        "SETTLE.9",
        "a success that waits for evidence",
        step(
            succeed(),
            run(calls=(unknown(),), publications=(body(),)),
            over(
                run(calls=(unknown(),), publications=(body(),)),
                RunState.UNKNOWN,
                EventType.SEALED,
                sealed_for=RunState.SUCCEEDED,
                delivered=PARTIAL,
            ),
        ),
    ),
    accepts(
        "SETTLE.9", "a stop that was asked for", step(STOP, cancelling(), over(cancelling(), RunState.CANCELLED, ENDED))
    ),
    accepts("SETTLE.9", "recovery of a run that was asked to stop", step(RECOVER, STOPPING, STOPPED)),
    rejects(
        "SETTLE.9", "a stop told as a failure", step(STOP, cancelling(), over(cancelling(), RunState.FAILED, ENDED))
    ),
    rejects(
        "SETTLE.9",
        "a run that was asked to stop, told as interrupted",
        step(RECOVER, STOPPING, replace(STOPPED, state=RunState.INTERRUPTED)),
    ),
    rejects(
        "SETTLE.9",
        "a request to stop that is told as the end",
        step(CANCEL, RUNNING, over(RUNNING, RunState.CANCELLED, ENDED)),
    ),
    rejects("SETTLE.9", "a failure told as an interruption", step(fail(), RUNNING, INTERRUPTED)),
    rejects("SETTLE.9", "an interruption told as a failure", step(RECOVER, LAPSED, FAILED)),
    rejects("SETTLE.9", "a success told as a failure", step(succeed(), WITH_BODY, failed_with(body()))),
    rejects(
        "SETTLE.9",
        "an end that a mere dispatch brings",
        step(intend(), RUNNING, then(FAILED, calls=(call(state=CallState.NOT_FOUND),))),
    ),
    rejects("SETTLE.9", "a seal that is lifted", step(intend(), SEALED, RUNNING)),
    is_silent("SETTLE.9", "a run is asked to stop", step(CANCEL, RUNNING, asked_to_stop(RUNNING))),
    is_silent("SETTLE.9", "no end comes nearer", step(publish(), RUNNING, WITH_BODY)),
    is_silent("SETTLE.9", "evidence brings the end it was sealed for", step(FOUND, SEALED, RECONCILED)),
    is_silent("SETTLE.9", "a failure is refused", step(fail(), RUNNING, INTERRUPTED, refused(Reason.SEALED))),
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
        nothing(RECOVER, RESUMABLE, refused(Reason.MALFORMED)),
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
        "SETTLE.10", "a run under settle for want of a worker", nothing(RECOVER, LAPSED, refused(Reason.MALFORMED))
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
