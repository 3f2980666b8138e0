"""B16: arming a timer takes two writes, the process dies between them, and the run sleeps for ever."""

from keepfact.spec.vocabulary import (
    Capability,
    Contract,
    Deliver,
    Restarted,
    Tick,
    Wait,
    WaitId,
    WaitKind,
    Wake,
)

from ..regression import Regression
from ..told import FIRST, ID, RUN, SECOND, WORKER, Told, done, fault, finishes, happens, refused, running, unheard

TIMER = WaitId("timer")


def armed(lease_seconds: int) -> tuple[Told, ...]:
    """Whoever armed it has not heard that it is armed, and everything starts anew; still the timer comes."""
    seconds = 2 * lease_seconds
    return (
        *running(Contract.SETTLE),
        fault(unheard(Wait(ID, RUN, FIRST, TIMER, WaitKind.TIMER, "until tomorrow", seconds))),
        fault(happens(Restarted())),
        refused(Deliver(ID, RUN, TIMER, WaitKind.TIMER, 1, "due")),
        happens(Tick(seconds)),
        done(Deliver(ID, RUN, TIMER, WaitKind.TIMER, 1, "due")),
        done(Wake(ID, RUN, TIMER, WORKER, "until tomorrow")),
        *finishes(SECOND),
    )


REGRESSION = Regression(
    case="B16",
    name="b16_a_timer_that_no_sweep_can_see",
    fault="The answer to arming a timer is lost, and the system starts anew before the timer is due.",
    rules=("WAKE.1", "WAKE.2"),
    defects=("timer_told_but_not_armed",),
    stories=(armed,),
    contracts=(Contract.SETTLE,),
    needs=frozenset({Capability.WAITS}),
)
