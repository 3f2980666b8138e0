"""Defects of SETTLE, continued: recovery forgets what is known, goes on from what is not, or leaves a run behind."""

from dataclasses import replace

from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.spec.vocabulary import (
    CallKind,
    CallState,
    Capability,
    Done,
    Intend,
    PublicationView,
    Reason,
    Recover,
    Refused,
    RunState,
)

from .defect import Taken, wrong_command, wrong_result


@wrong_result(Recover, "SETTLE.7")
def a_lost_call_stays_pending(old: Run, new: Run) -> Run:
    """The next worker finds a call in flight whose answer can come to nobody any more, and waits for it."""
    return new if new.state is not RunState.RUNNING else replace(new, calls=old.calls)


@wrong_command(Intend, "SETTLE.7")
def what_is_unknown_is_passed_over(state: State, intend: Intend, run: Run) -> Taken:
    """The next worker goes on past an operation of which nobody knows whether it acted."""
    if all(call.state is not CallState.UNKNOWN for call in run.calls) or run.call(intend.call) is not None:
        return step(state, intend)
    attempts = tuple(replace(call, kind=CallKind.ATTEMPT) for call in run.calls)
    outcome, after = step(state.with_run(replace(run, calls=attempts)), intend)
    sent = after.run(run.run)
    if sent is None or not isinstance(outcome, Done):
        return step(state, intend)
    return outcome, after.with_run(replace(sent, calls=(*run.calls, *sent.calls[len(run.calls) :])))


@wrong_result(Recover, "SETTLE.7", "SETTLE.3", case="B08")
def a_result_is_lost_behind_its_checkpoint(old: Run, new: Run) -> Run:
    """The position of a run became durable before the result that it rests on, so that the step is done again."""
    if new.state is not RunState.RUNNING or not new.calls or new.calls[-1].state is not CallState.CONFIRMED:
        return new
    return new.with_call(replace(new.calls[-1], state=CallState.UNKNOWN, answer=None, cost_cents=None))


@wrong_command(Recover, "SETTLE.10")
def runs_with_calls_in_flight_are_passed_over(state: State, recover: Recover, run: Run) -> Taken:
    """A sweep leaves runs alone that still wait for an answer, also when nobody is left to hear it."""
    is_passed_over = run.has_open_call and run.lease_left_seconds == 0
    return (Refused(Reason.CALL_OPEN), state) if is_passed_over else step(state, recover)


@wrong_command(Recover, "SETTLE.10", needs={Capability.CANCELLING})
def cancelling_runs_are_passed_over(state: State, recover: Recover, run: Run) -> Taken:
    """A run that was asked to stop is left to its worker, also when that worker is dead."""
    is_passed_over = run.state is RunState.CANCELLING
    return (Refused(Reason.NOT_RUNNING), state) if is_passed_over else step(state, recover)


@wrong_command(Recover, "SETTLE.10", needs={Capability.WAITS})
def expired_waits_are_passed_over(state: State, recover: Recover, run: Run) -> Taken:
    """A run waits for ever for what can never come any more."""
    return (Refused(Reason.NOT_RUNNING), state) if run.is_waiting else step(state, recover)


@wrong_result(Recover, "ENTRY.3", case="B24")
def recovery_publishes_an_old_body_again(old: Run, new: Run) -> Run:
    """Recovery repeats a publication that had been done, and what the user sees goes back to an older body."""
    if not old.publications:
        return new
    again = PublicationView(len(new.publications) + 1, old.publications[0].body, old.publications[0].qualified)
    return replace(new, publications=(*new.publications, again))
