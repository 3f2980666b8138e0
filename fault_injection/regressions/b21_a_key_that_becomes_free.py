"""B21: "in progress" expires as the worker is killed, so that the same key may be used, and pays, once more."""

from keepfact.spec.vocabulary import Capability, Contract, Evidence, Fence, Reconcile, Recover, SendAgain, Tick

from ..regression import Regression
from ..told import (
    CALL,
    CEILING_CENTS,
    ID,
    RUN,
    SECOND,
    SUCCESSOR,
    WORKER,
    Told,
    done,
    fault,
    happens,
    in_flight,
    intend,
    lapses,
    refused,
)


def expires(lease_seconds: int) -> tuple[Told, ...]:
    """However long it is left alone, a call that was begun is not free: it is unknown until there is evidence."""
    return (
        *in_flight(Contract.RESUME),
        lapses(lease_seconds),
        fault(done(Recover(ID, RUN, SUCCESSOR))),
        fault(refused(intend(SECOND, "digest of something else"))),
        fault(refused(SendAgain(ID, RUN, SECOND, CALL))),
        happens(Tick(100 * lease_seconds)),
        done(Recover(ID, RUN, WORKER)),
        fault(refused(intend(Fence(3), "digest of something else"))),
        fault(refused(SendAgain(ID, RUN, Fence(3), CALL))),
        done(Reconcile(ID, RUN, CALL, Evidence.CONFIRMED, CEILING_CENTS)),
        fault(refused(SendAgain(ID, RUN, Fence(3), CALL))),
    )


REGRESSION = Regression(
    case="B21",
    name="b21_a_key_that_becomes_free",
    fault="Workers die with a call in progress, time passes, and the call is to be made again under its id.",
    rules=("EFFECT.5", "EFFECT.7"),
    defects=("lost_call_called_failed", "unknown_sent_again"),
    stories=(expires,),
    contracts=(Contract.RESUME,),
    needs=frozenset({Capability.RESENDING}),
)
