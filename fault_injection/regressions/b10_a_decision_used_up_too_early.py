"""B10: taking up a decision uses it up before what it unlocks is durable; then nobody remembers that it was given."""

from keepfact.spec.vocabulary import Capability, Contract, Fence, Recover

from ..regression import Regression
from ..told import (
    ID,
    RUN,
    SUCCESSOR,
    WORKER,
    Told,
    approved_intent,
    decide,
    done,
    fault,
    lapses,
    refused,
    request_approval,
    running,
    unheard,
    wake,
)


def dies_after_its_wake(lease_seconds: int) -> tuple[Told, ...]:
    """The worker that took the decision up dies at once, and the person's client repeats it."""
    return (
        *running(Contract.RESUME),
        done(request_approval(3 * lease_seconds)),
        done(decide()),
        fault(unheard(wake(WORKER))),
        lapses(lease_seconds),
        fault(done(decide())),
        done(Recover(ID, RUN, SUCCESSOR)),
        fault(done(decide())),
        fault(refused(decide(approved=False))),
        done(approved_intent(Fence(3))),
    )


REGRESSION = Regression(
    case="B10",
    name="b10_a_decision_used_up_too_early",
    fault="The worker dies after it has taken a decision up, before it did anything, and the decision is repeated.",
    rules=("WAKE.10", "APPROVAL.5", "APPROVAL.6"),
    defects=("decision_used_up_by_the_wake",),
    stories=(dies_after_its_wake,),
    contracts=(Contract.RESUME,),
    needs=frozenset({Capability.WAITS, Capability.APPROVALS}),
)
