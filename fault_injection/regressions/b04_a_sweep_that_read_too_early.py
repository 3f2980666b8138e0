"""B04: a sweep lists what seems lost, and writes when that is no longer so."""

from keepfact.spec.vocabulary import Capability, Claim, Contract, Recover, Release, Renew, Tick

from ..regression import Regression
from ..told import FIRST, ID, RUN, SECOND, SUCCESSOR, Told, done, fault, finishes, happens, lapses, refused, running


def renewed(lease_seconds: int) -> tuple[Told, ...]:
    """The worker renewed in time: nothing is lost."""
    return (
        *running(Contract.SETTLE),
        happens(Tick(lease_seconds - 1)),
        done(Renew(ID, RUN, FIRST)),
        happens(Tick(lease_seconds - 1)),
        fault(refused(Recover(ID, RUN))),
        *finishes(FIRST),
        fault(refused(Recover(ID, RUN, seen_fence=FIRST))),
    )


def claimed_afresh(lease_seconds: int) -> tuple[Told, ...]:
    """Another works on it by now, under another fence than the one that was read."""
    return (
        *running(Contract.SETTLE),
        done(Release(ID, RUN, FIRST)),
        done(Claim(ID, RUN, SUCCESSOR)),
        lapses(lease_seconds),
        fault(refused(Recover(ID, RUN, seen_fence=FIRST))),
        done(Recover(ID, RUN, seen_fence=SECOND)),
    )


REGRESSION = Regression(
    case="B04",
    name="b04_a_sweep_that_read_too_early",
    fault="Between what a sweep has read and what it writes the worker renews or finishes, or another claims the run.",
    rules=("FENCE.4", "FENCE.5"),
    defects=("living_run_recovered", "sweep_by_id_only"),
    stories=(renewed, claimed_afresh),
    contracts=(Contract.SETTLE,),
    needs=frozenset({Capability.SWEEPS}),
)
