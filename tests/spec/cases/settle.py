"""What a crash leaves."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
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
    PublicationView,
    Reason,
    RunState,
    RunView,
)

from ..steps import (
    ASK,
    DONE,
    LOST,
    PAY,
    RECOVER,
    WORKER_RAN,
    accepts,
    body,
    call,
    confirmed,
    fail,
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
    accepts("SETTLE.3", "a body that stays while nothing happens", nothing(publish(), WITH_BODY, LOST)),
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
    is_silent("SETTLE.6", "evidence is refused", nothing(FOUND, SEALED, refused(Reason.NO_SUCH_CALL))),
    is_silent("SETTLE.6", "there is no evidence", nothing(RECOVER, SEALED, refused(Reason.SEALED))),
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
    rejects("SETTLE.9", "a failure told as an interruption", step(fail(), RUNNING, INTERRUPTED)),
    rejects("SETTLE.9", "an interruption told as a failure", step(RECOVER, LAPSED, FAILED)),
    rejects("SETTLE.9", "a success told as a failure", step(succeed(), WITH_BODY, failed_with(body()))),
    rejects(
        "SETTLE.9",
        "an end that a mere dispatch brings",
        step(intend(), RUNNING, then(FAILED, calls=(call(state=CallState.NOT_FOUND),))),
    ),
    rejects("SETTLE.9", "a seal that is lifted", step(intend(), SEALED, RUNNING)),
    is_silent("SETTLE.9", "no end comes nearer", step(publish(), RUNNING, WITH_BODY)),
    is_silent("SETTLE.9", "evidence brings the end it was sealed for", step(FOUND, SEALED, RECONCILED)),
    is_silent("SETTLE.9", "a failure is refused", step(fail(), RUNNING, INTERRUPTED, refused(Reason.SEALED))),
]
