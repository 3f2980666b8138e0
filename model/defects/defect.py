"""What a defect is: a step, or a view, that is wrong in one way, and the rules that must catch it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec.vocabulary import Cause, Observation, Outcome, RunId

Taken = tuple[Outcome | None, State]
Stepper = Callable[[State, Cause], Taken]
Show = Callable[[State], Observation]


@dataclass(frozen=True, slots=True)
class Defect:
    """A system that is perfect but for one thing. Each rule in `predicted` must catch it."""

    name: str
    sentence: str
    predicted: tuple[str, ...]
    step: Stepper = step
    show: Show = view


DEFECTS: dict[str, Defect] = {}
"""Every defect by its name, filled as the modules of this folder are read."""


def wrong_step(*predicted: str) -> Callable[[Stepper], Stepper]:
    """Register the decorated step as a defect, named after the function and explained by its docstring."""

    def register(stepper: Stepper) -> Stepper:
        _add(Defect(stepper.__name__, _sentence(stepper), predicted, step=stepper))
        return stepper

    return register


def wrong_view(*predicted: str) -> Callable[[Show], Show]:
    """Register the decorated view as a defect: the store is right, and what it shows is not."""

    def register(show: Show) -> Show:
        _add(Defect(show.__name__, _sentence(show), predicted, show=show))
        return show

    return register


def changed(state: State, run_id: RunId, /, **fields: object) -> State:
    """The state with some fields of one run exchanged; the same state if there is no such run."""
    run = state.run(run_id)
    return state if run is None else state.with_run(replace(run, **fields))  # type: ignore[arg-type] # names a field


def run_after(taken: Taken, run_id: RunId) -> Run:
    """The run in a state that is known to hold it."""
    run = taken[1].run(run_id)
    if run is None:
        raise KeyError(run_id)
    return run


def _add(defect: Defect) -> None:
    if defect.name in DEFECTS:
        raise ValueError(f"expected one defect called {defect.name}, but there are two")
    DEFECTS[defect.name] = defect


def _sentence(function: Callable[..., object]) -> str:
    return " ".join((function.__doc__ or "").split())
