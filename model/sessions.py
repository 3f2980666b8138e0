"""Who asks: a session of the right door and tenant, and its principal under everything it wrote."""

from keepfact.spec.vocabulary import TENANT, AskedOfRun, Command, EntryPoint, Session

from .state import MODEL, Run, State, chained_event, changed

USUAL = Session(TENANT, MODEL, EntryPoint.OBSERVE)
"""Stands for the session of the door that a command belongs to."""


def is_wrong_door(command: Command, session: Session) -> bool:
    """The session is one of another entry point than the command's."""
    return session is not USUAL and session.role is not command.entry_point


def is_strangers(state: State, command: Command, session: Session) -> bool:
    """The run is another tenant's: to a stranger it looks as if it did not exist."""
    if not isinstance(command, AskedOfRun):
        return False
    run = state.run(command.run)
    return run is not None and run.tenant != session.tenant


def signed(before: State, after: State, session: Session) -> State:
    """The state after a command, with the session's principal under each event that it wrote."""
    if session.principal == MODEL:
        return after
    runs = tuple(_signed(before.run(run.run), run, session.principal) for run in after.runs)
    return changed(after, runs=runs)


def _signed(old: Run | None, new: Run, principal: str) -> Run:
    kept = len(old.history) if old else 0
    history = list(new.history[:kept])
    for event in new.history[kept:]:
        before = history[-1].digest if history else None
        told = (event.number, event.type, event.entry_point, principal, event.fence, event.concerns, before)
        history.append(chained_event(*told))
    return changed(new, history=tuple(history))
