"""Walks over the scopes that together take every class of edge once: what a real system is asked first.

What edges are alike is said in `edge_classes`. The walks are shortest paths; one that another already takes along is
left out.
"""

from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from typing import Any

from .edge_classes import EdgeClass, edge_class
from .paths import Walk, paths_of, taken
from .scopes import SCOPES, Scope


def tours(scopes: Iterable[Scope] = SCOPES) -> list[Walk]:
    """The walks, longest first. Command ids are unique within a walk, except where a command is repeated on purpose."""
    return list(scopes_of_tours(scopes))


def scopes_of_tours(scopes: Iterable[Scope] = SCOPES) -> dict[Walk, str]:
    """The walks, longest first, each with the name of the scope that it is through."""
    paths: dict[EdgeClass, tuple[str, Walk]] = {}
    for scope in scopes:
        paths = {found: (scope.name, walk) for found, walk in paths_of(scope).items()} | paths
    walks, covered = dict[Walk, str](), set[EdgeClass]()
    for shown, (name, walk) in sorted(paths.items(), key=lambda one: len(one[1][1]), reverse=True):
        if shown not in covered:
            covered.update(map(edge_class, taken(walk)))
            walks[walk] = name
    return walks


def in_brief(walks: Iterable[Walk], whole: Iterable[Walk] = ()) -> list[Walk]:
    """The `whole` ones, and of the others each that shows something end as it did not before.

    Where the run stood counts only if it was asked to stop.
    """
    kept, seen = list(whole), set[EdgeClass]()
    for walk in kept:
        seen |= _ways_to_end(walk)
    for walk in walks:
        ways = _ways_to_end(walk)
        if not ways <= seen:
            kept.append(walk)
            seen |= ways
    return kept


def _ways_to_end(walk: Walk) -> set[EdgeClass]:
    classes = map(edge_class, taken(walk))
    return {(asked, stood if stood.startswith("cancelling") else "", ended) for asked, stood, ended in classes}


def soonest_first(walks: Iterable[Walk]) -> list[Walk]:
    """The walks so that much is seen after few steps: every way in which each kind of cause can end, then every class.

    The next is always the one that shows the most new things for its steps.
    """
    steps = {walk: tuple(taken(walk)) for walk in walks}
    ways = {walk: {(type(made.cause), edge_class(made)[2]) for made in steps[walk]} for walk in steps}
    first = _covering(ways)
    classes = {walk: set(map(edge_class, steps[walk])) for walk in steps}
    second = _covering(classes, after=first)
    return list(dict.fromkeys((*first, *second, *steps)))


def _covering(shown: Mapping[Walk, set[Any]], after: Iterable[Walk] = ()) -> list[Walk]:
    """Walks that show all there is, beyond what those before them do. What a walk is worth only ever falls."""
    seen = {thing for walk in after for thing in shown[walk]}
    order = list(shown)
    waiting = [(-len(shown[walk]) / len(walk), place) for place, walk in enumerate(order)]
    heapify(waiting)
    chosen = list[Walk]()
    while waiting:
        _, place = heappop(waiting)
        walk = order[place]
        worth = -len(shown[walk] - seen) / len(walk), place
        if not worth[0]:
            continue
        if waiting and waiting[0] < worth:
            heappush(waiting, worth)
            continue
        chosen.append(walk)
        seen |= shown[walk]
    return chosen
