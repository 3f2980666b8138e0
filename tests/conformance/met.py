"""Steps of the model in which every command and happening is met."""

from functools import cache
from itertools import islice
from typing import get_args

from keepfact.model.scopes import SCOPES
from keepfact.model.walker import Walker
from keepfact.spec.vocabulary import Cause, LookedUp, Step, WorkerRan

EDGES_MAX = 3_000
BY_THEMSELVES = (WorkerRan, LookedUp)
"""What only experiments have."""


@cache
def met() -> dict[type, list[Step]]:
    """For each class of cause some steps, with different outcomes; of the smallest scopes in which it is met."""
    found: dict[type, list[Step]] = {}
    for scope in sorted(SCOPES, key=lambda scope: scope.edges):
        for _, edge, _ in islice(Walker(scope).edges(), EDGES_MAX):
            steps = found.setdefault(type(edge.cause), [])
            if edge.outcome not in [step.outcome for step in steps]:
                steps.append(edge)
        if len(found) == len(get_args(Cause)) - len(BY_THEMSELVES):
            break
    return found
