"""B13: what a call cost cannot be had from its provider, so it is settled with 0, and the budget limits nothing."""

from keepfact.spec.vocabulary import (
    Act,
    CallId,
    CallKind,
    Contract,
    Evidence,
    Intend,
    MarkUnknown,
    Reconcile,
    RecordAnswer,
)

from ..regression import Regression
from ..told import ARGUMENTS, BUDGET_CENTS, FIRST, ID, RUN, Told, done, fault, happens, refused, running


def without_usage(lease_seconds: int) -> tuple[Told, ...]:
    """An answer and evidence that name no amount. Each call may cost half of the budget, so a third is too much."""
    half = BUDGET_CENTS // 2
    first, second, third = (
        Intend(ID, RUN, FIRST, CallId(name), CallKind.OPERATION, ARGUMENTS, half) for name in ("one", "two", "three")
    )
    return (
        *running(Contract.SETTLE),
        done(first),
        happens(Act(RUN, first.call, half)),
        fault(done(RecordAnswer(ID, RUN, FIRST, first.call, "paid", None))),
        done(second),
        happens(Act(RUN, second.call, half)),
        done(MarkUnknown(ID, RUN, FIRST, second.call)),
        fault(done(Reconcile(ID, RUN, second.call, Evidence.CONFIRMED, None))),
        fault(refused(third)),
        done(Reconcile(ID, RUN, first.call, Evidence.CONFIRMED, half)),
        fault(refused(third)),
    )


REGRESSION = Regression(
    case="B13",
    name="b13_an_unknown_cost_given_back",
    fault="An answer, and evidence, that name no amount; then more is asked for than the budget leaves.",
    rules=("COST.2", "COST.4", "COST.5"),
    defects=("missing_amount_is_zero", "confirmed_booked_as_zero"),
    stories=(without_usage,),
    contracts=(Contract.SETTLE,),
)
