"""Defects of HISTORY: what happened can no longer be read."""

from collections.abc import Callable
from dataclasses import replace

from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.spec.chain import chained
from keepfact.spec.vocabulary import (
    AskedOfRun,
    CallState,
    Done,
    EventView,
    Fail,
    Intend,
    Publish,
    Reconcile,
    Recover,
)

from .defect import Taken, wrong_command, wrong_result


@wrong_result(AskedOfRun, "HISTORY.1")
def numbers_come_from_a_sequence(old: Run, new: Run) -> Run:
    """Event numbers come from a sequence object, which leaves gaps wherever a transaction was given up."""
    return _retold(old, new, lambda event: chained(replace(event, number=event.number + 1)))


@wrong_result(AskedOfRun, "HISTORY.2")
def events_are_not_chained(old: Run, new: Run) -> Run:
    """Each event has a digest of its own, but says nothing of the one before it."""
    return _retold(old, new, lambda event: chained(replace(event, previous_digest=None)))


@wrong_result(Reconcile, "HISTORY.3")
def evidence_rewrites_the_past(old: Run, new: Run) -> Run:
    """Evidence replaces the last event instead of being added."""
    return replace(new, history=(*old.history[:-1], *new.history[len(old.history) :]))


@wrong_result(Fail | Recover, "HISTORY.4")
def an_end_is_not_told(old: Run, new: Run) -> Run:
    """The state changes in a table of its own, and the history never hears of it."""
    return replace(new, history=old.history)


@wrong_result(Publish, "HISTORY.4")
def a_body_is_published_untold(old: Run, new: Run) -> Run:
    """What the user is shown changes, and the history never hears of it."""
    return replace(new, history=old.history)


@wrong_result(Intend, "HISTORY.7", "COST.6")
def asking_again_replaces_the_first_attempt(old: Run, new: Run) -> Run:
    """A retry takes the place of the attempt that it asks again, and its hold with it."""
    first = new.call(new.calls[-1].supersedes) if new.calls[-1].supersedes else None
    return new.with_call(replace(first, state=CallState.NOT_FOUND)) if first and new.calls != old.calls else new


@wrong_command(Intend, "HISTORY.7")
def an_attempt_in_flight_is_asked_again(state: State, intend: Intend, run: Run) -> Taken:
    """An impatient worker asks the model again before it has given up the first attempt."""
    first = run.call(intend.supersedes) if intend.supersedes else None
    if first is None:
        return step(state, intend)
    outcome, after = step(state.with_run(run.with_call(replace(first, state=CallState.UNKNOWN))), intend)
    asked = after.run(run.run)
    return outcome, after.with_run(asked.with_call(first)) if asked and isinstance(outcome, Done) else state


def _retold(old: Run, new: Run, tell: Callable[[EventView], EventView]) -> Run:
    """The run with its new events told otherwise."""
    return replace(new, history=(*old.history, *(tell(event) for event in new.history[len(old.history) :])))
