"""Defects of EFFECT: something is done twice, or said that nobody knows."""

from collections.abc import Callable
from dataclasses import replace

from keepfact.model.state import Call, Run, State
from keepfact.model.step import step
from keepfact.spec.vocabulary import (
    Act,
    CallKind,
    CallState,
    CallTruth,
    Cause,
    Done,
    Evidence,
    Intend,
    MarkUnknown,
    Reconcile,
    RecordAnswer,
    Recover,
    Truth,
)

from .defect import Taken, wrong_command, wrong_result, wrong_step


@wrong_command(Intend, "EFFECT.1")
def the_intent_says_something_else(state: State, intend: Intend, run: Run) -> Taken:
    """A step between intent and dispatch rewrites the arguments; the intent keeps the digest of others."""
    return step(state, replace(intend, digest=f"rewritten {intend.digest}"))


@wrong_command(Intend, "EFFECT.1", case="B07")
def a_commit_is_repeated_on_a_new_session(state: State, intend: Intend, run: Run) -> Taken:
    """The connection dies at the commit, the driver commits on a new one that holds nothing, and says: done."""
    outcome, _ = step(state, intend)
    return outcome, state


@wrong_step("EFFECT.2")
def every_worker_has_its_own_key(state: State, cause: Cause) -> Taken:
    """The key on the wire names the worker's grant as well, so that a tool takes a retry for something new."""
    return _as_heard(state, cause, lambda true: replace(true, keys=tuple(f"{key} {true.fence}" for key in true.keys)))


@wrong_step("EFFECT.2")
def a_late_sender_carries_the_new_fence(state: State, cause: Cause) -> Taken:
    """The fence is read when the request goes out and not when it was intended, so that no tool can tell a late one."""
    run = state.run(cause.run) if isinstance(cause, Act) else None
    return _as_heard(state, cause, lambda true: replace(true, fence=run.fence if run else true.fence))


@wrong_command(Intend, "EFFECT.2")
def two_runs_share_a_key(state: State, intend: Intend, run: Run) -> Taken:
    """Ids are unique in their run only: a second run asks under a key for which the tool knows another answer."""
    alone = replace(state, runs=(run,))
    outcome, after = step(alone, intend)
    intended = after.run(run.run)
    return outcome, state if intended is None or after is alone else state.with_run(intended)


@wrong_command(Intend, "EFFECT.3")
def another_digest_is_let_through(state: State, intend: Intend, run: Run) -> Taken:
    """The id alone decides: a second request under it, with other arguments, is taken for the first."""
    first = run.call(intend.call)
    return step(state, replace(intend, digest=first.digest, kind=first.kind) if first else intend)


@wrong_step("EFFECT.4")
def a_retry_has_a_new_key(state: State, cause: Cause) -> Taken:
    """A retry inside the client sends again under a key of its own, and the tool acts twice."""
    outcome, after = step(state, cause)
    if not isinstance(cause, Act):
        return outcome, after
    twice = [
        replace(call, requests=2, acts=2, cost_cents=2 * call.cost_cents)
        if call.call == cause.call and call.kind is CallKind.OPERATION
        else call
        for call in after.truth.calls
    ]
    return outcome, replace(after, truth=Truth(tuple(twice)))


@wrong_command(Recover, "EFFECT.5", "SETTLE.1", case="B21")
def a_lost_call_is_called_failed(state: State, recover: Recover, run: Run) -> Taken:
    """Recovery takes a call without an answer for one that never happened."""
    return _recovered_as(state, recover, run, lambda call: replace(call, state=CallState.NOT_FOUND))


@wrong_command(Recover, "EFFECT.5", case="B17")
def a_lost_answer_is_invented(state: State, recover: Recover, run: Run) -> Taken:
    """Recovery repairs the gap with an answer that nobody gave."""
    return _recovered_as(state, recover, run, lambda call: replace(call, state=CallState.CONFIRMED, answer="error"))


@wrong_result(MarkUnknown, "EFFECT.5", "COST.3", case="B02")
def a_timeout_is_a_failure(old: Run, new: Run) -> Run:
    """A worker whose answer did not come says that the call did not happen."""
    lost = [call for call in new.calls if call.state is CallState.UNKNOWN and call not in old.calls]
    return new.with_call(replace(lost[0], state=CallState.NOT_FOUND)) if lost else new


@wrong_command(Reconcile, "EFFECT.6", "COST.4", case="B03")
def ambiguous_is_taken_for_not_found(state: State, reconcile: Reconcile, run: Run) -> Taken:
    """An error on lookup is read as proof that nothing happened."""
    is_ambiguous = reconcile.evidence is Evidence.AMBIGUOUS
    return step(state, replace(reconcile, evidence=Evidence.NOT_FOUND) if is_ambiguous else reconcile)


@wrong_command(RecordAnswer, "EFFECT.6")
def a_late_answer_resolves_a_lost_call(state: State, record: RecordAnswer, run: Run) -> Taken:
    """An answer that comes after its call was given up is taken as if nobody had said that it is unknown."""
    call = run.call(record.call)
    if call is None or call.state is not CallState.UNKNOWN:
        return step(state, record)
    outcome, after = step(state.with_run(run.with_call(replace(call, state=CallState.OPEN))), record)
    return outcome, after if isinstance(outcome, Done) else state


@wrong_command(RecordAnswer, "EFFECT.9")
def a_second_answer_replaces_the_first(state: State, record: RecordAnswer, run: Run) -> Taken:
    """What came last is kept, so that a call may have answered twice."""
    call = run.call(record.call)
    if call is None or call.state is not CallState.CONFIRMED or not run.lease_left_seconds:
        return step(state, record)
    return Done(), state.with_run(run.with_call(replace(call, answer=f"{call.answer} and another")))


@wrong_command(RecordAnswer, "EFFECT.9")
def an_answer_is_cut_short(state: State, record: RecordAnswer, run: Run) -> Taken:
    """Half of an answer has come when the connection is cut, and the half is stored as the answer."""
    return step(state, replace(record, answer=record.answer[: len(record.answer) // 2]))


def _as_heard(state: State, cause: Cause, otherwise: Callable[[CallTruth], CallTruth]) -> Taken:
    """The step, and what the server outside then heard of the call that acts."""
    outcome, after = step(state, cause)
    if not isinstance(cause, Act):
        return outcome, after
    heard = tuple(otherwise(true) if true.call == cause.call else true for true in after.truth.calls)
    return outcome, replace(after, truth=replace(after.truth, calls=heard))


def _recovered_as(state: State, recover: Recover, run: Run, lost: Callable[[Call], Call]) -> Taken:
    """Recovery that makes of each open call what `lost` says, and then settles."""
    if run.lease_left_seconds != 0:
        return step(state, recover)
    calls = tuple(lost(call) if call.state is CallState.OPEN else call for call in run.calls)
    return step(state.with_run(replace(run, calls=calls)), recover)
