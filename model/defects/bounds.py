"""Defects of EFFECT, continued: what is sent again, undone, spawned, assessed or died of has no bounds."""

from dataclasses import replace

from keepfact.model.outside import act
from keepfact.model.state import Call, Run, State
from keepfact.model.step import step
from keepfact.spec.vocabulary import (
    Act,
    Assess,
    CallState,
    Capability,
    Cause,
    ChildView,
    Done,
    Intend,
    PublicationView,
    Reconcile,
    RecordAnswer,
    Recover,
    Renew,
    RunState,
    SendAgain,
    Spawn,
    Succeed,
)

from .defect import Taken, wrong_command, wrong_result, wrong_step


@wrong_command(SendAgain, "EFFECT.7", case="B02")
def what_is_unknown_is_sent_again(state: State, again: SendAgain, run: Run) -> Taken:
    """A timeout is taken for a failure, and the call is sent again to a tool that does not recognise its id."""
    return _sent_as_if(state, again, run, CallState.UNKNOWN)


@wrong_command(Reconcile, "EFFECT.7", needs={Capability.RESENDING})
def what_was_found_before_counts_after(state: State, reconcile: Reconcile, run: Run) -> Taken:
    """A tool is asked, the call is sent once more, and then the old answer that it was not found is taken for new."""
    return step(state, replace(reconcile, sends=None))


@wrong_command(SendAgain, "EFFECT.7")
def what_is_in_flight_is_sent_again(state: State, again: SendAgain, run: Run) -> Taken:
    """An impatient worker sends a call a second time while the first request is still on its way."""
    return _sent_as_if(state, again, run, CallState.OPEN)


@wrong_result(SendAgain, "EFFECT.7")
def sending_again_sends_something_else(old: Run, new: Run) -> Run:
    """The request is built anew for the second sending, and its arguments are not those that were intended."""
    return replace(new, calls=tuple(_rebuilt(new, old, call) for call in new.calls))


@wrong_result(SendAgain, "EFFECT.8")
def sending_again_is_not_counted(old: Run, new: Run) -> Run:
    """Only the first sending of a call is in the record."""
    sends = {call.call: call.sends for call in old.calls}
    return replace(new, calls=tuple(replace(call, sends=sends[call.call]) for call in new.calls))


@wrong_command(SendAgain, "EFFECT.8")
def a_call_is_sent_for_ever(state: State, again: SendAgain, run: Run) -> Taken:
    """Nobody looks at how often a call has been sent already."""
    call = run.call(again.call)
    if call is None or call.sends < call.sends_max:
        return step(state, again)
    outcome, after = step(state.with_run(run.with_call(replace(call, sends_max=call.sends + 1))), again)
    sent = after.run(run.run)
    if sent is None or not isinstance(outcome, Done):
        return outcome, state
    return outcome, after.with_run(_with_bound(sent, call))


@wrong_step("EFFECT.8", case="B15")
def a_library_retries_by_itself(state: State, cause: Cause) -> Taken:
    """A client library repeats a request that is slow, under the same key, and the record knows only of one."""
    if not isinstance(cause, Act):
        return step(state, cause)
    after = act(state, cause)
    heard = tuple(
        replace(one, requests=3 * one.requests) if one.call == cause.call else one for one in after.truth.calls
    )
    return None, replace(after, truth=replace(after.truth, calls=heard))


@wrong_result(RecordAnswer, "EFFECT.10")
def an_answer_qualifies_the_body(old: Run, new: Run) -> Run:
    """The tool has answered without an error, so what was drafted from it counts as validated."""
    return replace(new, publications=_qualified(new))


@wrong_result(Succeed, "EFFECT.10")
def a_finished_run_counts_as_good(old: Run, new: Run) -> Run:
    """The worker says that it has finished, and that is taken for a judgement of its result."""
    return replace(new, assessment=True)


@wrong_command(Assess, "EFFECT.10", "FENCE.6")
def a_bad_result_fails_the_run(state: State, assess: Assess, run: Run) -> Taken:
    """A run whose result is found to be bad is called failed, although its worker did finish."""
    outcome, after = step(state, assess)
    assessed = after.run(run.run)
    if assessed is None or after is state or assess.good:
        return outcome, after
    return outcome, after.with_run(replace(assessed, state=RunState.FAILED))


@wrong_result(Intend, "EFFECT.11")
def a_compensation_names_nothing(old: Run, new: Run) -> Run:
    """What undoes a call is recorded like any other call, so that nobody can tell why it was sent."""
    return replace(new, calls=tuple(replace(call, compensates=None, undo=None) for call in new.calls))


@wrong_result(Intend, "EFFECT.11", "COST.3")
def a_compensation_unmakes_the_original(old: Run, new: Run) -> Run:
    """What was undone is recorded as if it had never happened, and its cost with it."""
    undone = {call.compensates for call in new.calls}
    calls = (
        replace(one, state=CallState.NOT_FOUND, cost_cents=None) if one.call in undone else one for one in new.calls
    )
    return replace(new, calls=tuple(calls))


@wrong_command(Intend, "EFFECT.11")
def what_nobody_confirmed_is_undone(state: State, intend: Intend, run: Run) -> Taken:
    """A compensation is sent for an operation of which nobody knows whether it acted at all."""
    original = run.call(intend.compensates) if intend.compensates else None
    if original is None or original.state is CallState.CONFIRMED or run.call(intend.call) is not None:
        return step(state, intend)
    taken = run.with_call(replace(original, state=CallState.CONFIRMED))
    outcome, after = step(state.with_run(taken), intend)
    undoing = after.run(run.run)
    if undoing is None or not isinstance(outcome, Done):
        return outcome, state
    return outcome, after.with_run(undoing.with_call(original))


@wrong_command(Spawn, "EFFECT.12")
def one_spawn_starts_two_children(state: State, spawn: Spawn, run: Run) -> Taken:
    """A parent that was restarted starts its child again under another name."""
    outcome, after = step(state.with_run(replace(run, children=())), spawn)
    parent = after.run(run.run)
    if parent is None or not isinstance(outcome, Done):
        return step(state, spawn)
    return outcome, after.with_run(replace(parent, children=(*run.children, ChildView(spawn.spawn, spawn.child))))


@wrong_step("EFFECT.12")
def a_child_starts_without_a_budget(state: State, cause: Cause) -> Taken:
    """The child is admitted, but not with what its parent said: it may spend nothing."""
    outcome, after = step(state, cause)
    child = after.run(cause.child) if isinstance(cause, Spawn) and after is not state else None
    return outcome, after if child is None else after.with_run(replace(child, budget_cents=0))


@wrong_result(Recover, "EFFECT.13")
def deaths_are_not_counted(old: Run, new: Run) -> Run:
    """A step that kills every worker is tried again for ever."""
    return replace(new, deaths=old.deaths)


@wrong_result(Renew, "EFFECT.13")
def a_heartbeat_counts_as_progress(old: Run, new: Run) -> Run:
    """A worker that is alive for one heartbeat starts the count of deaths over."""
    return replace(new, deaths=0)


def _sent_as_if(state: State, again: SendAgain, run: Run, taken: CallState) -> Taken:
    """A call in the `taken` state is sent again as if it were known that it did not act."""
    call = run.call(again.call)
    if call is None or call.state is not taken:
        return step(state, again)
    outcome, after = step(state.with_run(run.with_call(replace(call, state=CallState.NOT_FOUND))), again)
    return outcome, after if isinstance(outcome, Done) else state


def _rebuilt(new: Run, old: Run, call: Call) -> Call:
    return call if old.call(call.call) == call else replace(call, digest=f"rebuilt {call.digest}")


def _with_bound(run: Run, call: Call) -> Run:
    """The run with this call's bound as it was."""
    sent = run.call(call.call)
    return run if sent is None else run.with_call(replace(sent, sends_max=call.sends_max))


def _qualified(run: Run) -> tuple[PublicationView, ...]:
    return tuple(replace(publication, qualified=True) for publication in run.publications)
