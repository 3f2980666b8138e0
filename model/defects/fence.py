"""Defects of FENCE: two writers at a time, or one after the end."""

from dataclasses import replace

from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.spec.vocabulary import (
    NO_FENCE,
    Cause,
    Claim,
    Done,
    Fail,
    Intend,
    LeaseGrant,
    RecordAnswer,
    Recover,
    Release,
    RunState,
    Succeed,
    Worked,
)

from .defect import Taken, wrong_command, wrong_result, wrong_step


@wrong_command(Claim, "FENCE.1", case="B01")
def a_second_grant_reuses_the_fence(state: State, claim: Claim, run: Run) -> Taken:
    """The fence belongs to the worker and not to the grant: the same worker gets the same one again."""
    outcome, after = step(state, claim)
    granted = after.run(run.run)
    if granted is None or after is state or run.fence == NO_FENCE:
        return outcome, after
    return Done(LeaseGrant(run.fence, state.lease_seconds)), after.with_run(replace(granted, fence=run.fence))


@wrong_result(Release, "FENCE.1")
def a_release_starts_the_fence_over(old: Run, new: Run) -> Run:
    """Giving a run back wipes its row clean, so that the next grant counts from 1 again."""
    return replace(new, fence=NO_FENCE)


@wrong_step("FENCE.2")
def the_fence_is_not_checked(state: State, cause: Cause) -> Taken:
    """A worker that lost its lease to another goes on writing."""
    run = state.run(cause.run) if isinstance(cause, Worked) else None
    if run is None or not isinstance(cause, Worked) or cause.fence >= run.fence:
        return step(state, cause)
    return step(state, replace(cause, fence=run.fence))


@wrong_step("FENCE.3")
def a_lapsed_lease_may_write(state: State, cause: Cause) -> Taken:
    """As long as nobody else has claimed, a worker may write although its lease ran out."""
    run = state.run(cause.run) if isinstance(cause, Worked) else None
    if run is None or run.lease_left_seconds != 0:
        return step(state, cause)
    return _with(state, replace(run, lease_left_seconds=1), cause)


@wrong_command(Claim, "FENCE.4")
def a_live_lease_is_taken(state: State, claim: Claim, run: Run) -> Taken:
    """A claim looks at the queue it remembers and takes a run that another works on."""
    if not run.lease_left_seconds:
        return step(state, claim)
    return step(state.with_run(replace(run, state=RunState.QUEUED, lease_left_seconds=None)), claim)


@wrong_command(Recover, "FENCE.4", "FENCE.5", case="B04")
def the_living_are_recovered(state: State, recover: Recover, run: Run) -> Taken:
    """A sweep decides from a stale reading and settles a run whose worker renewed in time."""
    return step(state.with_run(replace(run, lease_left_seconds=0)) if run.lease_left_seconds else state, recover)


@wrong_command(Recover, "FENCE.5", case="B04")
def a_sweep_trusts_its_list(state: State, recover: Recover, run: Run) -> Taken:
    """A sweep writes by the run's id alone, whatever has become of the run since it was listed."""
    return step(state, replace(recover, seen_fence=None))


@wrong_step("FENCE.6", case="B05")
def an_end_is_overwritten(state: State, cause: Cause) -> Taken:
    """The last finish wins: a run that ended is ended again by its old worker."""
    run = state.run(cause.run) if isinstance(cause, Succeed | Fail) else None
    if run is None or not run.is_sealed:
        return step(state, cause)
    return _with(state, replace(run, state=RunState.RUNNING, lease_left_seconds=1), cause)


@wrong_command(Intend, "FENCE.7")
def a_sealed_run_still_dispatches(state: State, intend: Intend, run: Run) -> Taken:
    """The holder of the current fence may send although the run is sealed."""
    if not run.is_sealed:
        return step(state, intend)
    outcome, after = _with(state, replace(run, state=RunState.RUNNING, lease_left_seconds=1), intend)
    sent = after.run(run.run) or run
    return outcome, after.with_run(replace(sent, state=run.state, lease_left_seconds=None))


@wrong_command(RecordAnswer, "FENCE.8")
def a_late_answer_is_work(state: State, record: RecordAnswer, run: Run) -> Taken:
    """An answer that comes after the run was settled is written as if it had come in time."""
    call = run.call(record.call)
    if call is None or not run.is_sealed:
        return step(state, record)
    return Done(), state.with_run(run.with_call(replace(call, answer=record.answer)))


def _with(state: State, run: Run, cause: Cause) -> Taken:
    """The step as if the run were so; as it really is, if that helps nothing."""
    outcome, after = step(state.with_run(run), cause)
    return outcome, after if isinstance(outcome, Done) else state
