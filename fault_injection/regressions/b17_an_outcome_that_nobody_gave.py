"""B17: a history with a gap is repaired by an answer that was made up, and the model is told that a call failed."""

from keepfact.spec.vocabulary import Contract, Evidence, Observe, Reconcile, Recover

from ..regression import Regression
from ..told import (
    CALL,
    CEILING_CENTS,
    ID,
    RUN,
    SECOND,
    SUCCESSOR,
    Told,
    done,
    fault,
    in_flight,
    intend,
    lapses,
    refused,
)


def left_open(lease_seconds: int) -> tuple[Told, ...]:
    """The worker dies with a call in flight that had happened. Of what became of it recovery knows nothing."""
    return (
        *in_flight(Contract.SETTLE),
        lapses(lease_seconds),
        fault(done(Recover(ID, RUN))),
        fault(done(Observe(ID, RUN))),
        done(Reconcile(ID, RUN, CALL, Evidence.CONFIRMED, CEILING_CENTS)),
    )


def left_open_and_gone_on_with(lease_seconds: int) -> tuple[Told, ...]:
    """The same, where another worker goes on."""
    return (
        *in_flight(Contract.RESUME),
        lapses(lease_seconds),
        fault(done(Recover(ID, RUN, SUCCESSOR))),
        fault(done(Observe(ID, RUN))),
        refused(intend(SECOND, "digest of something else")),
    )


REGRESSION = Regression(
    case="B17",
    name="b17_an_outcome_that_nobody_gave",
    fault="A worker dies with a call in flight, and its history is brought to an end, or gone on with.",
    rules=("EFFECT.5",),
    defects=("lost_answer_invented",),
    stories=(left_open, left_open_and_gone_on_with),
)
