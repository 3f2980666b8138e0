"""B14: the provider reports a cost of 0, `amount or estimate` reads that as no amount, and the estimate is booked."""

from keepfact.spec.vocabulary import Act, Contract, RecordAnswer

from ..regression import Regression
from ..told import CALL, FIRST, ID, RUN, Told, done, fault, finishes, happens, intend, running


def free_of_charge(lease_seconds: int) -> tuple[Told, ...]:
    """A reported 0 is an amount: nothing is held any more, and the run can succeed."""
    return (
        *running(Contract.SETTLE),
        done(intend()),
        happens(Act(RUN, CALL, 0)),
        fault(done(RecordAnswer(ID, RUN, FIRST, CALL, "free of charge", 0))),
        *finishes(FIRST),
    )


REGRESSION = Regression(
    case="B14",
    name="b14_a_zero_taken_for_nothing",
    fault="An answer reports a cost of 0.",
    rules=("COST.5",),
    defects=("reported_zero_is_missing",),
    stories=(free_of_charge,),
    contracts=(Contract.SETTLE,),
)
