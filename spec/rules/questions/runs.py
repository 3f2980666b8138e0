"""What rules ask of a run, of its calls, and of whoever was turned away at its door."""

from keepfact.spec.vocabulary import (
    ENDS,
    CallKind,
    CallState,
    CallView,
    Cause,
    Contract,
    EntryPoint,
    Outcome,
    Reason,
    Reconcile,
    Recover,
    Refused,
    RunState,
    RunView,
    Step,
    WorkerRan,
)

_AT_THE_DOOR = {Reason.COMMAND_ID_CONFLICT, Reason.MALFORMED, Reason.NOT_ALLOWED, Reason.NO_SUCH_RUN}


def is_recovery(cause: Cause) -> bool:
    """Asked for, or by a worker that is to go on with the run."""
    return isinstance(cause, Recover) or (isinstance(cause, WorkerRan) and cause.door is EntryPoint.RECOVER)


def recovers(step: Step) -> bool:
    """Recovery did something in this step."""
    by_itself = isinstance(step.cause, WorkerRan) and not step.changed_nothing
    return is_recovery(step.cause) and (step.took_effect or by_itself)


def is_turned_away(outcome: Outcome | None) -> bool:
    """Refused for the asking itself, before anybody looked at what it is about."""
    return isinstance(outcome, Refused) and outcome.reason in _AT_THE_DOOR


def is_sealed(run: RunView) -> bool:
    """Execution is over: it has ended, or waits for evidence."""
    return run.state in ENDS or run.state is RunState.UNKNOWN


def is_spent(run: RunView) -> bool:
    """Nothing of its budget is left to promise."""
    return run.known_cents + run.held_cents >= run.budget_cents


def is_unresolved(call: CallView) -> bool:
    """Whether it acted, or what it cost, is still to be found out."""
    lacks_an_amount = call.state is CallState.CONFIRMED and call.cost_cents is None
    return lacks_an_amount or call.state in {CallState.OPEN, CallState.UNKNOWN}


def is_of_an_earlier_sending(evidence: Reconcile, call: CallView) -> bool:
    """Somebody was asked before the call was sent once more, or says that it was sent more often than it was."""
    return evidence.sends not in {None, call.sends}


def is_in_doubt(run: RunView) -> bool:
    """Under `resume` it goes on only when it knows of each operation whether it acted (SETTLE.7)."""
    operations = (call for call in run.calls if call.kind is CallKind.OPERATION)
    return run.contract is Contract.RESUME and any(call.state is CallState.UNKNOWN for call in operations)
