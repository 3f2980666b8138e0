"""A request to stop: nothing new from its commit on, for the children too, and an end only when all is classified."""

from keepfact.spec.vocabulary import CallState, Cancel, EntryPoint, EventType, Reason, Refused, RunState

from .settling import closed, seal
from .state import Change, Run, State, WideChange, changed


def cancel(state: State, command: Cancel) -> WideChange:
    """The run and all its children that are not over are asked to stop, in one commit."""
    run = state.run(command.run)
    if run is None:
        return Refused(Reason.NO_SUCH_RUN)
    if run.is_sealed:
        return Refused(Reason.SEALED)
    if run.state is RunState.CANCELLING:
        return Refused(Reason.CANCELLING)
    return _with_children(state, run)


def stop(run: Run) -> Change:
    """The worker says that it has stopped; what it could not find out stays unknown."""
    if run.state is not RunState.CANCELLING:
        return Refused(Reason.NOT_CANCELLING)
    if run.has_open_call:
        return Refused(Reason.CALL_OPEN)
    return seal(run, RunState.CANCELLED, EntryPoint.WORK)


def _with_children(state: State, run: Run) -> State:
    state = state.with_run(_asked_to_stop(run))
    for child in run.children:
        born = state.run(child.child)
        if born is not None and not born.is_sealed and born.state is not RunState.CANCELLING:
            state = _with_children(state, born)
    return state


def _asked_to_stop(run: Run) -> Run:
    calls = (changed(call, told_to_stop=True) if call.state is CallState.OPEN else call for call in run.calls)
    asked = changed(closed(run), state=RunState.CANCELLING, calls=tuple(calls))
    return asked.tells(EventType.CANCEL_REQUESTED, EntryPoint.CANCEL)
