"""B24: a lost job is rescued and delivers its state after a newer one: what the user sees goes back."""

from keepfact.spec.vocabulary import CommandId, Contract, Publish, Recover, Succeed

from ..regression import Regression
from ..told import FIRST, ID, RUN, SECOND, SUCCESSOR, Told, done, fault, lapses, refused, running

STATE_1 = CommandId("state-1")


def rescued(lease_seconds: int) -> tuple[Told, ...]:
    """Two versions were published; neither recovery nor the worker that comes late brings the first one back."""
    return (
        *running(Contract.SETTLE),
        done(Publish(ID, RUN, FIRST, "state 1", True)),
        done(Publish(ID, RUN, FIRST, "state 2", True)),
        lapses(lease_seconds),
        fault(done(Recover(ID, RUN))),
        fault(refused(Publish(ID, RUN, FIRST, "state 1", True))),
    )


def repeated(lease_seconds: int) -> tuple[Told, ...]:
    """Whoever goes on repeats, under its own id, what was published first: it is answered, and not published again."""
    first = Publish(STATE_1, RUN, FIRST, "state 1", True)
    return (
        *running(Contract.RESUME),
        done(first),
        done(Publish(ID, RUN, FIRST, "state 2", True)),
        lapses(lease_seconds),
        fault(done(Recover(ID, RUN, SUCCESSOR))),
        fault(done(first)),
        fault(refused(Publish(ID, RUN, FIRST, "state 1", True))),
        done(Succeed(ID, RUN, SECOND)),
    )


REGRESSION = Regression(
    case="B24",
    name="b24_an_older_body_published_again",
    fault="A worker dies after its second publication; its run is recovered, and its first publication comes again.",
    rules=("ENTRY.3", "FENCE.8"),
    defects=("recovery_publishes_an_old_body_again",),
    stories=(rescued, repeated),
)
