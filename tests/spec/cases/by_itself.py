"""A worker that takes a run up, or sends a call once more, by itself: seen only as what was so before and is after."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    CallId,
    CallState,
    Contract,
    EntryPoint,
    EventType,
    Fence,
    RunState,
    RunView,
    Step,
    WorkerRan,
)

from ..cancelling import recognised
from ..steps import (
    PAY,
    RUN,
    WORKER_RAN,
    accepts,
    call,
    is_silent,
    open_,
    over,
    rejects,
    run,
    step,
    then,
    told,
)
from ..waking import woken
from .recovering import RESUMABLE, RESUMED
from .sending import MISSED, NOT_FOUND, SENDABLE, SENT, sent
from .settle import BY_RECOVERY
from .waits import ACCEPTED, CONSUMED, READY, WAITING, WOKEN, only

TOOK_OVER, TOOK_UP = (WorkerRan(RUN, door) for door in (EntryPoint.RECOVER, EntryPoint.WAKE))

NAMELESS = then(
    READY, EventType.GRANTED, by=EntryPoint.WAKE, state=RunState.RUNNING, worker=WOKEN.worker,
    lease_left_seconds=30, fence=Fence(2), waits=WOKEN.waits,
)  # fmt: skip

DISPATCHED = then(
    RESUMED, (EventType.INTENDED, "another"), by=BY_RECOVERY, calls=(*RESUMED.calls, call(CallId("another"), ceiling=1))
)
DYING = replace(RESUMABLE, deaths=1)
SETTLED = over(
    DYING, RunState.UNKNOWN, (EventType.LOST, PAY), EventType.SEALED, by=BY_RECOVERY, calls=RESUMED.calls,
    sealed_for=RunState.INTERRUPTED, deaths=2,
)  # fmt: skip
NOT_RECOGNISED = run(calls=(replace(recognised(), recognises=False),))
IN_FLIGHT = run(calls=(recognised(CallState.OPEN),))
FOUND_AGAIN = replace(MISSED, state=CallState.OPEN, sends=2)

GOES_ON = step(TOOK_OVER, RESUMABLE, RESUMED)
WAKES = step(TOOK_UP, READY, WOKEN)
LEAVES_ONE_OPEN = then(RESUMED, calls=(open_(),))
TELLS_NO_LOSS = then(RESUMABLE, EventType.GRANTED, by=BY_RECOVERY, calls=RESUMED.calls, fence=Fence(2), deaths=1)


def works(before: RunView, after: RunView) -> Step:
    """A worker at work in between."""
    return step(WORKER_RAN, before, after)


CASES = [
    accepts("ENTRY.2", "a worker that recovers a run, and signs so", GOES_ON),
    accepts("ENTRY.2", "a worker that takes a wake up, and signs so", WAKES),
    rejects("ENTRY.2", "a recovery in the midst of a worker's work", works(RESUMABLE, RESUMED)),
    rejects("ENTRY.2", "a wake in the midst of a worker's work", works(READY, WOKEN)),
    rejects("ENTRY.2", "work at the door of wakes", step(TOOK_UP, READY, told(WOKEN, EventType.INTENDED, open_()))),
    rejects("ENTRY.3", "a worker that dispatches while it recovers", step(TOOK_OVER, RESUMABLE, DISPATCHED)),
    accepts("ENTRY.4", "a grant to a worker that recovers", GOES_ON),
    accepts("ENTRY.4", "a grant to a worker with an accepted wake", WAKES),
    rejects(
        "ENTRY.4", "a recovery under a live lease", step(TOOK_OVER, replace(RESUMABLE, lease_left_seconds=9), RESUMED)
    ),
    rejects(
        "ENTRY.4",
        "a grant to recovery by settle",
        step(TOOK_OVER, replace(RESUMABLE, contract=Contract.SETTLE), RESUMED),
    ),
    rejects("ENTRY.4", "a grant by a wake that nobody accepted", step(TOOK_UP, WAITING, woken(WAITING))),
    rejects("ENTRY.4", "a grant to a worker at work", works(READY, WOKEN)),
    accepts("EFFECT.7", "a worker that repeats what its tool recognises", works(SENDABLE, sent(SENDABLE, SENT))),
    accepts("EFFECT.7", "the same, lost and sent again at once", works(IN_FLIGHT, sent(IN_FLIGHT, SENT))),
    accepts("EFFECT.7", "a worker that repeats what was not found", works(NOT_FOUND, sent(NOT_FOUND, FOUND_AGAIN))),
    rejects(
        "EFFECT.7",
        "a worker that repeats what no tool recognises",
        works(NOT_RECOGNISED, sent(NOT_RECOGNISED, replace(SENT, recognises=False))),
    ),
    is_silent("EFFECT.7", "a worker repeats nothing", works(run(), told(run(), EventType.INTENDED, open_()))),
    accepts("EFFECT.13", "a death that a recovering worker counts", GOES_ON),
    accepts("EFFECT.13", "a worker that settles at the limit", step(TOOK_OVER, DYING, SETTLED)),
    rejects("EFFECT.13", "a death that its successor forgets", step(TOOK_OVER, RESUMABLE, replace(RESUMED, deaths=0))),
    rejects("EFFECT.13", "a worker that goes on at the limit", step(TOOK_OVER, DYING, replace(RESUMED, deaths=2))),
    accepts("SETTLE.7", "a worker that recovers a run and goes on", GOES_ON),
    rejects(
        "SETTLE.7", "a worker that leaves a call open", step(TOOK_OVER, RESUMABLE, then(RESUMED, calls=(open_(),)))
    ),
    is_silent("SETTLE.7", "a worker found nothing to recover", step(TOOK_OVER, RESUMABLE, RESUMABLE)),
    accepts("SETTLE.8", "a worker's recovery that tells its losses, then its grant", GOES_ON),
    rejects("SETTLE.8", "a worker's recovery that tells no losses", step(TOOK_OVER, RESUMABLE, TELLS_NO_LOSS)),
    accepts("WAKE.5", "a wake that a worker takes up by itself", WAKES),
    rejects("WAKE.5", "a second grant to a worker by one wake", step(TOOK_UP, WOKEN, woken(WOKEN))),
    rejects("WAKE.5", "a worker's grant that uses no wake up", step(TOOK_UP, READY, only(WOKEN, state=ACCEPTED))),
    rejects("WAKE.5", "a worker's grant that names no wait", step(TOOK_UP, READY, NAMELESS)),
    rejects("WAKE.5", "a wake used up in the midst of work", works(READY, only(READY, state=CONSUMED))),
    is_silent("WAKE.5", "a worker found nothing to take up", step(TOOK_UP, READY, READY)),
]
