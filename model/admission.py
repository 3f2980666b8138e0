"""How a run begins, and what no command may say."""

from keepfact.spec.vocabulary import (
    Command,
    EntryPoint,
    EventType,
    Evidence,
    Intend,
    Reason,
    Reconcile,
    RecordAnswer,
    Refused,
    Submit,
)

from .state import Change, Run


def admit(existing: Run | None, command: Submit) -> Change:
    """A new run in the queue, pinned to its contract."""
    if existing is not None:
        return Refused(Reason.RUN_EXISTS)
    run = Run(command.run, command.contract, command.budget_cents)
    return run.tells(EventType.ADMITTED, EntryPoint.SUBMIT)


def is_malformed(command: Command) -> bool:
    """An amount is never negative, and evidence carries an amount only when it confirms."""
    match command:
        case Submit():
            return command.budget_cents < 0
        case Intend():
            return command.ceiling_cents < 0
        case RecordAnswer():
            return (command.cost_cents or 0) < 0
        case Reconcile(evidence=Evidence.CONFIRMED):
            return (command.cost_cents or 0) < 0
        case Reconcile():
            return command.cost_cents is not None
        case _:
            return False
