"""B11: a step between the approval and the dispatch rewrites the arguments, and what was not shown is done."""

from dataclasses import replace

from keepfact.spec.vocabulary import CallId, Capability, Contract

from ..regression import Regression
from ..told import (
    SECOND,
    WORKER,
    Told,
    approved_intent,
    decide,
    done,
    fault,
    intend,
    refused,
    request_approval,
    running,
    wake,
)


def rewritten(lease_seconds: int) -> tuple[Told, ...]:
    """What was shown is approved; then other arguments come in its name, another call, and the call in no name."""
    return (
        *running(Contract.SETTLE),
        done(request_approval(lease_seconds)),
        fault(refused(decide(digest="digest of something else"))),
        done(decide()),
        done(wake(WORKER)),
        fault(refused(approved_intent(digest="digest of something else"))),
        fault(refused(replace(approved_intent(), call=CallId("another-call")))),
        fault(refused(intend(SECOND))),
        done(approved_intent()),
    )


REGRESSION = Regression(
    case="B11",
    name="b11_other_arguments_than_were_shown",
    fault="After the approval the arguments are rewritten, and the call is to be dispatched with those.",
    rules=("APPROVAL.3",),
    defects=("other_arguments_sent_than_approved",),
    stories=(rewritten,),
    contracts=(Contract.SETTLE,),
    needs=frozenset({Capability.WAITS, Capability.APPROVALS}),
)
