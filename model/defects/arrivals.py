"""Defects of WAKE, of what ends a wait: answers, callbacks, timers and children's reports are lost, or come twice."""

from dataclasses import replace

from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.spec.vocabulary import (
    ENDS,
    Cause,
    Decide,
    Deliver,
    Done,
    Fail,
    Reason,
    Recover,
    Refused,
    Restarted,
    RunState,
    WaitKind,
    WaitState,
)

from .defect import Taken, wrong_command, wrong_result, wrong_step
from .pretending import taken_as_if_waiting


@wrong_command(Decide, "WAKE.3", "APPROVAL.5")
def an_answer_goes_to_another_question(state: State, decide: Decide, run: Run) -> Taken:
    """An answer is taken for whatever is being asked now, although it names an earlier question."""
    asked = run.pending
    return step(state, replace(decide, wait=asked.wait) if asked else decide)


@wrong_command(Deliver, "WAKE.3", "WAKE.8")
def another_report_replaces_the_first(state: State, deliver: Deliver, run: Run) -> Taken:
    """A second report under the same number is taken in place of the one that the run had gone by."""
    arrivals = tuple(
        replace(arrival, digest=deliver.digest)
        if (arrival.wait, arrival.number) == (deliver.wait, deliver.number)
        else arrival
        for arrival in run.arrivals
    )
    return (
        step(state, deliver) if arrivals == run.arrivals else (Done(), state.with_run(replace(run, arrivals=arrivals)))
    )


@wrong_result(Deliver, "WAKE.4", "WAKE.8")
def a_wake_is_stored_without_its_cause(old: Run, new: Run) -> Run:
    """The run is woken, but what came is lost on the way, and nobody can tell what woke it."""
    return replace(new, arrivals=old.arrivals)


@wrong_result(Deliver, "WAKE.4")
def the_first_of_two_callbacks_wakes(old: Run, new: Run) -> Run:
    """The first of two reports wakes the run, as if both were there."""
    first = new.pending
    return new.with_wait(replace(first, state=WaitState.ACCEPTED)) if first and new.arrivals != old.arrivals else new


@wrong_command(Deliver, "WAKE.8")
def an_early_callback_is_forgotten(state: State, deliver: Deliver, run: Run) -> Taken:
    """What comes before anybody waits for it is thanked for and thrown away."""
    is_early = run.wait(deliver.wait) is None and deliver.kind is WaitKind.CALLBACK
    return (Done(), state) if is_early else step(state, deliver)


@wrong_command(Deliver, "WAKE.8")
def what_comes_too_late_is_turned_away(state: State, deliver: Deliver, run: Run) -> Taken:
    """What comes too late is refused, so that nobody ever learns that it came."""
    outcome, after = step(state, deliver)
    told = after.run(run.run)
    came_late = after is not state and told is not None and any(arrival.is_late for arrival in told.arrivals)
    return (Refused(Reason.WAIT_CLOSED), state) if came_late else (outcome, after)


@wrong_result(Deliver, "WAKE.8")
def callbacks_are_kept_as_they_came(old: Run, new: Run) -> Run:
    """Reports are read in the order in which they came, whatever their numbers say."""
    return replace(new, arrivals=(*old.arrivals, *(arrival for arrival in new.arrivals if arrival not in old.arrivals)))


@wrong_step("WAKE.9")
def a_timer_is_only_in_memory(state: State, cause: Cause) -> Taken:
    """A timer runs in the memory of a process, and a restart forgets it."""
    if not isinstance(cause, Restarted):
        return step(state, cause)
    kept = tuple(
        replace(run, waits=tuple(wait for wait in run.waits if wait.kind is not WaitKind.TIMER)) for run in state.runs
    )
    return None, state if kept == state.runs else replace(state, runs=kept)


@wrong_command(Deliver, "WAKE.9")
def a_timer_fires_too_early(state: State, deliver: Deliver, run: Run) -> Taken:
    """The clock of a worker is fast, and its word is enough for the timer to fire."""
    wait = run.wait(deliver.wait)
    if wait is None or wait.kind is not WaitKind.TIMER:
        return step(state, deliver)
    return taken_as_if_waiting(state, run, wait, lambda wait: replace(wait, left_seconds=0), deliver)


@wrong_command(Deliver, "WAKE.3", "WAKE.5")
def a_timer_fires_twice(state: State, deliver: Deliver, run: Run) -> Taken:
    """A timer that has fired is still due, so the next sweep fires it again."""
    wait = run.wait(deliver.wait)
    if wait is None or (wait.kind, wait.state) != (WaitKind.TIMER, WaitState.CONSUMED):
        return step(state, deliver)
    return Done(), state.with_run(run.with_wait(replace(wait, state=WaitState.ACCEPTED)))


@wrong_step("WAKE.11")
def a_parent_takes_its_childs_report_along(state: State, cause: Cause) -> Taken:
    """When a parent ends, what its child had published is deleted with it."""
    outcome, after = step(state, cause)
    if after is state or not isinstance(cause, Fail | Recover):
        return outcome, after
    runs = (replace(run, publications=()) if run.parent == cause.run else run for run in after.runs)
    return outcome, replace(after, runs=tuple(runs))


@wrong_command(Deliver, "WAKE.11")
def a_child_reports_before_it_has_ended(state: State, deliver: Deliver, run: Run) -> Taken:
    """Something that a child says on its way is taken for its report."""
    wait = run.wait(deliver.wait)
    child = state.run(wait.child) if wait and wait.child else None
    if child is None or child.state in ENDS:
        return step(state, deliver)
    outcome, after = step(state.with_run(replace(child, state=RunState.SUCCEEDED)), deliver)
    return outcome, after.with_run(child) if isinstance(outcome, Done) else state


@wrong_command(Decide, "WAKE.12", "APPROVAL.4")
def an_answer_in_time_is_turned_away(state: State, decide: Decide, run: Run) -> Taken:
    """A person who answers in time is told that it is too late."""
    outcome, after = step(state, decide)
    return (outcome, after) if after is state else (Refused(Reason.EXPIRED), state)
