"""What a crash leaves."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    ArrivalView,
    CallId,
    CallKind,
    CallState,
    CallView,
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
    WaitState,
)

from ..cancelling import (
    CANCEL,
    NEWS,
    asked_to_stop,
    recognised,
    send_again,
    wait,
    waiting_on,
)
from ..steps import (
    ASK,
    LOST,
    PAY,
    RECOVER,
    WORKER_RAN,
    accepts,
    body,
    confirmed,
    fail,
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
    then,
    told,
    unknown,
)

RUNNING, WITH_BODY, LAPSED, WAITING = run(), run(publications=(body(),)), lapsed(), lapsed(calls=(open_(),))

ENDED, BY_RECOVERY = EventType.ENDED, EntryPoint.RECOVER

INTERRUPTED = over(LAPSED, RunState.INTERRUPTED, ENDED, by=BY_RECOVERY)

FAILED = over(RUNNING, RunState.FAILED, ENDED)

WHOLE, PARTIAL = Delivered(1, partial=False), Delivered(1, partial=True)

FOUND, UNSURE = reconcile(Evidence.CONFIRMED, 5), reconcile(Evidence.AMBIGUOUS)


def settled(*events: EventType | tuple[EventType, CallId], call: CallView) -> RunView:
    """WAITING as recovery leaves it."""
    sealed_for = RunState.INTERRUPTED
    return over(WAITING, RunState.UNKNOWN, *events, by=BY_RECOVERY, calls=(call,), sealed_for=sealed_for)


def failed_with(*bodies: PublicationView, delivered: Delivered | None = None) -> RunView:
    """A run with these bodies, as its failure leaves it."""
    return over(run(publications=bodies), RunState.FAILED, ENDED, delivered=delivered)


SEALED = settled((EventType.LOST, PAY), EventType.SEALED, call=unknown())

OTHER_INTENTS = {
    "kind": replace(unknown(), kind=CallKind.ATTEMPT),
    "digest": replace(unknown(), digest="other"),
    "ceiling": replace(unknown(), ceiling_cents=0),
    "fence": replace(unknown(), fence=Fence(7)),
    "superseded attempt": replace(unknown(), supersedes=ASK),
}

FINDING = MaterialView(MaterialId("finding"), SourceId("source"), "digest", Fence(1), None, 2)

KEPT = waiting_on(wait(), materials=(FINDING,), arrivals=(ArrivalView(NEWS, 1, "news"),))

SENDABLE = run(calls=(recognised(),))

SENT = told(SENDABLE, EventType.SENT_AGAIN, recognised(CallState.OPEN, sends=2))

CASES = [
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
]
