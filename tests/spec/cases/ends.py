"""Which end is written, and what it needs."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    CallState,
    EntryPoint,
    EventType,
    Evidence,
    Reason,
    Reconcile,
    RunState,
)

from ..cancelling import (
    CANCEL,
    STOP,
    asked_to_stop,
    cancelling,
)
from ..steps import (
    ASK,
    DONE,
    RECOVER,
    accepts,
    body,
    call,
    confirmed,
    fail,
    intend,
    is_silent,
    nothing,
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
from .settle import (
    BY_RECOVERY,
    ENDED,
    FAILED,
    FOUND,
    INTERRUPTED,
    LAPSED,
    PARTIAL,
    RUNNING,
    SEALED,
    UNSURE,
    WHOLE,
    WITH_BODY,
    failed_with,
)

SUCCEEDED = over(WITH_BODY, RunState.SUCCEEDED, ENDED, delivered=WHOLE)

CONFIRMED = confirmed(answer=None)

RECONCILED = then(
    told(SEALED, EventType.RECONCILED, CONFIRMED),
    ENDED,
    by=EntryPoint.RECONCILE,
    state=RunState.INTERRUPTED,
    sealed_for=None,
)

RESENT, TOO_OLD = then(SEALED, calls=(replace(unknown(), sends=2),)), refused(Reason.STALE_EVIDENCE)


def _found_at(sends: int) -> Reconcile:
    return reconcile(Evidence.NOT_FOUND, sends=sends)


STOPPING = cancelling(lease=0)

STOPPED = over(STOPPING, RunState.CANCELLED, ENDED, by=BY_RECOVERY)

CASES = [
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
    is_silent("SETTLE.6", "evidence about an earlier sending turned away", nothing(_found_at(1), RESENT, TOO_OLD)),
    rejects("SETTLE.6", "evidence about the latest sending turned away", nothing(_found_at(2), RESENT, TOO_OLD)),
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
]
