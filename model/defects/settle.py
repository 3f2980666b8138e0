"""Defects of SETTLE: a crash leaves something dishonest."""

from dataclasses import replace

from keepfact.model.state import State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec.vocabulary import (
    CallState,
    Cause,
    Delivered,
    Done,
    EntryPoint,
    EventType,
    Fail,
    Observation,
    Reconcile,
    Recover,
    RunState,
    Succeed,
)

from .defect import Taken, changed, run_after, wrong_step, wrong_view


@wrong_step("SETTLE.1")
def a_lapsed_run_is_interrupted_at_once(state: State, cause: Cause) -> Taken:
    """Recovery writes an end although a call is still unresolved."""
    outcome, after = step(state, cause)
    if isinstance(cause, Recover) and after is not state:
        run = run_after((outcome, after), cause.run)
        after = changed(after, run.run, state=RunState.INTERRUPTED, sealed_for=None)
    return outcome, after


@wrong_step("SETTLE.2")
def a_second_settler_settles_again(state: State, cause: Cause) -> Taken:
    """A settler that comes second ends what the first had left unknown."""
    run = state.run(cause.run) if isinstance(cause, Recover) else None
    if run is None or run.state is not RunState.UNKNOWN:
        return step(state, cause)
    ended = replace(run, state=RunState.INTERRUPTED, sealed_for=None)
    return Done(), state.with_run(ended.tells(EventType.ENDED, EntryPoint.RECOVER, run.fence))


@wrong_step("SETTLE.3")
def recovery_clears_the_partial_body(state: State, cause: Cause) -> Taken:
    """Recovery cleans up, and what had been published is gone."""
    outcome, after = step(state, cause)
    if isinstance(cause, Recover) and after is not state:
        after = changed(after, cause.run, publications=())
    return outcome, after


@wrong_view("SETTLE.4")
def a_partial_body_is_delivered_as_whole(state: State) -> Observation:
    """The body of a run that was interrupted is handed over as if it were the result."""
    shown = view(state)
    return Observation(
        tuple(
            replace(run, delivered=Delivered(run.delivered.version, partial=False)) if run.delivered else run
            for run in shown.runs
        )
    )


@wrong_view("SETTLE.4")
def an_unqualified_body_is_delivered(state: State) -> Observation:
    """Whatever was published last is handed over, validated or not."""
    shown = view(state)
    return Observation(
        tuple(
            replace(run, delivered=Delivered(len(run.publications), partial=True))
            if run.publications and run.state is RunState.INTERRUPTED
            else run
            for run in shown.runs
        )
    )


@wrong_step("SETTLE.5")
def success_without_a_body(state: State, cause: Cause) -> Taken:
    """The worker says that it is finished, and that is taken for a result."""
    run = state.run(cause.run) if isinstance(cause, Succeed) else None
    if run is None or any(publication.qualified for publication in run.publications):
        return step(state, cause)
    qualified = tuple(replace(publication, qualified=True) for publication in view(state).runs[0].publications)
    outcome, after = step(changed(state, run.run, publications=qualified), cause)
    return outcome, changed(after, run.run, publications=run.publications) if isinstance(outcome, Done) else state


@wrong_step("SETTLE.5")
def success_with_an_unknown_call(state: State, cause: Cause) -> Taken:
    """A run succeeds although nobody knows what one of its calls did or cost."""
    outcome, after = step(state, cause)
    if isinstance(cause, Succeed) and after is not state:
        after = changed(after, cause.run, state=RunState.SUCCEEDED, sealed_for=None)
    return outcome, after


@wrong_step("SETTLE.6")
def evidence_leaves_the_run_unknown(state: State, cause: Cause) -> Taken:
    """The last evidence comes in, and the run stays unknown for ever."""
    outcome, after = step(state, cause)
    run = state.run(cause.run) if isinstance(cause, Reconcile) else None
    if run is None or run.state is not RunState.UNKNOWN or after is state:
        return outcome, after
    told = run_after((outcome, after), run.run).history
    history = told[:-1] if told[-1].type is EventType.ENDED else told
    return outcome, changed(after, run.run, state=run.state, sealed_for=run.sealed_for, history=history)


@wrong_step("SETTLE.8")
def recovery_tells_what_did_not_happen(state: State, cause: Cause) -> Taken:
    """Recovery reports calls as lost whose answers had been committed."""
    run = state.run(cause.run) if isinstance(cause, Recover) else None
    if run is None or run.lease_left_seconds != 0:
        return step(state, cause)
    told = run
    for call in run.calls:
        if call.state is CallState.CONFIRMED:
            told = told.tells(EventType.LOST, EntryPoint.RECOVER, run.fence, call.call)
    return step(state.with_run(told), cause)


@wrong_step("SETTLE.9")
def a_failure_is_told_as_an_interruption(state: State, cause: Cause) -> Taken:
    """Two causes share one status: a run that failed looks like one whose worker died."""
    outcome, after = step(state, cause)
    if not isinstance(cause, Fail) or after is state:
        return outcome, after
    run = run_after((outcome, after), cause.run)
    if run.state is RunState.FAILED:
        return outcome, changed(after, run.run, state=RunState.INTERRUPTED)
    return outcome, changed(after, run.run, sealed_for=RunState.INTERRUPTED)
