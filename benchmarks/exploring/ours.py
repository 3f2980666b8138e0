"""Our own explorer on the scope, and what a state costs as more and more are known."""

import time
from collections.abc import Iterator
from dataclasses import replace
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


def growth() -> list[tuple[int, float]]:
    """For each tenth of the states: how many causes were tried in it, and the microseconds of CPU time for each.

    A tenth is timed from the moment its first state is expanded, in a whole exploration with every rule.
    """
    marks: list[tuple[int, float]] = []
    tried = expanded = 0
    length = -(-SCOPE.states // TENTHS)

    def counted(state: State) -> Causes:
        nonlocal tried, expanded
        if expanded % length == 0:
            marks.append((tried, time.process_time()))
        causes = list(SCOPE.causes(state))
        tried, expanded = tried + len(causes), expanded + 1
        return iter(causes)

    explore(replace(SCOPE, causes=counted), stop_at=lambda _: expanded == SCOPE.states)
    return list(_between([*marks, (tried, time.process_time())]))


def _between(marks: list[tuple[int, float]]) -> Iterator[tuple[int, float]]:
    for (tried, at), (tried_later, later) in pairwise(marks):
        yield tried_later - tried, (later - at) / (tried_later - tried) * 1e6
