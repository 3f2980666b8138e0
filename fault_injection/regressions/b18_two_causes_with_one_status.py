"""B18: a run that was asked to stop looks like one that waits for an answer, and the next message is taken for that."""

from keepfact.spec.vocabulary import Cancel, Capability, Contract, Deliver, Recover, Stop, Wait, WaitId, WaitKind, Wake

from ..regression import Regression
from ..told import FIRST, ID, RUN, WORKER, Told, done, fault, lapses, refused, running

QUESTION = WaitId("question")


def stopped_while_waiting(lease_seconds: int) -> tuple[Told, ...]:
    """It waits for a person, is asked to stop, and then the person says something."""
    return (
        *running(Contract.SETTLE),
        done(Wait(ID, RUN, FIRST, QUESTION, WaitKind.CALLBACK, "which of the two?", 2 * lease_seconds)),
        fault(done(Cancel(ID, RUN))),
        fault(done(Deliver(ID, RUN, QUESTION, WaitKind.CALLBACK, 1, "the first"))),
        fault(refused(Wake(ID, RUN, QUESTION, WORKER, "which of the two?"))),
    )


def stopped_by_its_worker(lease_seconds: int) -> tuple[Told, ...]:
    """Its worker hears that it was asked to stop, and stops."""
    return *running(Contract.SETTLE), done(Cancel(ID, RUN)), fault(done(Stop(ID, RUN, FIRST)))


def stopped_at_work(lease_seconds: int) -> tuple[Told, ...]:
    """Its worker dies after the run was asked to stop: it ends as cancelled, and not as one that lost its worker."""
    return (
        *running(Contract.SETTLE),
        fault(done(Cancel(ID, RUN))),
        lapses(lease_seconds),
        fault(done(Recover(ID, RUN))),
    )


REGRESSION = Regression(
    case="B18",
    name="b18_two_causes_with_one_status",
    fault="A run is asked to stop while it waits for a person, or before its worker dies.",
    rules=("CANCEL.4", "CANCEL.5", "WAKE.1"),
    defects=("cancelled_run_still_waits", "cancelled_told_as_interrupted"),
    stories=(stopped_while_waiting, stopped_by_its_worker, stopped_at_work),
    contracts=(Contract.SETTLE,),
    needs=frozenset({Capability.CANCELLING, Capability.WAITS}),
    not_shown=("That what a person says to a run which was stopped is handed to the next one is a client's affair.",),
)
