"""Defects of ENTRY: somebody writes who may not."""

from dataclasses import replace

from keepfact.model.state import State
from keepfact.model.step import step
from keepfact.spec.vocabulary import (
    CallId,
    CallKind,
    Cause,
    Claim,
    EntryPoint,
    EventType,
    Intend,
    Observe,
    PublicationView,
    Recover,
    Refused,
    RunState,
    Worked,
)

from .defect import Taken, changed, run_after, wrong_step

_AGAIN = CallId("again")


@wrong_step("ENTRY.1")
def watching_keeps_a_run_alive(state: State, cause: Cause) -> Taken:
    """A page that polls extends the lease, as if looking were working."""
    if isinstance(cause, Observe) and (run := state.run(cause.run)) and run.lease_left_seconds is not None:
        return step(state, cause)[0], changed(state, cause.run, lease_left_seconds=state.lease_seconds + 1)
    return step(state, cause)


@wrong_step("ENTRY.2")
def recovery_signs_as_a_worker(state: State, cause: Cause) -> Taken:
    """Recovery writes under the worker's name, so that nobody can tell who ended the run."""
    outcome, after = step(state, cause)
    if not isinstance(cause, Recover) or after is state:
        return outcome, after
    old, run = len(getattr(state.run(cause.run), "history", ())), run_after((outcome, after), cause.run)
    resigned = tuple(replace(event, entry_point=EntryPoint.WORK) for event in run.history[old:])
    return outcome, after.with_run(replace(run, history=(*run.history[:old], *resigned)))


@wrong_step("ENTRY.3")
def recovery_publishes_what_it_found(state: State, cause: Cause) -> Taken:
    """Recovery makes a body of what it found, although nobody validated it."""
    outcome, after = step(state, cause)
    if isinstance(cause, Recover) and after is not state:
        run = run_after((outcome, after), cause.run)
        body = PublicationView(len(run.publications) + 1, "found", qualified=False)
        after = after.with_run(replace(run, publications=(*run.publications, body)))
    return outcome, after


@wrong_step("ENTRY.3")
def recovery_asks_the_model_again(state: State, cause: Cause) -> Taken:
    """Recovery dispatches the attempt once more before it settles."""
    run = state.run(cause.run) if isinstance(cause, Recover) else None
    if run is None or not isinstance(cause, Recover) or run.lease_left_seconds != 0 or run.call(_AGAIN):
        return step(state, cause)
    live = state.with_run(replace(run, lease_left_seconds=1))
    again = Intend(cause.command_id, run.run, run.fence, _AGAIN, CallKind.ATTEMPT, "arguments", 0)
    asked = run_after(step(live, again), run.run)
    return step(state.with_run(replace(asked, lease_left_seconds=0)), cause)


@wrong_step("ENTRY.4")
def a_lapsed_run_is_claimed(state: State, cause: Cause) -> Taken:
    """A worker takes a lapsed run and goes on, although the run promised to be settled."""
    run = state.run(cause.run) if isinstance(cause, Claim) else None
    if run is None or run.lease_left_seconds != 0:
        return step(state, cause)
    return step(state.with_run(replace(run, state=RunState.QUEUED)), cause)


@wrong_step("ENTRY.5")
def a_refusal_leaves_a_trace(state: State, cause: Cause) -> Taken:
    """A refused command is written into the history of its run."""
    outcome, after = step(state, cause)
    if isinstance(cause, Worked) and isinstance(outcome, Refused) and (run := state.run(cause.run)):
        return outcome, state.with_run(run.tells(EventType.LOST, EntryPoint.WORK, cause.fence))
    return outcome, after


@wrong_step("ENTRY.6")
def command_ids_are_forgotten(state: State, cause: Cause) -> Taken:
    """A command that is repeated because its answer was lost happens twice."""
    return step(replace(state, answers=()), cause)
