"""CANCEL: not an instant."""

from dataclasses import replace

from keepfact.spec.chapter import Chapter
from keepfact.spec.vocabulary import (
    CallState,
    Cancel,
    Capability,
    Decide,
    Deliver,
    EventType,
    MarkUnknown,
    OfRun,
    Reason,
    RecordAnswer,
    Recover,
    Refused,
    Renew,
    RunState,
    RunView,
    Step,
    Stop,
    WaitState,
    WaitView,
    Wake,
    Worked,
)

from .questions.runs import is_unresolved
from .questions.waits import is_open

chapter = Chapter("CANCEL", "Not an instant", needs=frozenset({Capability.CANCELLING}))

_WINDS_UP = Renew | RecordAnswer | MarkUnknown | Stop
"""What the worker of a cancelling run may still do: hear of what is in flight, and stop."""


@chapter.rule(1, about=OfRun)
def a_cancelling_run_begins_nothing_new(step: Step) -> bool | None:
    """From the commit of the request on a run is cancelling and begins nothing new: no call and no further sending, no
    child, wait, body or finding, and no grant; only a cancelling run's caller is told that it is cancelling.
    """
    if step.is_unheard or step.is_repeat or step.old is None or step.new is None:
        return None
    was_cancelling = step.old.state is RunState.CANCELLING
    if step.outcome == Refused(Reason.CANCELLING):
        return was_cancelling
    if isinstance(step.cause, Cancel) and step.took_effect:
        is_asked = any(event.type is EventType.CANCEL_REQUESTED for event in step.new_events)
        return is_asked and step.new.state is RunState.CANCELLING and not _began(step.old, step.new)
    if not was_cancelling:
        return None
    if isinstance(step.cause, Worked) and not isinstance(step.cause, _WINDS_UP):
        return step.had_no_effect
    return not _began(step.old, step.new)


@chapter.rule(2, about=OfRun)
def calls_in_flight_are_told(step: Step) -> bool | None:
    """A cancellation tells each call in flight to stop, changes nothing else about any call and leaves the worker its
    lease; nothing but it tells a call to stop, and what such a call did is still recorded.
    """
    if isinstance(step.cause, Cancel) and step.took_effect:
        return all(_calls_are_told(old, new) for old, new in _cancelled(step))
    if isinstance(step.cause, _WINDS_UP) and step.outcome == Refused(Reason.CANCELLING):
        return False
    if step.new is None or step.new is step.old:
        return None
    told = {call.call for call in step.old.calls if call.told_to_stop} if step.old else set()
    if told != {call.call for call in step.new.calls if call.told_to_stop}:
        return False
    heard = isinstance(step.cause, (RecordAnswer, MarkUnknown)) and step.cause.call in told
    return True if heard and step.took_effect else None


@chapter.rule(3, about=OfRun)
def cancelled_is_written_when_all_is_classified(step: Step) -> bool | None:
    """`cancelled` is written only of a run that was asked to stop, and only when each call is classified; with one
    unresolved it is sealed as `unknown` for that end, and with one in flight it does not stop yet.
    """
    if step.old is None or step.new is None or step.is_repeat or step.is_unheard:
        return None
    was_cancelling = step.old.state is RunState.CANCELLING
    if isinstance(step.cause, Stop):
        if step.outcome == Refused(Reason.NOT_CANCELLING):
            return not was_cancelling
        if step.outcome == Refused(Reason.CALL_OPEN):
            return _is_in_flight(step.old)
        if step.took_effect:
            return was_cancelling and not _is_in_flight(step.old) and _is_stopped(step.new)
    if isinstance(step.cause, Recover) and was_cancelling and step.took_effect:
        return _is_stopped(step.new)
    if not _is_for_cancelled(step.new) or (step.new.state, step.new.sealed_for) == (
        step.old.state,
        step.old.sealed_for,
    ):
        return None
    return (was_cancelling or _is_for_cancelled(step.old)) and _is_stopped(step.new)


@chapter.rule(4, about=OfRun)
def cancel_and_finish_have_one_winner(step: Step) -> bool | None:
    """Cancel and finish race, and one wins: a run that is over, or cancelling already, is not cancelled, and a
    cancelling run comes to no end but `cancelled`.
    """
    if step.old is None or step.new is None or step.is_repeat or step.is_unheard:
        return None
    was_cancelling = step.old.state is RunState.CANCELLING
    if isinstance(step.cause, Cancel):
        if step.outcome == Refused(Reason.SEALED):
            return step.was_sealed
        return step.had_no_effect if step.was_sealed or was_cancelling else None
    if not was_cancelling:
        return None
    if isinstance(step.cause, Worked) and not isinstance(step.cause, _WINDS_UP):
        return step.had_no_effect
    return None if step.new.state is RunState.CANCELLING else _is_for_cancelled(step.new)


@chapter.rule(5, about=Cancel | Decide | Deliver | Wake)
def cancelling_closes_what_was_waited_for(step: Step) -> bool | None:
    """Cancelling closes each wait and approval that is not used up, and changes no other; no later answer reopens a
    closed one: a decision or a wake is refused, an arrival is kept and wakes nobody.
    """
    if isinstance(step.cause, Cancel):
        pairs = _cancelled(step) if step.took_effect else []
        closed = [
            [_as_closed(wait) for wait in old.waits] == [_timeless(wait) for wait in new.waits] for old, new in pairs
        ]
        return all(closed) if any(old.waits for old, _ in pairs) else None
    if not isinstance(step.cause, (Decide, Deliver, Wake)) or step.is_repeat or step.is_unheard:
        return None
    wait = step.old.wait(step.cause.wait) if step.old else None
    if step.old is None or step.new is None or wait is None or wait.state is not WaitState.CLOSED:
        return None
    if isinstance(step.cause, Wake) or (isinstance(step.cause, Decide) and wait.approved is None):
        return step.had_no_effect
    after = step.new.wait(wait.wait)
    return after is not None and _timeless(after) == _timeless(wait) and step.new.state is step.old.state


def _cancelled(step: Step) -> list[tuple[RunView, RunView]]:
    """The runs that became cancelling, as they were and as they are: the one asked about, and children with it."""
    pairs = [(old, step.after.run(old.run)) for old in step.before.runs if old.state is not RunState.CANCELLING]
    return [(old, new) for old, new in pairs if new is not None and new.state is RunState.CANCELLING]


def _began(old: RunView, new: RunView) -> bool:
    sends = {call.call: call.sends for call in old.calls}
    return (
        any(call.sends > sends.get(call.call, 0) for call in new.calls)
        or new.fence > old.fence
        or any(
            len(after) > len(before)
            for before, after in (
                (old.children, new.children),
                (old.waits, new.waits),
                (old.publications, new.publications),
                (old.materials, new.materials),
                (old.markers, new.markers),
            )
        )
    )


def _calls_are_told(old: RunView, new: RunView) -> bool:
    told = [replace(call, told_to_stop=True) if call.state is CallState.OPEN else call for call in old.calls]
    is_held = (new.worker, new.fence, new.lease_left_seconds is None)
    return list(new.calls) == told and is_held == (old.worker, old.fence, old.lease_left_seconds is None)


def _is_stopped(run: RunView) -> bool:
    """It stands where its calls let it: nobody holds it, and it is cancelled, or unknown for that end."""
    pending = any(map(is_unresolved, run.calls))
    state = (RunState.UNKNOWN, RunState.CANCELLED) if pending else (RunState.CANCELLED, None)
    return (run.state, run.sealed_for) == state and run.lease_left_seconds is None and not _is_in_flight(run)


def _is_for_cancelled(run: RunView) -> bool:
    return RunState.CANCELLED in (run.state, run.sealed_for)


def _is_in_flight(run: RunView) -> bool:
    return any(call.state is CallState.OPEN for call in run.calls)


def _as_closed(wait: WaitView) -> WaitView:
    return _timeless(replace(wait, state=WaitState.CLOSED) if is_open(wait) else wait)


def _timeless(wait: WaitView) -> WaitView:
    return replace(wait, left_seconds=0)
