"""B19: a reader sees that a run is not over, subscribes when its end was told to nobody, and hears nothing more."""

from keepfact.spec.vocabulary import Capability, Contract, Publish, Stream, Succeed

from ..regression import Regression
from ..told import FIRST, ID, RUN, Told, done, fault, running


def comes_after_the_end(lease_seconds: int) -> tuple[Told, ...]:
    """It reads before the end and after, from where it was, from the end itself, and from past it."""
    return (
        *running(Contract.SETTLE),
        done(Publish(ID, RUN, FIRST, "all that is needed", True)),
        done(Stream(ID, RUN, 0)),
        done(Stream(ID, RUN, 3)),
        done(Succeed(ID, RUN, FIRST)),
        fault(done(Stream(ID, RUN, 3))),
        fault(done(Stream(ID, RUN, 4))),
        fault(done(Stream(ID, RUN, 0))),
    )


REGRESSION = Regression(
    case="B19",
    name="b19_a_stream_that_does_not_end",
    fault="A reader comes back after the end of a run, with the number of each event that it may have seen last.",
    rules=("HISTORY.6",),
    defects=("stream_never_over",),
    stories=(comes_after_the_end,),
    contracts=(Contract.SETTLE,),
    needs=frozenset({Capability.STREAMS}),
    not_shown=("A reader that is connected while the run ends is told by client_reconnects.",),
)
