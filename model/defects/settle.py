"""Defects of SETTLE: a crash leaves something dishonest."""

from dataclasses import replace

from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec.vocabulary import (
    CallState,
    Delivered,
    Done,
    EntryPoint,
    EventType,
    Fail,
    Observation,
    Reason,
    Reconcile,
    Recover,
    Refused,
    RunState,
    RunView,
    Succeed,
)

from .defect import Taken, wrong_command, wrong_result, wrong_view


@wrong_result(Recover, "SETTLE.1")
def a_lapsed_run_is_interrupted_at_once(old: Run, new: Run) -> Run:
    """Recovery writes an end although a call is still unresolved."""
    return replace(new, state=RunState.INTERRUPTED, sealed_for=None)


@wrong_command(Recover, "SETTLE.2")
def a_second_settler_settles_again(state: State, recover: Recover, run: Run) -> Taken:
    """A settler that comes second ends what the first had left unknown."""
    if run.state is not RunState.UNKNOWN:
        return step(state, recover)
    ended = replace(run, state=RunState.INTERRUPTED, sealed_for=None)
    return Done(), state.with_run(ended.tells(EventType.ENDED, EntryPoint.RECOVER, run.fence))


@wrong_result(Recover, "SETTLE.3")
def recovery_clears_the_partial_body(old: Run, new: Run) -> Run:
    """Recovery cleans up, and what had been published is gone."""
    return replace(new, publications=())


@wrong_view("SETTLE.4")
def a_partial_body_is_delivered_as_whole(state: State) -> Observation:
    """The body of a run that was interrupted is handed over as if it were the result."""
    return Observation(tuple(_delivered_whole(run) for run in view(state).runs))


@wrong_view("SETTLE.4")
def an_unqualified_body_is_delivered(state: State) -> Observation:
    """Whatever was published last is handed over, validated or not."""
    return Observation(tuple(_delivered_anyhow(run) for run in view(state).runs))


@wrong_command(Succeed, "SETTLE.5")
def success_without_a_body(state: State, succeed: Succeed, run: Run) -> Taken:
    """The worker says that it is finished, and that is taken for a result."""
    qualified = tuple(replace(publication, qualified=True) for publication in run.publications)
    outcome, after = step(state.with_run(replace(run, publications=qualified)), succeed)
    ended = after.run(run.run)
    if ended is None or not isinstance(outcome, Done):
        return outcome, state
    return outcome, after.with_run(replace(ended, publications=run.publications))


@wrong_result(Succeed, "SETTLE.5")
def success_with_an_unknown_call(old: Run, new: Run) -> Run:
    """A run succeeds although nobody knows what one of its calls did or cost."""
    return replace(new, state=RunState.SUCCEEDED, sealed_for=None)


@wrong_result(Reconcile, "SETTLE.6")
def evidence_leaves_the_run_unknown(old: Run, new: Run) -> Run:
    """The last evidence comes in, and the run stays unknown for ever."""
    if old.state is not RunState.UNKNOWN:
        return new
    told = tuple(event for event in new.history if event.type is not EventType.ENDED)
    return replace(new, state=old.state, sealed_for=old.sealed_for, history=told)


@wrong_command(Reconcile, "SETTLE.6", case="B03")
def evidence_comes_too_late(state: State, reconcile: Reconcile, run: Run) -> Taken:
    """The run is sealed, so what its tool says afterwards of a call that was given up is turned away."""
    return (Refused(Reason.SEALED), state) if run.is_sealed else step(state, reconcile)


@wrong_command(Recover, "SETTLE.8")
def recovery_tells_what_did_not_happen(state: State, recover: Recover, run: Run) -> Taken:
    """Recovery reports calls as lost whose answers had been committed."""
    if run.lease_left_seconds != 0:
        return step(state, recover)
    for call in run.calls:
        if call.state is CallState.CONFIRMED:
            run = run.tells(EventType.LOST, EntryPoint.RECOVER, run.fence, call.call)
    return step(state.with_run(run), recover)


@wrong_result(Fail, "SETTLE.9")
def a_failure_is_told_as_an_interruption(old: Run, new: Run) -> Run:
    """Two causes share one status: a run that failed looks like one whose worker died."""
    if new.state is RunState.FAILED:
        return replace(new, state=RunState.INTERRUPTED)
    return replace(new, sealed_for=RunState.INTERRUPTED)


def _delivered_whole(run: RunView) -> RunView:
    return replace(run, delivered=Delivered(run.delivered.version, partial=False)) if run.delivered else run


def _delivered_anyhow(run: RunView) -> RunView:
    if not run.publications or run.state is not RunState.INTERRUPTED:
        return run
    return replace(run, delivered=Delivered(len(run.publications), partial=True))
