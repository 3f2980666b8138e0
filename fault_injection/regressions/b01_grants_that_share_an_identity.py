"""B01: the holder of a lease is known by its name, so that its former grant works again when it is granted another."""

from keepfact.spec.vocabulary import Claim, Contract, Fence, Publish, Recover, Release, Renew, Succeed

from ..regression import Regression
from ..told import FIRST, ID, RUN, SECOND, WORKER, Told, done, fault, finishes, lapses, refused, running


def handed_back(lease_seconds: int) -> tuple[Told, ...]:
    """The same worker is granted the run again, and what it had sent under its first grant arrives."""
    return (
        *running(Contract.SETTLE),
        done(Release(ID, RUN, FIRST)),
        fault(done(Claim(ID, RUN, WORKER))),
        *_late_under(FIRST),
        *finishes(SECOND),
    )


def stalled(lease_seconds: int) -> tuple[Told, ...]:
    """It stalls, loses its lease, takes the run up again, and then wakes in the middle of its first attempt."""
    return (
        *running(Contract.RESUME),
        lapses(lease_seconds),
        fault(done(Recover(ID, RUN, WORKER))),
        *_late_under(FIRST),
        *finishes(SECOND),
    )


def _late_under(fence: Fence) -> tuple[Told, ...]:
    late = (
        Renew(ID, RUN, fence),
        Release(ID, RUN, fence),
        Publish(ID, RUN, fence, "late", True),
        Succeed(ID, RUN, fence),
    )
    return tuple(fault(refused(write)) for write in late)


REGRESSION = Regression(
    case="B01",
    name="b01_grants_that_share_an_identity",
    fault="A worker is granted a run that it had before, and its former attempt renews, releases, publishes and ends.",
    rules=("FENCE.1", "FENCE.2", "FENCE.8"),
    defects=("fence_of_the_worker", "heartbeat_unfenced"),
    stories=(handed_back, stalled),
)
