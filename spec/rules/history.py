"""HISTORY: what happened can be read. (What is said of large and impossible texts stands in `payloads`.)"""

from dataclasses import replace

from keepfact.spec.chain import event_digest
from keepfact.spec.chapter import Chapter, Resume
from keepfact.spec.vocabulary import (
    ENDS,
    MOVES,
    Act,
    CallKind,
    CallState,
    CallView,
    Cancel,
    Capability,
    Done,
    EventType,
    EventView,
    Intend,
    OfRun,
    Reason,
    Refused,
    Replay,
    RunState,
    RunView,
    Spawn,
    Step,
    Stream,
    Streamed,
    Tick,
    WaitId,
)

chapter = Chapter("HISTORY", "What happened can be read")

_SAYS_OF_A_CALL = {
    EventType.INTENDED,
    EventType.ANSWERED,
    EventType.LOST,
    EventType.RECONCILED,
    EventType.SENT_AGAIN,
}
_COMES: dict[str, frozenset[EventType]] = {
    "publications": frozenset({EventType.PUBLISHED}),
    "children": frozenset({EventType.SPAWNED}),
    "waits": frozenset({EventType.WAITED}),
    "arrivals": frozenset({EventType.ARRIVED, EventType.ARRIVED_LATE}),
    "markers": frozenset({EventType.MARKED}),
}
"""How one more of each is told."""


@chapter.rule(1, of_changes=True, about=OfRun)
def events_are_numbered_without_gaps(step: Step) -> bool | None:
    """Events are numbered 1, 2, 3 without gaps, in the order they were committed."""
    if not step.new_events or step.new is None:
        return None
    return [event.number for event in step.new.history] == list(range(1, len(step.new.history) + 1))


@chapter.rule(2, of_changes=True, about=OfRun)
def every_event_is_chained(step: Step) -> bool | None:
    """Each event carries a digest of itself and of the event before it, made as `EventView` says, so that no one of
    them can be exchanged.
    """
    if not step.new_events or step.new is None or all(event.digest is None for event in step.new.history):
        return None
    digests = [event.digest for event in step.new.history]
    return digests == [event_digest(event) for event in step.new.history] and [
        event.previous_digest for event in step.new.history
    ] == [None, *digests[:-1]]


@chapter.rule(3, of_changes=True, implies=Resume.PREFIX_CONTINUATION)
def the_past_is_never_changed(step: Step) -> bool | None:
    """No event is ever changed or removed, and no run disappears."""
    if step.changed_nothing or isinstance(step.cause, (Tick, Act)) or not step.before.runs:
        return None
    return all(_goes_on(old, step.after.run(old.run)) for old in step.before.runs)


@chapter.rule(4, of_changes=True, about=OfRun)
def state_is_the_fold_of_the_history(step: Step) -> bool | None:
    """A run is what its history says: the last event that moves it decides its state, and nothing of it comes, goes or
    changes untold: no call, publication, child, wait, arrival, marker, finding, decision or assessment.
    """
    if step.changed_nothing:
        return None
    if isinstance(step.cause, (Cancel, Spawn)):
        # These reach children too.
        pairs = [(step.before.run(run.run), run) for run in step.after.runs]
    else:
        pairs = [(step.old, step.new)] if step.new else []
    changed = [(old, new) for old, new in pairs if new != old]
    return all(_is_folded(old, new) for old, new in changed) if changed else None


@chapter.rule(5, needs={Capability.REPLAY}, implies=Resume.FORK_DETERMINISM)
def the_same_history_gives_the_same_decision(step: Step) -> bool | None:
    """The same history gives the same next decision: whatever happens, a run whose history stays keeps the one it has;
    a replay comes to that one on any host, writes nothing and calls nothing outside.
    """
    if step.changed_nothing and not isinstance(step.cause, Replay):
        return None
    shown = [
        (old.next_decision, new.next_decision)
        for old in step.before.runs
        if (new := step.after.run(old.run)) is not None and old.history == new.history
    ]
    if any(old != new for old, new in shown):
        return False
    if isinstance(step.cause, Replay) and not step.is_unheard:
        return _only_reads(step) and _decides_as_shown(step)
    return True if any(old is not None for old, _ in shown) else None


@chapter.rule(6, needs={Capability.STREAMS}, about=Stream)
def a_stream_gives_what_was_missed(step: Step) -> bool | None:
    """A stream gives the committed events after the number that was asked for, all of them, once and in order, and is
    over when the run has ended, whatever moment it was opened; it writes nothing.
    """
    if not isinstance(step.cause, Stream) or step.is_unheard:
        return None
    if not _only_reads(step):
        return False
    if step.is_repeat or not isinstance(step.outcome, Done):
        return None
    if step.old is None:
        return False
    after = step.cause.after
    missed = tuple(event for event in step.old.history if event.number > after)
    return step.outcome.stream == Streamed(missed, is_over=step.old.state in ENDS)


@chapter.rule(7, about=Intend)
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


def _only_reads(step: Step) -> bool:
    return step.changed_nothing and step.truth == step.truth_before


def _decides_as_shown(step: Step) -> bool:
    """The replay came to the decision that the run shows; what is repeated is the first answer, and may be older."""
    if step.is_repeat or not isinstance(step.outcome, Done):
        return True
    return step.old is not None and step.outcome.decision == step.old.next_decision


def _is_folded(old: RunView | None, new: RunView) -> bool:
    return new.state in _states_told(new.history) and _is_told(old, new, new.history[len(old.history) if old else 0 :])


def _states_told(history: tuple[EventView, ...]) -> frozenset[RunState]:
    """Where the run may stand by its last event that moves it. Events do not say which end an end is."""
    return next((MOVES[event.type] for event in reversed(history) if event.type in MOVES), frozenset())


def _is_told(old: RunView | None, new: RunView, events: tuple[EventView, ...]) -> bool:
    """Everything that came, and every call that changed, has its event."""
    types = [event.type for event in events]
    return (
        _calls_are_told(old, new, events)
        and all(
            len(getattr(new, name)) - (len(getattr(old, name)) if old else 0) == sum(map(types.count, told))
            for name, told in _COMES.items()
        )
        # Reading a material is told as saving it is, so there may be more of these events than materials came.
        and len(new.materials) - (len(old.materials) if old else 0) <= types.count(EventType.SAVED)
        and (_decisions(old) == _decisions(new) or EventType.DECIDED in types)
        and ((old.assessment if old else None) == new.assessment or EventType.ASSESSED in types)
    )


def _calls_are_told(old: RunView | None, new: RunView, events: tuple[EventView, ...]) -> bool:
    said = [event for event in events if event.type in _SAYS_OF_A_CALL]
    if not said and old is not None and new.calls == old.calls:
        return True
    before = {call.call: call for call in old.calls} if old else {}
    after = {call.call: call for call in new.calls}
    intended = [event.concerns for event in said if event.type is EventType.INTENDED]
    told = {event.concerns for event in said if event.type is not EventType.INTENDED}
    if not {event.concerns for event in said} <= set(after):
        return False
    to_stop = any(event.type is EventType.CANCEL_REQUESTED for event in events)
    return [call for call in after if call not in before] == intended and all(
        name in told or _is_same(call, after.get(name), to_stop) for name, call in before.items()
    )


def _is_same(old: CallView, new: CallView | None, to_stop: bool) -> bool:
    """The request to cancel tells of every call that it stops."""
    return new == old or (to_stop and new is not None and new == replace(old, told_to_stop=True))


def _decisions(run: RunView | None) -> list[tuple[WaitId, bool]]:
    return [(wait.wait, wait.approved) for wait in run.waits if wait.approved is not None] if run else []
