"""Which two commands are worth having meet, and where: the model knows what each pair could do to one another."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, product

from keepfact.model.scopes import Scope

from .groups import Group, apart, ends_of, names_of, places

TRIES_MAX = 10
"""Each pair is tried in so many states of a scope."""


@cache
def pairs_of(scopes: tuple[Scope, ...]) -> tuple[Group, ...]:
    """One for each pair of commands that can meet under a contract: where their order matters, if it does anywhere.

    Nearest first; command ids are unique within one pair.
    """
    found: dict[tuple[str, ...], Group] = {}
    for scope in scopes:
        for pair in _of_scope(scope):
            place = (scope.contract.value, *pair.names)
            known = found.get(place)
            if known is None or (pair.matters and not known.matters):
                found[place] = pair
    return tuple(found.values())


def _of_scope(scope: Scope) -> Iterator[Group]:
    met, tries = dict[tuple[str, ...], bool](), Counter[tuple[str, ...]]()
    for place in places(scope):
        for pair in (*combinations_with_replacement(place.able, 2), *product(place.able, place.unable)):
            names = names_of(pair)
            tries[names] += 1
            if met.get(names) or tries[names] > TRIES_MAX:
                continue
            matters = len(ends_of(place.state, apart(pair))) > 1
            if matters or (names not in met and pair[1] in place.able):
                met[names] = matters
                yield Group(scope.name, place.walk, apart(pair), matters)
