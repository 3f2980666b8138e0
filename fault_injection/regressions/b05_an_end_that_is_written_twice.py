"""B05: a worker finishes the run that a peer, or a person, has ended at the same moment, and both are written."""

from keepfact.spec.vocabulary import Cancel, Capability, Contract, Fail, Recover, Succeed

from ..regression import Regression
from ..told import FIRST, ID, RUN, Told, done, fault, finishes, lapses, refused, running


def taken_for_dead(lease_seconds: int) -> tuple[Told, ...]:
    """Its heartbeat came late, the run was ended for it, and it finishes."""
    return (
        *running(Contract.SETTLE),
        lapses(lease_seconds),
        done(Recover(ID, RUN)),
        fault(refused(Succeed(ID, RUN, FIRST))),
        fault(refused(Fail(ID, RUN, FIRST))),
        fault(refused(Recover(ID, RUN))),
    )


def finished_first(lease_seconds: int) -> tuple[Told, ...]:
    """It has finished, and is asked to stop."""
    return (
        *running(Contract.SETTLE),
        *finishes(FIRST),
        fault(refused(Cancel(ID, RUN))),
        fault(refused(Fail(ID, RUN, FIRST))),
    )


REGRESSION = Regression(
    case="B05",
    name="b05_an_end_that_is_written_twice",
    fault="A run that was ended is ended again: by the worker that was taken for dead, and by who asked it to stop.",
    rules=("FENCE.6", "FENCE.8", "CANCEL.4"),
    defects=("end_overwritten", "sealed_run_cancelled"),
    stories=(taken_for_dead, finished_first),
    contracts=(Contract.SETTLE,),
    needs=frozenset({Capability.CANCELLING}),
    not_shown=("Two ends come one after the other here; at the same moment they come where commands meet.",),
)
