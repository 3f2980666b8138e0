"""Defects of HISTORY: what happened can no longer be read."""

from collections.abc import Callable
from dataclasses import replace

from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.spec.chain import chained
from keepfact.spec.vocabulary import AskedOfRun, Cause, EventView, Fail, Reconcile, Recover

from .defect import Taken, wrong_step


@wrong_step("HISTORY.1")
def numbers_come_from_a_sequence(state: State, cause: Cause) -> Taken:
    """Event numbers come from a sequence object, which leaves gaps wherever a transaction was given up."""
    return _retold(state, cause, lambda event: chained(replace(event, number=event.number + 1)))


@wrong_step("HISTORY.2")
def events_are_not_chained(state: State, cause: Cause) -> Taken:
    """Each event has a digest of its own, but says nothing of the one before it."""
    return _retold(state, cause, lambda event: chained(replace(event, previous_digest=None)))


@wrong_step("HISTORY.3")
def evidence_rewrites_the_past(state: State, cause: Cause) -> Taken:
    """Evidence replaces the last event instead of being added."""
    outcome, after = step(state, cause)
    old = state.run(cause.run) if isinstance(cause, Reconcile) else None
    new = after.run(old.run) if old else None
    if old is None or new is None or after is state or not old.history:
        return outcome, after
    return outcome, after.with_run(replace(new, history=(*old.history[:-1], *new.history[len(old.history) :])))


@wrong_step("HISTORY.4")
def an_end_is_not_told(state: State, cause: Cause) -> Taken:
    """The state changes in a table of its own, and the history never hears of it."""
    outcome, after = step(state, cause)
    old = state.run(cause.run) if isinstance(cause, Fail | Recover) else None
    new = after.run(old.run) if old else None
    if old is None or new is None or after is state:
        return outcome, after
    return outcome, after.with_run(replace(new, history=old.history))


def _retold(state: State, cause: Cause, tell: Callable[[EventView], EventView]) -> Taken:
    """Take the step, and tell its events otherwise."""
    outcome, after = step(state, cause)
    if not isinstance(cause, AskedOfRun) or after is state:
        return outcome, after
    new, told = after.run(cause.run), len(getattr(state.run(cause.run), "history", ()))
    if new is None or told == 0:
        return outcome, after
    return outcome, after.with_run(_with(new, told, tell))


def _with(run: Run, told: int, tell: Callable[[EventView], EventView]) -> Run:
    return replace(run, history=(*run.history[:told], *(tell(event) for event in run.history[told:])))
