"""Defects of ENTRY: somebody writes who may not."""

from dataclasses import replace

from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.spec.vocabulary import (
    CallId,
    CallKind,
    Cause,
    Claim,
    Command,
    Done,
    EntryPoint,
    EventType,
    Intend,
    Observe,
    PublicationView,
    Publish,
    Reason,
    Recover,
    Refused,
    RunState,
    Succeed,
    Wake,
    Worked,
)

from .defect import Taken, wrong_command, wrong_result, wrong_step

_ASKED_AGAIN = CallId("asked again")


@wrong_command(Observe, "ENTRY.1")
def watching_keeps_a_run_alive(state: State, observe: Observe, run: Run) -> Taken:
    """A page that polls extends the lease, as if looking were working."""
    if run.lease_left_seconds is None:
        return step(state, observe)
    return Done(), state.with_run(replace(run, lease_left_seconds=state.lease_seconds + 1))


@wrong_result(Recover, "ENTRY.2")
def recovery_signs_as_a_worker(old: Run, new: Run) -> Run:
    """Recovery writes under the worker's name, so that nobody can tell who ended the run."""
    signed = (replace(event, entry_point=EntryPoint.WORK) for event in new.history[len(old.history) :])
    return replace(new, history=(*old.history, *signed))


@wrong_result(Recover, "ENTRY.3")
def recovery_publishes_what_it_found(old: Run, new: Run) -> Run:
    """Recovery makes a body of what it found, although nobody validated it."""
    body = PublicationView(len(new.publications) + 1, "found", qualified=False)
    return replace(new, publications=(*new.publications, body))


@wrong_command(Recover, "ENTRY.3")
def recovery_asks_the_model_again(state: State, recover: Recover, run: Run) -> Taken:
    """Recovery dispatches the attempt once more before it settles."""
    if run.lease_left_seconds != 0:
        return step(state, recover)
    live = state.with_run(replace(run, lease_left_seconds=1))
    intend = Intend(recover.command_id, run.run, run.fence, _ASKED_AGAIN, CallKind.ATTEMPT, "arguments", 0)
    asked = step(live, intend)[1].run(run.run) or run
    return step(state.with_run(replace(asked, lease_left_seconds=0)), recover)


@wrong_command(Claim, "ENTRY.4")
def a_lapsed_run_is_claimed(state: State, claim: Claim, run: Run) -> Taken:
    """A worker takes a lapsed run and goes on, although the run promised to be settled."""
    if run.lease_left_seconds != 0:
        return step(state, claim)
    return step(state.with_run(replace(run, state=RunState.QUEUED)), claim)


@wrong_step("ENTRY.4")
def a_queued_run_is_worked_on(state: State, cause: Cause) -> Taken:
    """A worker that knows of a run works on it, without a claim or after it has given it back."""
    run = state.run(cause.run) if isinstance(cause, Worked) else None
    if run is None or not isinstance(cause, Worked) or run.state is not RunState.QUEUED:
        return step(state, cause)
    held = replace(run, state=RunState.RUNNING, fence=cause.fence, lease_left_seconds=state.lease_seconds)
    outcome, after = step(state.with_run(held), cause)
    return outcome, after if isinstance(outcome, Done) else state


@wrong_step("ENTRY.5")
def a_refusal_leaves_a_trace(state: State, cause: Cause) -> Taken:
    """A refused command is written into the history of its run."""
    outcome, after = step(state, cause)
    if isinstance(cause, Worked) and isinstance(outcome, Refused) and (run := state.run(cause.run)):
        return outcome, state.with_run(run.tells(EventType.LOST, EntryPoint.WORK, cause.fence))
    return outcome, after


@wrong_command(Claim, "ENTRY.5")
def a_free_run_is_called_taken(state: State, claim: Claim, run: Run) -> Taken:
    """Nobody gets a run that is in the queue: it is said to be another's."""
    return _refused_for_nothing(state, claim, Reason.LEASE_LIVE)


@wrong_command(Succeed, "ENTRY.5")
def a_good_body_is_called_unqualified(state: State, succeed: Succeed, run: Run) -> Taken:
    """No run ever succeeds, however good its body is."""
    return _refused_for_nothing(state, succeed, Reason.NOT_QUALIFIED)


@wrong_command(Wake, "ENTRY.5")
def a_good_wake_is_called_malformed(state: State, wake: Wake, run: Run) -> Taken:
    """Whoever takes up a wake is told that it asks wrongly."""
    return _refused_for_nothing(state, wake, Reason.MALFORMED)


@wrong_command(Publish, "ENTRY.5")
def a_reason_belongs_to_another_command(state: State, publish: Publish, run: Run) -> Taken:
    """A body is refused for a reason that is none for bodies."""
    return _refused_for_nothing(state, publish, Reason.UNSUPPORTED_FORMAT)


@wrong_step("ENTRY.6", case="B07")
def command_ids_are_forgotten(state: State, cause: Cause) -> Taken:
    """A command that is repeated because its answer was lost happens twice."""
    return step(replace(state, answers=()), cause)


def _refused_for_nothing(state: State, command: Command, reason: Reason) -> Taken:
    """Whatever would have been done is refused for a reason that is not so."""
    outcome, after = step(state, command)
    return (Refused(reason), state) if isinstance(outcome, Done) else (outcome, after)
