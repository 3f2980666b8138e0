"""TENANT: doors. What is said here is said of sessions; where nobody knows who asked, the chapter is silent."""

from keepfact.spec.chapter import Chapter
from keepfact.spec.entry_points import MAY_WRITE
from keepfact.spec.vocabulary import (
    Asked,
    AskedOfRun,
    Capability,
    Continue,
    EntryPoint,
    EventView,
    Reason,
    Refused,
    RunView,
    Session,
    Step,
)

from .questions.runs import is_turned_away

chapter = Chapter("TENANT", "Doors", needs=frozenset({Capability.SESSIONS}))


@chapter.rule(1, about=AskedOfRun)
def tenants_are_kept_apart(step: Step) -> bool | None:
    """Nothing of one tenant is read or written in a session of another, to which it looks as if there were no such run;
    what a session admits belongs to its own tenant and inherits from it alone.
    """
    if step.session is None or not isinstance(step.cause, AskedOfRun) or step.is_unheard:
        return None
    if any(run.tenant != step.session.tenant for run in _asked_for(step)):
        tells_nothing = not isinstance(step.outcome, Refused) or is_turned_away(step.outcome)
        return step.had_no_effect and (tells_nothing or _is_told_of_its_own(step, step.session))
    if step.changed_nothing:
        return None
    theirs = [run for run in step.before.runs if run.tenant != step.session.tenant]
    admitted = [run for run in step.after.runs if step.before.run(run.run) is None]
    return all(step.after.run(run.run) == run for run in theirs) and all(
        _belongs(run, step, step.session) for run in admitted
    )


@chapter.rule(2, about=Asked)
def a_door_does_what_its_row_says(step: Step) -> bool | None:
    """A session may ask only what belongs to its role and writes only what the row of that role says; an observer
    writes nothing.
    """
    if step.session is None or not isinstance(step.cause, Asked) or step.is_unheard:
        return None
    role = step.session.role
    if role is not step.cause.entry_point:
        tells_nothing = not isinstance(step.outcome, Refused) or is_turned_away(step.outcome)
        return step.had_no_effect and tells_nothing
    if step.outcome == Refused(Reason.NOT_ALLOWED):
        return False
    if step.changed_nothing:
        return None
    return role is not EntryPoint.OBSERVE and all(
        event.entry_point is role and event.type in MAY_WRITE[role] for event in _written(step)
    )


@chapter.rule(3, of_changes=True, about=Asked)
def who_asks_is_known_from_the_session(step: Step) -> bool | None:
    """Every event of a command is written under the principal of its authenticated session, whatever its body says."""
    written = _written(step) if step.session is not None else []
    if step.session is None or not isinstance(step.cause, Asked) or not written:
        return None
    return all(event.principal == step.session.principal for event in written)


def _asked_for(step: Step) -> list[RunView]:
    """The runs that the command names: the one it is about, and the one it continues."""
    source = step.before.run(step.cause.source) if isinstance(step.cause, Continue) else None
    return [run for run in (step.old, source) if run is not None]


def _is_told_of_its_own(step: Step, session: Session) -> bool:
    """To continue another's run under an id or a request that the session's own tenant used is refused for that, as it
    would be if there were no such source.
    """
    if not isinstance(step.cause, Continue) or (step.old is not None and step.old.tenant != session.tenant):
        return False
    admitted = {run.request for run in step.before.runs if run.tenant == session.tenant}
    return (step.outcome == Refused(Reason.RUN_EXISTS) and step.old is not None) or (
        step.outcome == Refused(Reason.REQUEST_TAKEN)
        and step.cause.request is not None
        and step.cause.request in admitted
    )


def _belongs(run: RunView, step: Step, session: Session) -> bool:
    """The run is of the session's tenant, and so is each run that it inherits from, as far as it is shown."""
    sources = [step.before.run(material.run) for material in run.inherited]
    return run.tenant == session.tenant and all(source is None or source.tenant == session.tenant for source in sources)


def _written(step: Step) -> list[EventView]:
    """The events that the step appended, to whatever run."""
    begun = {run.run: len(run.history) for run in step.before.runs}
    return [event for run in step.after.runs for event in run.history[begun.get(run.run, 0) :]]
