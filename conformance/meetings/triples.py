"""Which three commands are worth having meet, and where: those that contend for one run from three sides."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product

from keepfact.model.scopes import Scope
from keepfact.spec.vocabulary import Asking, Command

from .groups import Group, Place, apart, ends_of, name_of, places

TRIPLES = (
    ("Cancel", "Recover", "Succeed"),
    ("Cancel", "Decide", "Wake"),
    ("Deliver", "Recover", "Wake"),
    ("Cancel", "Claim", "Recover"),
    ("Cancel", "Intend", "Recover"),
    ("Reconcile", "RecordAnswer", "Recover"),
    ("Fail", "Publish", "Succeed"),
    ("Cancel", "Deliver", "Recover"),
)
"""Each wants something else of the run, and at most one or two of the three can have it."""

TRIES_MAX, ALIKE_MAX = 40, 2
"""Each is tried in so many places of a scope, with so many commands of one name."""


@cache
def triples_of(scopes: tuple[Scope, ...]) -> tuple[Group, ...]:
    """One for each of TRIPLES that can meet under a contract: where their orders come to the most different ends.

    Those with the most ends first; command ids are unique within one triple.
    """
    found: dict[tuple[str, ...], tuple[int, Group]] = {}
    for scope in scopes:
        for ends, triple in _of_scope(scope):
            key = (scope.contract.value, *triple.names)
            if ends > found.get(key, (1, triple))[0]:
                found[key] = ends, triple
    return tuple(triple for _, triple in sorted(found.values(), key=lambda one: -one[0]))


def _of_scope(scope: Scope) -> Iterator[tuple[int, Group]]:
    """With the number of different ends."""
    tries = Counter[tuple[str, ...]]()
    for place in places(scope):
        for names in TRIPLES:
            for commands in _of_place(place, names) if tries[names] < TRIES_MAX else ():
                tries[names] += 1
                yield len(ends_of(place.state, commands)), Group(scope.name, place.walk, commands, matters=True)


def _of_place(place: Place, names: tuple[str, ...]) -> Iterator[tuple[Command | Asking, ...]]:
    """Two of them at least would be done: with fewer there is little to contend for."""
    called = [[asked for asked in (*place.able, *place.unable) if name_of(asked) == name] for name in names]
    for commands in product(*(alike[:ALIKE_MAX] for alike in called)):
        if sum(asked in place.able for asked in commands) > 1:
            yield apart(commands)
