"""HISTORY: what happened can be read. (The chapter grows with streams, replay and payloads.)"""

from keepfact.spec.chain import event_digest
from keepfact.spec.chapter import Chapter, Resume
from keepfact.spec.vocabulary import Asked, EventType, RunState, RunView, Step

chapter = Chapter("HISTORY", "What happened can be read")


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
    if not isinstance(step.cause, Asked) or not step.before.runs:
        return None
    return all(_goes_on(old, step.after.run(old.run)) for old in step.before.runs)


@chapter.rule(4)
def state_is_the_fold_of_the_history(step: Step) -> bool | None:
    """The state of a run is what its history says: the last event that moves it decides where it stands."""
    if step.new is None or not step.new.history:
        return None
    if not step.new_events and (step.old is None or step.old.state is step.new.state):
        return None
    folded = RunState.QUEUED
    for event in step.new.history:
        match event.type:
            case EventType.ADMITTED | EventType.RELEASED:
                folded = RunState.QUEUED
            case EventType.GRANTED:
                folded = RunState.RUNNING
            case EventType.SEALED:
                folded = RunState.UNKNOWN
            case EventType.ENDED:
                return step.new.state.value in {"succeeded", "failed", "cancelled", "interrupted"}
            case _:
                pass
    return step.new.state is folded


def _goes_on(old: RunView, new: RunView | None) -> bool:
    return new is not None and new.history[: len(old.history)] == old.history
