"""Replays come to the same decision, streams miss nothing."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    Done,
    EventType,
    Reason,
    RunState,
    RunView,
    Streamed,
)

from ..continuing import left, replay, stream
from ..steps import (
    DONE,
    LOST,
    OBSERVE,
    TICK,
    accepts,
    body,
    call,
    is_silent,
    nothing,
    publish,
    refused,
    rejects,
    renew,
    run,
    step,
    then,
    truth,
)
from .payloads import ENDED, RUNNING

PUBLISHED = then(RUNNING, EventType.PUBLISHED, publications=(body(),))

DECIDED = replace(RUNNING, next_decision="pay")

NO_RUN = refused(Reason.NO_SUCH_RUN)

SEALED = run(RunState.UNKNOWN, sealed_for=RunState.FAILED, calls=(call(),))


def missed(*numbers: int, of: RunView = RUNNING, is_over: bool = False) -> Done:
    """The events of these numbers, in the order in which they are named."""
    return Done(stream=Streamed(tuple(of.history[number - 1] for number in numbers), is_over))


CASES = [
    accepts("HISTORY.5", "a replay that comes to what is shown", nothing(replay(), DECIDED, Done(decision="pay"))),
    accepts("HISTORY.5", "the same on another host", nothing(replay("other"), DECIDED, Done(decision="pay"))),
    accepts("HISTORY.5", "a replay of what is not there", nothing(replay(), None, NO_RUN)),
    accepts(
        "HISTORY.5",
        "a heartbeat that leaves the decision",
        step(renew(), replace(DECIDED, lease_left_seconds=3), DECIDED),
    ),
    accepts(
        "HISTORY.5",
        "time that leaves the decision",
        step(TICK, replace(DECIDED, lease_left_seconds=30), replace(DECIDED, lease_left_seconds=29)),
    ),
    rejects("HISTORY.5", "another decision on replay", nothing(replay(), DECIDED, Done(decision="ask"))),
    rejects("HISTORY.5", "a replay without a decision", nothing(replay(), DECIDED, DONE)),
    rejects("HISTORY.5", "a replay of nothing", nothing(replay(), None, Done(decision="pay"))),
    rejects(
        "HISTORY.5",
        "a replay that writes",
        step(replay(), DECIDED, then(DECIDED, EventType.MARKED), Done(decision="pay")),
    ),
    rejects("HISTORY.5", "a replay that writes unheard", step(replay(), DECIDED, replace(DECIDED, deaths=1), LOST)),
    rejects(
        "HISTORY.5",
        "a replay that calls the tool",
        step(replay(), DECIDED, DECIDED, Done(decision="pay"), truth=truth()),
    ),
    rejects(
        "HISTORY.5", "another decision after a heartbeat", step(renew(), DECIDED, replace(DECIDED, next_decision="ask"))
    ),
    rejects("HISTORY.5", "a decision that time takes away", step(TICK, DECIDED, replace(DECIDED, next_decision=None))),
    rejects(
        "HISTORY.5",
        "another run's decision that changes",
        step(renew(), RUNNING, RUNNING, others=(left(next_decision="pay"), left(next_decision="ask"))),
    ),
    is_silent("HISTORY.5", "no decision is shown", step(renew(), run(lease=3), RUNNING)),
    is_silent("HISTORY.5", "the replay never arrived", nothing(replay(), RUNNING, LOST)),
    is_silent("HISTORY.5", "the history grows", step(publish(), DECIDED, replace(PUBLISHED, next_decision="ask"))),
    accepts("HISTORY.6", "all events from the first", nothing(stream(0), RUNNING, missed(1, 2))),
    accepts("HISTORY.6", "only what was missed", nothing(stream(1), RUNNING, missed(2))),
    accepts("HISTORY.6", "nothing new", nothing(stream(2), RUNNING, missed())),
    accepts("HISTORY.6", "the end of a run", nothing(stream(2), ENDED, missed(3, of=ENDED, is_over=True))),
    accepts("HISTORY.6", "a stream opened after the end", nothing(stream(3), ENDED, missed(is_over=True))),
    accepts("HISTORY.6", "a sealed run, of which more can be told", nothing(stream(3), SEALED, missed())),
    rejects("HISTORY.6", "a gap", nothing(stream(0), RUNNING, missed(2))),
    rejects("HISTORY.6", "an event that was had before", nothing(stream(1), RUNNING, missed(1, 2))),
    rejects("HISTORY.6", "an event told twice", nothing(stream(1), RUNNING, missed(2, 2))),
    rejects("HISTORY.6", "events out of order", nothing(stream(0), RUNNING, missed(2, 1))),
    rejects("HISTORY.6", "an event that was not committed", nothing(stream(2), RUNNING, missed(3, of=PUBLISHED))),
    rejects(
        "HISTORY.6", "another event in its place", nothing(stream(2), ENDED, missed(3, of=PUBLISHED, is_over=True))
    ),
    rejects("HISTORY.6", "a stream that stays open after the end", nothing(stream(3), ENDED, missed())),
    rejects("HISTORY.6", "a stream that ends too early", nothing(stream(2), RUNNING, missed(is_over=True))),
    rejects("HISTORY.6", "a sealed run that is called over", nothing(stream(3), SEALED, missed(is_over=True))),
    rejects("HISTORY.6", "no stream at all", nothing(stream(0), RUNNING, DONE)),
    rejects("HISTORY.6", "a stream of what is not there", nothing(stream(0), None, missed())),
    rejects(
        "HISTORY.6",
        "a reader that is counted",
        step(stream(0), RUNNING, then(RUNNING, EventType.MARKED), missed(1, 2)),
    ),
    rejects("HISTORY.6", "the same unheard", step(stream(0), RUNNING, then(RUNNING, EventType.MARKED), LOST)),
    rejects("HISTORY.6", "a reader that calls", step(stream(0), RUNNING, RUNNING, missed(1, 2), truth=truth())),
    is_silent("HISTORY.6", "there is no run", nothing(stream(0), None, NO_RUN)),
    is_silent("HISTORY.6", "the stream broke", nothing(stream(0), RUNNING, LOST)),
    is_silent("HISTORY.6", "it is the first answer again", nothing(stream(0), ENDED, missed(1), repeats=missed(1))),
    is_silent("HISTORY.6", "nobody reads on", nothing(OBSERVE, RUNNING, DONE)),
]
