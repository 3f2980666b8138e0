"""B12: a parked run keeps "the latest" instead of what that was, and wakes on another version."""

from keepfact.spec.vocabulary import (
    FIRST_BUNDLE,
    BundleId,
    Capability,
    Claim,
    Contract,
    Deploy,
    Restarted,
    RunId,
    Submit,
)

from ..regression import Regression
from ..told import (
    BUDGET_CENTS,
    ID,
    WORKER,
    Told,
    approved_intent,
    decide,
    done,
    fault,
    happens,
    refused,
    request_approval,
    running,
    wake,
)

NEW = BundleId("bundle-of-b12")


def released_meanwhile(lease_seconds: int) -> tuple[Told, ...]:
    """While the run waits a new bundle is deployed; only a worker that serves the old one may take it up."""
    return (
        *running(Contract.SETTLE),
        done(request_approval(lease_seconds)),
        happens(Restarted()),
        done(Deploy(ID, NEW, replayed=1, diverged=0)),
        done(decide()),
        fault(refused(wake(WORKER, supports=(NEW,)))),
        fault(done(wake(WORKER, supports=(NEW, FIRST_BUNDLE)))),
        done(approved_intent()),
        done(Submit(ID, RunId("later"), Contract.SETTLE, BUDGET_CENTS)),
        fault(refused(Claim(ID, RunId("later"), WORKER))),
        fault(done(Claim(ID, RunId("later"), WORKER, supports=(NEW,)))),
    )


REGRESSION = Regression(
    case="B12",
    name="b12_a_selector_resolved_again",
    fault="A release rolls out while an approval is pending, and the run is woken by workers of the new one.",
    rules=("VERSION.5", "VERSION.1"),
    defects=("selector_resolved_again",),
    stories=(released_meanwhile,),
    contracts=(Contract.SETTLE,),
    needs=frozenset({Capability.WAITS, Capability.APPROVALS, Capability.RELEASES}),
)
