"""B03: a call was given up, and what its provider says of it afterwards is turned away, or taken for what it is not."""

from keepfact.spec.vocabulary import Contract, Evidence, Fail, MarkUnknown, Reconcile, Tick

from ..regression import Regression
from ..told import CALL, CEILING_CENTS, FIRST, ID, RUN, Told, done, fault, happens, in_flight

A_DAY_SECONDS = 86_400


def given_up(lease_seconds: int) -> tuple[Told, ...]:
    """The run is sealed with a call that nobody knows of; an ambiguous look-up is no evidence, a late one is."""
    return (
        *in_flight(Contract.SETTLE),
        done(MarkUnknown(ID, RUN, FIRST, CALL)),
        done(Fail(ID, RUN, FIRST)),
        happens(Tick(A_DAY_SECONDS)),
        fault(done(Reconcile(ID, RUN, CALL, Evidence.AMBIGUOUS, None))),
        fault(done(Reconcile(ID, RUN, CALL, Evidence.CONFIRMED, CEILING_CENTS))),
    )


REGRESSION = Regression(
    case="B03",
    name="b03_evidence_that_comes_late",
    fault="After a run has given a call up, its provider is first unsure and then says that the call had happened.",
    rules=("EFFECT.6", "SETTLE.6", "COST.4"),
    defects=("ambiguous_taken_for_not_found", "evidence_comes_too_late"),
    stories=(given_up,),
    contracts=(Contract.SETTLE,),
)
