"""B09: several surfaces let a person decide; some start the run, some count on a waiter, and it runs twice or never."""

from keepfact.spec.vocabulary import Capability, Contract

from ..regression import Regression
from ..told import (
    SUCCESSOR,
    WORKER,
    Told,
    approved,
    approved_intent,
    decide,
    done,
    fault,
    refused,
    wake,
)


def two_resumers(lease_seconds: int) -> tuple[Told, ...]:
    """One decision, said on two surfaces, and two workers that have heard of it."""
    return (
        *approved(Contract.SETTLE, lease_seconds),
        fault(done(decide())),
        fault(done(wake(WORKER))),
        fault(refused(wake(SUCCESSOR))),
        fault(done(decide())),
        done(approved_intent()),
        fault(refused(wake(SUCCESSOR))),
    )


def the_waiter_is_gone(lease_seconds: int) -> tuple[Told, ...]:
    """The worker that had asked is not there any more; another takes the decision up, and the first comes late."""
    return (
        *approved(Contract.SETTLE, lease_seconds),
        fault(done(wake(SUCCESSOR))),
        fault(refused(wake(WORKER))),
        fault(done(decide())),
        done(approved_intent()),
    )


REGRESSION = Regression(
    case="B09",
    name="b09_an_answer_that_resumes_twice",
    fault="A person's decision comes on two surfaces, and every worker that hears of it would take the run up.",
    rules=("WAKE.5", "WAKE.10", "APPROVAL.5"),
    defects=("wake_used_twice",),
    stories=(two_resumers, the_waiter_is_gone),
    contracts=(Contract.SETTLE,),
    needs=frozenset({Capability.WAITS, Capability.APPROVALS}),
)
