"""Defects of HISTORY: what happened can no longer be read."""

from collections.abc import Callable
from dataclasses import replace

from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec.chain import chained
from keepfact.spec.vocabulary import (
    AskedOfRun,
    CallState,
    Done,
    EntryPoint,
    EventType,
    EventView,
    Fail,
    Intend,
    Observation,
    Publish,
    Reconcile,
    Recover,
    Replay,
    RunView,
    Stream,
)

from .defect import Taken, wrong_command, wrong_result, wrong_view


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


@wrong_view("HISTORY.5")
def the_clock_decides(state: State) -> Observation:
    """The program looks at the time, so that the same history leads to one decision now and to another later."""
    shown = view(state)
    return replace(shown, runs=tuple(_decided_by_the_clock(run) for run in shown.runs))


@wrong_command(Replay, "HISTORY.5")
def the_host_decides(state: State, replay: Replay, run: Run) -> Taken:
    """The decision depends on the order in which a host walks through a set."""
    outcome, after = step(state, replay)
    decision = outcome.decision if isinstance(outcome, Done) else None
    return Done(decision=f"{decision} by the order of {replay.host}") if decision else outcome, after


@wrong_command(Replay, "HISTORY.5")
def a_replay_is_written_down(state: State, replay: Replay, run: Run) -> Taken:
    """A replay counts as work: it leaves an event in the history that it only was to read."""
    outcome, _ = step(state, replay)
    return outcome, state.with_run(run.tells(EventType.MARKED, EntryPoint.OBSERVE))


@wrong_command(Stream, "HISTORY.6", case="B06")
def a_reader_passes_over_what_commits_late(state: State, stream: Stream, run: Run) -> Taken:
    """Numbers are given out before the commit: the reader sees a higher one, goes on from it, and misses the lower."""
    outcome, after = step(state, stream)
    given = outcome.stream if isinstance(outcome, Done) else None
    return outcome if given is None else Done(stream=replace(given, events=given.events[1:])), after


@wrong_command(Stream, "HISTORY.6")
def a_reconnected_reader_hears_the_last_again(state: State, stream: Stream, run: Run) -> Taken:
    """The number that a reader has acknowledged is taken for the one that it still wants."""
    return step(state, replace(stream, after=max(0, stream.after - 1)))


@wrong_command(Stream, "HISTORY.6", case="B19")
def a_stream_does_not_end(state: State, stream: Stream, run: Run) -> Taken:
    """A reader that comes after the end is told that more may come, and waits for ever."""
    outcome, after = step(state, stream)
    given = outcome.stream if isinstance(outcome, Done) else None
    return outcome if given is None else Done(stream=replace(given, is_over=False)), after


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


def _decided_by_the_clock(run: RunView) -> RunView:
    return replace(run, next_decision="hurry") if run.lease_left_seconds == 0 else run


def _retold(old: Run, new: Run, tell: Callable[[EventView], EventView]) -> Run:
    """The run with its new events told otherwise."""
    return replace(new, history=(*old.history, *(tell(event) for event in new.history[len(old.history) :])))
