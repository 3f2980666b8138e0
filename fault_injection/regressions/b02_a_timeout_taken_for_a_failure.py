"""B02: an answer that did not come is called a failure, and whoever asked pays once more."""

from keepfact.spec.vocabulary import Capability, Contract, Evidence, MarkUnknown, Reconcile, SendAgain

from ..regression import Regression
from ..told import CALL, CEILING_CENTS, FIRST, ID, RUN, Told, done, fault, in_flight, refused


def sent_again(lease_seconds: int) -> tuple[Told, ...]:
    """The tool acted, its answer was lost, and the worker would have it sent again."""
    return (
        *in_flight(Contract.SETTLE),
        done(MarkUnknown(ID, RUN, FIRST, CALL)),
        fault(refused(SendAgain(ID, RUN, FIRST, CALL))),
        done(Reconcile(ID, RUN, CALL, Evidence.AMBIGUOUS, None)),
        fault(refused(SendAgain(ID, RUN, FIRST, CALL))),
        done(Reconcile(ID, RUN, CALL, Evidence.CONFIRMED, CEILING_CENTS)),
        fault(refused(SendAgain(ID, RUN, FIRST, CALL))),
    )


REGRESSION = Regression(
    case="B02",
    name="b02_a_timeout_taken_for_a_failure",
    fault="A call whose answer was lost, and which had happened, is to be sent again to a tool that would do it twice.",
    rules=("EFFECT.5", "EFFECT.7", "COST.3"),
    defects=("unknown_sent_again", "lost_call_called_failed"),
    stories=(sent_again,),
    contracts=(Contract.SETTLE,),
    needs=frozenset({Capability.RESENDING}),
    not_shown=("A second call for the same purpose under another id: no store can know that it is the same.",),
)
