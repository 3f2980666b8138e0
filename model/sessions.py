"""Who asks: a session of the right door and tenant, and its principal under everything it wrote."""

from keepfact.spec.chain import chained
from keepfact.spec.vocabulary import TENANT, AskedOfRun, Command, Continue, EntryPoint, EventView, Reason, Session

from .state import MODEL, Run, State, changed

USUAL = Session(TENANT, MODEL, EntryPoint.OBSERVE)
"""Stands for the session of the door that a command belongs to."""


def why_not_asked(state: State, command: Command, session: Session) -> Reason | None:
    """Why a session may not ask this at all. To a stranger a run looks as if it did not exist."""
    if session is not USUAL and session.role is not command.entry_point:
        return Reason.NOT_ALLOWED
    named = [command.run] if isinstance(command, AskedOfRun) else []
    named += [command.source] if isinstance(command, Continue) else []
    runs = [run for name in named if (run := state.run(name)) is not None]
    return Reason.NO_SUCH_RUN if any(run.tenant != session.tenant for run in runs) else None


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
        history.append(
            chained(
                EventView(
                    event.number,
                    event.type,
                    event.entry_point,
                    principal,
                    event.fence,
                    event.concerns,
                    previous_digest=before,
                )
            )
        )
    return changed(new, history=tuple(history))
