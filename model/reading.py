"""What can be read without writing anything: a run, its events, its next decision, what a tool says of a call."""

from keepfact.spec.vocabulary import (
    ENDS,
    CallState,
    Done,
    Evidence,
    LookUp,
    Observe,
    Outcome,
    Reason,
    Refused,
    Replay,
    Stream,
    Streamed,
)

from .deciding import next_decision
from .state import Run, State


def read(state: State, command: Observe | Stream | Replay | LookUp) -> Outcome:
    """The answer; nothing changes."""
    run = state.run(command.run)
    if run is None:
        return Refused(Reason.NO_SUCH_RUN)
    match command:
        case Observe():
            return Done()
        case Stream():
            return Done(stream=Streamed(run.history[command.after :], run.state in ENDS))
        case Replay():
            return Done(decision=next_decision(run))
        case LookUp():
            return _looked_up(state, run, command)


def _looked_up(state: State, run: Run, command: LookUp) -> Outcome:
    """Here the tool speaks, which knows the truth. What has not arrived may still arrive, unless it said so before."""
    call = run.call(command.call)
    if call is None:
        return Refused(Reason.NO_SUCH_CALL)
    true = state.truth.of(call.call)
    if true is not None and true.acts:
        return Done(evidence=Evidence.CONFIRMED)
    return Done(evidence=Evidence.NOT_FOUND if call.state is CallState.NOT_FOUND else Evidence.AMBIGUOUS)
