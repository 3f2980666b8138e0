"""B06: numbers are given out before the commit: a reader sees the higher one, goes on from it, and misses the lower."""

from keepfact.spec.vocabulary import Capability, Contract, Deliver, Publish, Stream, WaitId, WaitKind

from ..at_once import AtOnce
from ..told import FIRST, ID, RUN, Told, running


def at_work(lease_seconds: int) -> tuple[Told, ...]:
    """A worker is at work, and somebody reads along."""
    return running(Contract.SETTLE)


REGRESSION = AtOnce(
    case="B06",
    name="b06_a_number_before_its_commit",
    fault="A reader comes while two writers of one run have written and not yet committed, in every order.",
    rules=("HISTORY.2", "HISTORY.3", "HISTORY.6"),
    defects=("numbers_from_a_sequence",),
    stories=(at_work,),
    commands=(
        Publish(ID, RUN, FIRST, "all that was wanted", True),
        Deliver(ID, RUN, WaitId("report"), WaitKind.CALLBACK, 1, "came early"),
        Stream(ID, RUN, 2),
    ),
    contracts=(Contract.SETTLE,),
    needs=frozenset({Capability.STREAMS, Capability.WAITS}),
)
