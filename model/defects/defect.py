"""What a defect is: a step, or a view, that is wrong in one way, and the rules that must catch it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import UnionType
from typing import TypeVar

from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.model.walker import Show, Stepper
from keepfact.spec.vocabulary import OFFERS, AskedOfRun, Capability, Cause, Outcome

Taken = tuple[Outcome | None, State]
C = TypeVar("C", bound=AskedOfRun)


@dataclass(frozen=True, slots=True)
class Defect:
    """A system that is perfect but for one thing. Each rule in `predicted` must catch it.

    `case` is the number of the reported fault that it shows, as B01, if it shows one. It can show only where all is
    offered that it `needs`.
    """

    name: str
    sentence: str
    predicted: tuple[str, ...]
    step: Stepper = step
    show: Show = view
    case: str = ""
    needs: frozenset[Capability] = frozenset()


DEFECTS: dict[str, Defect] = {}
"""Every defect by its name, filled as the modules of this folder are read."""


def wrong_step(*predicted: str, case: str = "", needs: Iterable[Capability] = ()) -> Callable[[Stepper], Stepper]:
    """Register the decorated step as a defect."""

    def register(stepper: Stepper) -> Stepper:
        _add(stepper, predicted, case, needs, step=stepper)
        return stepper

    return register


def wrong_command(
    kind: type[C], *predicted: str, case: str = "", needs: Iterable[Capability] = ()
) -> Callable[[Callable[[State, C, Run], Taken]], Callable[[State, C, Run], Taken]]:
    """Register a wrong way to do one kind of command, given its run if there is one. All else is done right."""

    def register(perform: Callable[[State, C, Run], Taken]) -> Callable[[State, C, Run], Taken]:
        def stepper(state: State, cause: Cause) -> Taken:
            run = state.run(cause.run) if isinstance(cause, kind) else None
            return step(state, cause) if run is None or not isinstance(cause, kind) else perform(state, cause, run)

        _add(perform, predicted, case, {*needs, *_offering(kind)}, step=stepper)
        return perform

    return register


def wrong_result(
    kind: type[AskedOfRun] | UnionType, *predicted: str, case: str = "", needs: Iterable[Capability] = ()
) -> Callable[[Callable[[Run, Run], Run]], Callable[[Run, Run], Run]]:
    """Register what is made of a run after a command of this kind was done rightly: (as it was, as it is) to wrong."""

    def register(spoil: Callable[[Run, Run], Run]) -> Callable[[Run, Run], Run]:
        def stepper(state: State, cause: Cause) -> Taken:
            outcome, after = step(state, cause)
            if after is state or not isinstance(cause, kind) or not isinstance(cause, AskedOfRun):
                return outcome, after
            old, new = state.run(cause.run), after.run(cause.run)
            return outcome, after if old is None or new is None else after.with_run(spoil(old, new))

        _add(spoil, predicted, case, {*needs, *_offering(kind)}, step=stepper)
        return spoil

    return register


def wrong_view(*predicted: str, case: str = "", needs: Iterable[Capability] = ()) -> Callable[[Show], Show]:
    """Register the decorated view as a defect: the store is right, and what it shows is not."""

    def register(show: Show) -> Show:
        _add(show, predicted, case, needs, show=show)
        return show

    return register


def _add(
    function: Callable[..., object],
    predicted: tuple[str, ...],
    case: str,
    needs: Iterable[Capability],
    *,
    step: Stepper = step,
    show: Show = view,
) -> None:
    """Named after the function and explained by its docstring."""
    name, sentence = function.__name__, " ".join((function.__doc__ or "").split())
    if name in DEFECTS:
        raise ValueError(f"expected one defect called {name}, but there are two")
    DEFECTS[name] = Defect(name, sentence, predicted, step, show, case, frozenset(needs))


def _offering(kind: type | UnionType) -> set[Capability]:
    """What a system must offer for a command of this kind to be asked of it; of several kinds, nothing is certain."""
    return {capability for capability, classes in OFFERS.items() if kind in classes}
