"""What a step comes to where one thing is taken to be other than it is."""

from collections.abc import Callable
from dataclasses import replace

from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.spec.vocabulary import Cause, Done, WaitView

from .defect import Taken


def taken_as_if(state: State, pretended: State, cause: Cause) -> Taken:
    """The step as if the state were so; as it really is, if that helps nothing."""
    outcome, after = step(pretended, cause)
    return outcome, after if isinstance(outcome, Done) and after is not pretended else state


def taken_as_if_waiting(
    state: State, run: Run, wait: WaitView, pretend: Callable[[WaitView], WaitView], cause: Cause
) -> Taken:
    """The step as if one wait were so; what it was mistaken in is afterwards as it was."""
    pretended = pretend(wait)
    outcome, after = taken_as_if(state, state.with_run(run.with_wait(pretended)), cause)
    new = after.run(run.run)
    made = None if new is None else new.wait(wait.wait)
    if after is state or new is None or made is None:
        return outcome, after
    fields = ("left_seconds", "approved", "used_by")
    mistaken = {name: getattr(wait, name) for name in fields if getattr(made, name) == getattr(pretended, name)}
    return outcome, after.with_run(new.with_wait(replace(made, **mistaken)))
