"""Defects of FENCE: two writers at a time, or one after the end."""

from dataclasses import replace

from keepfact.model.state import State
from keepfact.model.step import step
from keepfact.spec.vocabulary import (
    Cause,
    Claim,
    Done,
    Fail,
    Intend,
    LeaseGrant,
    RecordAnswer,
    Recover,
    RunState,
    Succeed,
    Worked,
)

from .defect import Taken, changed, wrong_step


@wrong_step("FENCE.1")
def a_second_grant_reuses_the_fence(state: State, cause: Cause) -> Taken:
    """The fence belongs to the worker and not to the grant: the same worker gets the same one again."""
    outcome, after = step(state, cause)
    run = state.run(cause.run) if isinstance(cause, Claim) else None
    if run is None or after is state or run.fence == 0:
        return outcome, after
    return Done(LeaseGrant(run.fence, state.lease_seconds)), changed(after, run.run, fence=run.fence)


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
    outcome, after = step(changed(state, run.run, lease_left_seconds=1), cause)
    return outcome, after if isinstance(outcome, Done) else state


@wrong_step("FENCE.4")
def a_live_lease_is_taken(state: State, cause: Cause) -> Taken:
    """A claim looks at the queue it remembers and takes a run that another works on."""
    run = state.run(cause.run) if isinstance(cause, Claim) else None
    if run is None or not run.lease_left_seconds:
        return step(state, cause)
    return step(changed(state, run.run, state=RunState.QUEUED, lease_left_seconds=None), cause)


@wrong_step("FENCE.4")
def the_living_are_recovered(state: State, cause: Cause) -> Taken:
    """A sweep decides from a stale reading and settles a run whose worker renewed in time."""
    run = state.run(cause.run) if isinstance(cause, Recover) else None
    if run is None or not run.lease_left_seconds:
        return step(state, cause)
    return step(changed(state, run.run, lease_left_seconds=0), cause)


@wrong_step("FENCE.6")
def an_end_is_overwritten(state: State, cause: Cause) -> Taken:
    """The last finish wins: a run that ended is ended again by its old worker."""
    run = state.run(cause.run) if isinstance(cause, Succeed | Fail) else None
    if run is None or not run.is_sealed:
        return step(state, cause)
    outcome, after = step(changed(state, run.run, state=RunState.RUNNING, lease_left_seconds=1), cause)
    return outcome, after if isinstance(outcome, Done) else state


@wrong_step("FENCE.7")
def a_sealed_run_still_dispatches(state: State, cause: Cause) -> Taken:
    """The holder of the current fence may send although the run is sealed."""
    run = state.run(cause.run) if isinstance(cause, Intend) else None
    if run is None or not run.is_sealed:
        return step(state, cause)
    outcome, after = step(changed(state, run.run, state=RunState.RUNNING, lease_left_seconds=1), cause)
    if not isinstance(outcome, Done):
        return outcome, state
    return outcome, changed(after, run.run, state=run.state, lease_left_seconds=None)


@wrong_step("FENCE.8")
def a_late_answer_is_work(state: State, cause: Cause) -> Taken:
    """An answer that comes after the run was settled is written as if it had come in time."""
    run = state.run(cause.run) if isinstance(cause, RecordAnswer) else None
    if run is None or not isinstance(cause, RecordAnswer) or not run.is_sealed or not (call := run.call(cause.call)):
        return step(state, cause)
    answered = replace(call, answer=cause.answer)
    return Done(), state.with_run(run.with_call(answered))
