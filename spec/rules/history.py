"""HISTORY: what happened can be read. (The chapter grows with streams, replay and payloads.)"""

from keepfact.spec.chain import event_digest
from keepfact.spec.chapter import Chapter, Resume
from keepfact.spec.vocabulary import (
    ENDS,
    WAITS,
    Act,
    CallKind,
    CallState,
    EventType,
    EventView,
    Intend,
    Reason,
    Refused,
    RunState,
    RunView,
    Step,
    Tick,
)

chapter = Chapter("HISTORY", "What happened can be read")

_MOVES = {
    EventType.ADMITTED: frozenset({RunState.QUEUED}),
    EventType.RELEASED: frozenset({RunState.QUEUED}),
    EventType.GRANTED: frozenset({RunState.RUNNING}),
    EventType.WAITED: WAITS,
    EventType.CANCEL_REQUESTED: frozenset({RunState.CANCELLING}),
    EventType.SEALED: frozenset({RunState.UNKNOWN}),
    EventType.ENDED: ENDS,
}
_CHANGES_A_CALL = {EventType.ANSWERED, EventType.LOST, EventType.RECONCILED}


@chapter.rule(1)
def events_are_numbered_without_gaps(step: Step) -> bool | None:
    """Events are numbered 1, 2, 3 without gaps, in the order they were committed."""
    if not step.new_events or step.new is None:
        return None
    return [event.number for event in step.new.history] == list(range(1, len(step.new.history) + 1))


@chapter.rule(2)
def every_event_is_chained(step: Step) -> bool | None:
    """Each event carries a digest of itself and of the event before it, so that no one of them can be exchanged."""
    if not step.new_events or step.new is None or all(event.digest is None for event in step.new.history):
        return None
    previous = [None, *(event.digest for event in step.new.history)]
    return all(
        event.digest == event_digest(event) and event.previous_digest == before
        for event, before in zip(step.new.history, previous, strict=False)
    )


@chapter.rule(3, implies=Resume.PREFIX_CONTINUATION)
def the_past_is_never_changed(step: Step) -> bool | None:
    """No event is ever changed or removed, and no run disappears."""
    if isinstance(step.cause, Tick | Act) or not step.before.runs:
        return None
    return all(_goes_on(old, step.after.run(old.run)) for old in step.before.runs)


@chapter.rule(4)
def state_is_the_fold_of_the_history(step: Step) -> bool | None:
    """A run is what its history says: the last event that moves it decides its state, and no call and no publication
    comes, goes or changes untold.
    """
    if step.new is None or step.new == step.old:
        return None
    return step.new.state in _states_told(step.new.history) and _is_told(step.old, step.new, step.new_events)


@chapter.rule(7)
def asking_again_is_a_new_attempt(step: Step) -> bool | None:
    """Asking the model again is a new attempt that names the one it supersedes; only an attempt whose answer was lost
    is asked again, and it stays as it was, with its cost.
    """
    if not isinstance(step.cause, Intend) or step.cause.supersedes is None or step.old is None or step.is_repeat:
        return None
    earlier = step.old.call(step.cause.supersedes)
    was_lost = earlier is not None and earlier.state in {CallState.UNKNOWN, CallState.NOT_FOUND}
    may = was_lost and earlier is not None and {earlier.kind, step.cause.kind} == {CallKind.ATTEMPT}
    if step.outcome == Refused(Reason.NOT_SUPERSEDABLE):
        return not may
    if not step.took_effect or step.old.call(step.cause.call) is not None:
        return None
    again = step.new.call(step.cause.call) if step.new else None
    named = again is not None and again.supersedes == step.cause.supersedes
    return may and named and step.new is not None and step.new.call(step.cause.supersedes) == earlier


def _goes_on(old: RunView, new: RunView | None) -> bool:
    return new is not None and new.history[: len(old.history)] == old.history


def _states_told(history: tuple[EventView, ...]) -> frozenset[RunState]:
    """Where the run may stand by its last event that moves it. Events do not say which end an end is."""
    moves = [_MOVES[event.type] for event in history if event.type in _MOVES]
    return moves[-1] if moves else frozenset()


def _is_told(old: RunView | None, new: RunView, events: tuple[EventView, ...]) -> bool:
    """Every call and publication that came, and every call that changed, has its event."""
    before = {call.call: call for call in old.calls} if old else {}
    after = {call.call: call for call in new.calls}
    intended = [event.concerns for event in events if event.type is EventType.INTENDED]
    told = {event.concerns for event in events if event.type in _CHANGES_A_CALL}
    published = sum(event.type is EventType.PUBLISHED for event in events)
    return (
        [call for call in after if call not in before] == intended
        and all(after.get(name) == call or name in told for name, call in before.items())
        and len(new.publications) - (len(old.publications) if old else 0) == published
    )
