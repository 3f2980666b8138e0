"""Our own explorer on the scope, and what a state costs as more and more are known."""

import time
from dataclasses import dataclass, replace
from itertools import pairwise

from keepfact.model.explore import explore
from keepfact.model.scopes.scope import Causes
from keepfact.model.state import State
from keepfact.model.walker import Walker

from .transitions import SCOPE

TENTHS = 10


def walked() -> int:
    """Every edge, made as a whole step and with repeats, and no rule asked."""
    walker = Walker(SCOPE)
    for _ in walker.edges():
        pass
    return len(walker.arrived_by)


def judged() -> int:
    """Every rule put to every edge; also, what the others are not asked, whether an end is always near."""
    found = explore(SCOPE)
    if not found.is_clean:
        raise AssertionError(f"expected nothing wrong in {SCOPE.name}, but found {found.broken or found.unsound}")
    return found.states


@dataclass(frozen=True)
class Tenth:
    """A tenth of the states, in the order they were found: what was tried in them, and the CPU time it took."""

    states: int
    causes: int
    micros: float


def growth() -> list[Tenth]:
    """A whole exploration with every rule, cut in ten; a tenth begins when its first state is expanded."""
    marks: list[tuple[int, int, float]] = []
    expanded = tried = 0

    def counted(state: State) -> Causes:
        nonlocal expanded, tried
        if expanded % -(-SCOPE.states // TENTHS) == 0:
            marks.append((expanded, tried, time.process_time()))
        causes = list(SCOPE.causes(state))
        expanded, tried = expanded + 1, tried + len(causes)
        return iter(causes)

    # Stopped at the last state: what comes after it is not about states one by one.
    explore(replace(SCOPE, causes=counted), stop_at=lambda _: expanded == SCOPE.states)
    marks.append((expanded, tried, time.process_time()))
    return [
        Tenth(later[0] - mark[0], later[1] - mark[1], (later[2] - mark[2]) * 1e6) for mark, later in pairwise(marks)
    ]
