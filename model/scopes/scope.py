"""What a bounded world is, and the names that are used in all of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from keepfact.model.state import State
from keepfact.spec.vocabulary import (
    Asking,
    CallId,
    Capability,
    Cause,
    CommandId,
    Contract,
    RunId,
    WorkerId,
)

Causes = Iterator[Cause | Asking]


@dataclass(frozen=True)
class Scope:
    """A bounded world: what may happen next in each of its states. One lease lasts one tick.

    `states`, `edges` and `classes` of edges are what there must be. `needs` are the capabilities of which something
    happens in it, `contract` is the one that its first run is under.
    """

    name: str
    bounds: str
    states: int
    edges: int
    classes: int
    causes: Callable[[State], Causes]
    needs: frozenset[Capability] = frozenset()
    contract: Contract = Contract.SETTLE


LEASE_SECONDS = 1
RUN = RunId("run")
OTHER = RunId("other")
CHILD = RunId("child")
NEXT = RunId("next")
WORKER = WorkerId("worker")
ATTEMPT = CallId("attempt")
OPERATION = CallId("operation")
AGAIN = CallId("again")
DEAR = CallId("dear")
FRESH = CommandId("fresh")
"""The id of every command here: explored states forget what was answered, so each command comes as a new one."""
