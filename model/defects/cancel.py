"""Defects of CANCEL: a request to stop that does not stop, stops too much, or ends what nobody has classified."""

from dataclasses import replace

from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.spec.vocabulary import (
    CallState,
    Cancel,
    Cause,
    Claim,
    Decide,
    Deliver,
    Done,
    EntryPoint,
    EventType,
    Fail,
    Intend,
    Reason,
    RecordAnswer,
    Refused,
    RunState,
    Stop,
    Succeed,
    WaitState,
)

from .defect import Taken, wrong_command, wrong_result, wrong_step


@wrong_command(Intend, "CANCEL.1")
def a_cancelling_run_still_dispatches(state: State, intend: Intend, run: Run) -> Taken:
    """The worker has not heard of the request to stop, and the store lets it send one more call."""
    return _as_if_running(state, run, intend, stays=RunState.CANCELLING)


@wrong_result(Cancel, "CANCEL.1", "HISTORY.4")
def a_request_to_stop_is_only_noted(old: Run, new: Run) -> Run:
    """The request is written down for the worker to find, and until it looks the run goes on as before."""
    return replace(new, state=old.state)


@wrong_command(Claim, "CANCEL.1")
def a_cancelling_run_is_granted(state: State, claim: Claim, run: Run) -> Taken:
    """A worker takes a run out of the queue although it was asked to stop while it stood there."""
    if run.state is not RunState.CANCELLING or run.lease_left_seconds:
        return step(state, claim)
    return step(state.with_run(replace(run, state=RunState.QUEUED)), claim)


@wrong_result(Cancel, "CANCEL.2")
def calls_in_flight_are_not_told(old: Run, new: Run) -> Run:
    """Nobody tells the model or the tool that its answer is not wanted any more."""
    calls = (replace(call, told_to_stop=before.told_to_stop) for before, call in zip(old.calls, new.calls, strict=True))
    return replace(new, calls=tuple(calls))


@wrong_command(RecordAnswer, "CANCEL.2", case="B20")
def what_a_cancelled_call_did_is_dropped(state: State, record: RecordAnswer, run: Run) -> Taken:
    """The answer of a call that was in flight is turned away, because its run was asked to stop; so is its cost."""
    outcome, after = step(state, record)
    is_dropped = run.state is RunState.CANCELLING and isinstance(outcome, Done)
    return (Refused(Reason.CANCELLING), state) if is_dropped else (outcome, after)


@wrong_result(Stop, "CANCEL.3")
def a_run_stops_with_a_call_unresolved(old: Run, new: Run) -> Run:
    """The run is called cancelled although nobody knows what one of its calls did."""
    return replace(new, state=RunState.CANCELLED, sealed_for=None)


@wrong_command(Stop, "CANCEL.3")
def a_run_stops_with_a_call_in_flight(state: State, stop: Stop, run: Run) -> Taken:
    """The worker says that it has stopped while it still waits for an answer, and nobody asks about the call."""
    unaware = replace(run, calls=tuple(replace(call, state=_as_unknown(call.state)) for call in run.calls))
    outcome, after = step(state.with_run(unaware), stop)
    stopped = after.run(run.run)
    if stopped is None or not isinstance(outcome, Done):
        return outcome, state
    return outcome, after.with_run(replace(stopped, calls=run.calls))


@wrong_result(Cancel, "CANCEL.3", "SETTLE.9")
def a_request_to_stop_ends_the_run(old: Run, new: Run) -> Run:
    """Asking for the end writes it: the run is cancelled before anybody has looked at its calls."""
    over = replace(new, state=RunState.CANCELLED, worker=None, lease_left_seconds=None)
    return over.tells(EventType.ENDED, EntryPoint.CANCEL)


@wrong_command(Cancel, "CANCEL.4", "FENCE.6", case="B05")
def what_is_over_is_cancelled(state: State, cancel: Cancel, run: Run) -> Taken:
    """Cancel and finish race and both win: a run that has ended is asked to stop, and loses its end."""
    if not run.is_sealed:
        return step(state, cancel)
    return step(state.with_run(replace(run, state=RunState.RUNNING, sealed_for=None)), cancel)


@wrong_step("CANCEL.4", case="B20")
def a_late_finish_undoes_the_cancellation(state: State, cause: Cause) -> Taken:
    """A worker that finishes after the request to stop ends the run as if nobody had asked."""
    run = state.run(cause.run) if isinstance(cause, Succeed | Fail) else None
    if run is None or not isinstance(cause, Succeed | Fail):
        return step(state, cause)
    return _as_if_running(state, run, cause)


@wrong_step("WAKE.11", case="B20")
def cancel_ends_the_parent_record_only(state: State, cause: Cause) -> Taken:
    """The request to stop reaches the run that it names, and the children of that run go on."""
    outcome, after = step(state, cause)
    if not isinstance(cause, Cancel):
        return outcome, after
    for run in state.runs:
        after = after if run.run == cause.run else after.with_run(run)
    return outcome, after


@wrong_result(Cancel, "CANCEL.5")
def a_cancelled_run_still_waits(old: Run, new: Run) -> Run:
    """The run was asked to stop, and what it waits for stands open as if somebody should still answer."""
    return replace(new, waits=old.waits)


@wrong_command(Decide, "CANCEL.5")
def a_cancelled_approval_is_still_decided(state: State, decide: Decide, run: Run) -> Taken:
    """A page that was opened before the cancellation still takes the decision, and approves what was given up."""
    return _as_if_waiting(state, run, decide, RunState.WAITING_APPROVAL)


@wrong_command(Deliver, "CANCEL.5")
def an_arrival_reopens_a_cancelled_wait(state: State, deliver: Deliver, run: Run) -> Taken:
    """What arrives after the cancellation completes the wait that was closed."""
    return _as_if_waiting(state, run, deliver, RunState.WAITING_EXTERNAL)


def _as_if_running(state: State, run: Run, cause: Cause, *, stays: RunState | None = None) -> Taken:
    """The step as if nobody had asked the run to stop; where it `stays`, if not where the step takes it."""
    if run.state is not RunState.CANCELLING:
        return step(state, cause)
    outcome, after = step(state.with_run(replace(run, state=RunState.RUNNING)), cause)
    done = after.run(run.run)
    if done is None or not isinstance(outcome, Done):
        return outcome, state
    return outcome, after.with_run(replace(done, state=stays or done.state))


def _as_if_waiting(state: State, run: Run, answer: Decide | Deliver, waits: RunState) -> Taken:
    """The answer taken for a closed wait as if the run still stood at it."""
    wait = run.wait(answer.wait)
    if wait is None or wait.state is not WaitState.CLOSED:
        return step(state, answer)
    reopened = replace(run, state=waits).with_wait(replace(wait, state=WaitState.WAITING))
    outcome, after = step(state.with_run(reopened), answer)
    answered = after.run(run.run)
    if answered is None or not isinstance(outcome, Done):
        return outcome, state
    return outcome, after.with_run(replace(answered, state=run.state))


def _as_unknown(state: CallState) -> CallState:
    return CallState.UNKNOWN if state is CallState.OPEN else state
