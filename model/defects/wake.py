"""Defects of WAKE, of the wait and its wake: a run sleeps for ever, or is woken by what should not wake it."""

from dataclasses import replace

from keepfact.model.approving import latest_request
from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.model.working import granted
from keepfact.spec.vocabulary import (
    LATEST,
    Cause,
    Checkpoint,
    Decide,
    Done,
    EntryPoint,
    Observation,
    Reason,
    Recover,
    Refused,
    RequestApproval,
    RunState,
    Wait,
    WaitState,
    Wake,
    Worked,
    WorkerId,
)

from .defect import Taken, wrong_command, wrong_result, wrong_step, wrong_view
from .pretending import taken_as_if, taken_as_if_waiting


@wrong_result(Wait | RequestApproval, "WAKE.1")
def a_waiting_worker_keeps_its_lease(old: Run, new: Run) -> Run:
    """A worker sits and waits with its run, which keeps its lease, so that nobody else can take it up."""
    return replace(new, worker=old.worker, lease_left_seconds=old.lease_left_seconds)


@wrong_step("WAKE.1")
def a_waiting_run_is_worked_on(state: State, cause: Cause) -> Taken:
    """A worker goes on with a run while somebody is still being asked about it."""
    run = state.run(cause.run) if isinstance(cause, Worked) else None
    if run is None or not run.is_waiting:
        return step(state, cause)
    return taken_as_if(state, state.with_run(replace(run, state=RunState.RUNNING, lease_left_seconds=1)), cause)


@wrong_result(Wait, "WAKE.1", "WAKE.2", case="B16")
def a_wait_is_told_before_it_is_armed(old: Run, new: Run) -> Run:
    """Arming takes two steps and the worker dies between them: the history tells of a wait that no sweep can see."""
    return replace(new, waits=old.waits)


@wrong_view("WAKE.1", "CANCEL.3", case="B18")
def a_cancelled_run_seems_to_wait(state: State) -> Observation:
    """A run that was cancelled has the status of one that waits, so that the next message is taken for its answer."""
    shown = view(state)
    runs = (replace(r, state=RunState.WAITING_EXTERNAL) if r.state is RunState.CANCELLED else r for r in shown.runs)
    return replace(shown, runs=tuple(runs))


@wrong_result(Wait | RequestApproval, "WAKE.2")
def a_checkpoint_is_of_an_earlier_moment(old: Run, new: Run) -> Run:
    """A checkpoint is written from what the worker remembers, which is one event behind the history."""
    return _sealed_as(
        new, replace(new.waits[-1].checkpoint, history_number=new.waits[-1].checkpoint.history_number - 1)
    )


@wrong_result(Wait | RequestApproval, "WAKE.2", "VERSION.5")
def a_checkpoint_names_a_selector(old: Run, new: Run) -> Run:
    """A checkpoint says `latest`, and nobody can tell afterwards which release that was."""
    return _sealed_as(new, replace(new.waits[-1].checkpoint, bundle=LATEST))


@wrong_result(Decide, "WAKE.4")
def a_decision_is_stored_without_its_wake(old: Run, new: Run) -> Run:
    """A person has decided, but the process dies before it wakes the run, which then waits for ever."""
    waits = (replace(wait, state=was.state) for was, wait in zip(old.waits, new.waits, strict=True))
    return replace(new, waits=tuple(waits))


@wrong_result(Decide, "WAKE.1", "ENTRY.2", case="B09")
def a_decision_starts_the_run_itself(old: Run, new: Run) -> Run:
    """The page on which a person decides starts the run at once, although its wake is still there for a worker."""
    return granted(new, WorkerId("page"), 1, EntryPoint.DECIDE)


@wrong_command(Wake, "WAKE.5", case="B09")
def one_answer_wakes_two_workers(state: State, wake: Wake, run: Run) -> Taken:
    """Two workers that hear of one answer both take the run up, and what was approved is done twice."""
    wait = run.wait(wake.wait)
    if wait is None or wait.state is not WaitState.CONSUMED:
        return step(state, wake)
    return taken_as_if(state, state.with_run(run.with_wait(replace(wait, state=WaitState.ACCEPTED))), wake)


@wrong_result(Wake, "WAKE.5", "WAKE.1")
def a_wake_is_not_used_up(old: Run, new: Run) -> Run:
    """The run goes on, but its wake still lies there for the next one who looks."""
    return replace(new, waits=old.waits)


@wrong_result(Recover, "WAKE.5")
def recovery_cleans_up_waits(old: Run, new: Run) -> Run:
    """Recovery deletes the waits of a run, and with them what was asked and answered."""
    return replace(new, waits=())


@wrong_command(Wake, "WAKE.6")
def another_format_is_taken_up(state: State, wake: Wake, run: Run) -> Taken:
    """A worker takes up a checkpoint that was written in a format which it does not know."""
    wait = run.wait(wake.wait)
    return step(state, replace(wake, format=wait.checkpoint.format) if wait else wake)


@wrong_command(Wake, "WAKE.6")
def another_request_is_taken_up(state: State, wake: Wake, run: Run) -> Taken:
    """A worker goes on with a request that is not the one which the run was waiting for."""
    wait = run.wait(wake.wait)
    return step(state, replace(wake, digest=wait.checkpoint.digest) if wait else wake)


@wrong_command(Wake, "WAKE.6")
def a_wait_that_expired_is_woken(state: State, wake: Wake, run: Run) -> Taken:
    """An answer is good for ever: the run goes on long after the time that it was given for."""
    wait = run.wait(wake.wait)
    if wait is None or wait.left_seconds:
        return step(state, wake)
    return taken_as_if_waiting(state, run, wait, lambda wait: replace(wait, left_seconds=1), wake)


@wrong_command(Wake, "WAKE.6")
def a_spent_budget_is_woken(state: State, wake: Wake, run: Run) -> Taken:
    """A run is woken although nothing is left that it could spend."""
    outcome, after = taken_as_if(state, state.with_run(replace(run, budget_cents=run.budget_cents + 10)), wake)
    woken = None if after is state else after.run(run.run)
    return outcome, after.with_run(replace(woken, budget_cents=run.budget_cents)) if woken else state


@wrong_command(Wake, "WAKE.7", "ENTRY.5")
def a_refused_wake_is_used_up(state: State, wake: Wake, run: Run) -> Taken:
    """A worker of the wrong release is sent away, but the wake is gone: the run waits and nothing can wake it."""
    outcome, after = step(state, wake)
    wait = run.wait(wake.wait)
    if not isinstance(outcome, Refused) or wait is None or wait.state is not WaitState.ACCEPTED:
        return outcome, after
    return outcome, state.with_run(run.with_wait(replace(wait, state=WaitState.CONSUMED)))


@wrong_result(Wake, "WAKE.10", "APPROVAL.5", case="B10")
def a_decision_is_used_up_too_early(old: Run, new: Run) -> Run:
    """Waking deletes the decision before what it unlocks is stored, so that after a crash the person is asked again."""
    return replace(new, waits=tuple(replace(wait, approved=None) for wait in new.waits))


@wrong_command(RequestApproval, "WAKE.10")
def a_person_is_asked_again(state: State, request: RequestApproval, run: Run) -> Taken:
    """A person who has just approved is asked the same once more, because nobody looks for the answer."""
    earlier = latest_request(run, request.call)
    if earlier is None or not earlier.approved:
        return step(state, request)
    return taken_as_if_waiting(state, run, earlier, lambda wait: replace(wait, left_seconds=0), request)


@wrong_command(Wake, "WAKE.12", "WAKE.6")
def nobody_is_ever_woken(state: State, wake: Wake, run: Run) -> Taken:
    """To be on the safe side every wake is refused as expired, and runs wait although their answers are there."""
    outcome, after = step(state, wake)
    return (Refused(Reason.EXPIRED), state) if isinstance(outcome, Done) else (outcome, after)


def _sealed_as(run: Run, checkpoint: Checkpoint) -> Run:
    """The run with another checkpoint at the wait that it came to last."""
    return run.with_wait(replace(run.waits[-1], checkpoint=checkpoint))
