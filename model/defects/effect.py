"""Defects of EFFECT: something is done twice, or said that nobody knows."""

from collections.abc import Callable
from dataclasses import replace

from keepfact.model.state import Call, State
from keepfact.model.step import step
from keepfact.spec.vocabulary import (
    Act,
    CallKind,
    CallState,
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

from .defect import Taken, changed, run_after, wrong_step


@wrong_step("EFFECT.1")
def the_intent_says_something_else(state: State, cause: Cause) -> Taken:
    """A step between intent and dispatch rewrites the arguments; the intent keeps the digest of others."""
    if isinstance(cause, Intend):
        return step(state, replace(cause, digest=f"rewritten {cause.digest}"))
    return step(state, cause)


@wrong_step("EFFECT.3")
def another_digest_is_let_through(state: State, cause: Cause) -> Taken:
    """The id alone decides: a second request under it, with other arguments, is taken for the first."""
    run = state.run(cause.run) if isinstance(cause, Intend) else None
    call = run.call(cause.call) if run and isinstance(cause, Intend) else None
    if call is None or not isinstance(cause, Intend):
        return step(state, cause)
    return step(state, replace(cause, digest=call.digest, kind=call.kind))


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


@wrong_step("EFFECT.5", "SETTLE.1")
def a_lost_call_is_called_failed(state: State, cause: Cause) -> Taken:
    """Recovery takes a call without an answer for one that never happened."""
    return _recovered_as(state, cause, lambda call: replace(call, state=CallState.NOT_FOUND))


@wrong_step("EFFECT.5")
def a_lost_answer_is_invented(state: State, cause: Cause) -> Taken:
    """Recovery repairs the gap with an answer that nobody gave."""
    return _recovered_as(state, cause, lambda call: replace(call, state=CallState.CONFIRMED, answer="error"))


@wrong_step("EFFECT.5", "COST.3")
def a_timeout_is_a_failure(state: State, cause: Cause) -> Taken:
    """A worker whose answer did not come says that the call did not happen."""
    outcome, after = step(state, cause)
    if not isinstance(cause, MarkUnknown) or after is state:
        return outcome, after
    run = run_after((outcome, after), cause.run)
    call = run.call(cause.call)
    return outcome, after.with_run(run.with_call(replace(call, state=CallState.NOT_FOUND))) if call else after


@wrong_step("EFFECT.6", "COST.4")
def ambiguous_is_taken_for_not_found(state: State, cause: Cause) -> Taken:
    """An error on lookup is read as proof that nothing happened."""
    if isinstance(cause, Reconcile) and cause.evidence is Evidence.AMBIGUOUS:
        return step(state, replace(cause, evidence=Evidence.NOT_FOUND))
    return step(state, cause)


@wrong_step("EFFECT.9")
def a_second_answer_replaces_the_first(state: State, cause: Cause) -> Taken:
    """What came last is kept, so that a call may have answered twice."""
    run = state.run(cause.run) if isinstance(cause, RecordAnswer) else None
    call = run.call(cause.call) if run and isinstance(cause, RecordAnswer) else None
    if run is None or call is None or call.state is not CallState.CONFIRMED or not run.lease_left_seconds:
        return step(state, cause)
    return Done(), state.with_run(run.with_call(replace(call, answer=f"{call.answer} and another")))


def _recovered_as(state: State, cause: Cause, lost: Callable[[Call], Call]) -> Taken:
    """Recovery that makes of each open call what `lost` says, and then settles."""
    run = state.run(cause.run) if isinstance(cause, Recover) else None
    if run is None or run.lease_left_seconds != 0 or not run.has_open_call:
        return step(state, cause)
    calls = tuple(lost(call) if call.state is CallState.OPEN else call for call in run.calls)
    return step(changed(state, run.run, calls=calls), cause)
