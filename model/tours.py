"""Walks over a scope that together take every class of edge once: what a real system is asked first.

An edge class is what was asked, where the run stood, and how it ended. The walks are shortest paths; one that another
already takes along is left out.
"""

from dataclasses import replace

from keepfact.spec.vocabulary import Asked, Cause, CommandId, Done, Outcome, Refused, Step

from .explore import Walker
from .scopes import CORE, Scope

EdgeClass = tuple[str, str, str]
Walk = tuple[Cause, ...]

_QUIET_EDGES = 40_000
"""A search that finds no new class for so many edges has, in every scope so far, found them all."""


def tours(scope: Scope = CORE) -> list[Walk]:
    """The walks, longest first. Command ids are unique within a walk, except where a command is repeated on purpose."""
    walker = Walker(scope)
    paths: dict[EdgeClass, tuple[Step, ...]] = {}
    quiet_edges = 0
    for state, edge, _ in walker.edges():
        quiet_edges += 1
        if edge_class(edge) not in paths:
            paths[edge_class(edge)] = walker.path_along(state, edge)
            quiet_edges = 0
        if quiet_edges > _QUIET_EDGES:
            break
    walks, covered = [], set[EdgeClass]()
    for path in sorted(paths.values(), key=len, reverse=True):
        if edge_class(path[-1]) not in covered:
            covered.update(map(edge_class, path))
            walks.append(_walk(path))
    return walks


def edge_class(edge: Step) -> EdgeClass:
    """What was asked or happened, where the run stood before, and how it ended."""
    name = type(edge.cause).__name__ + (" again" if edge.repeats else "")
    stood = "absent" if edge.old is None else edge.old.state.value
    if edge.old is not None and edge.old.lease_left_seconds == 0:
        stood = "lapsed"
    return name, stood, _ended(edge.outcome)


def _ended(outcome: Outcome | None) -> str:
    match outcome:
        case Done():
            return "done"
        case Refused():
            return outcome.reason.value
        case _:
            return "happened"


def _walk(path: tuple[Step, ...]) -> Walk:
    causes: list[Cause] = []
    for number, edge in enumerate(path, 1):
        if edge.repeats is None and isinstance(edge.cause, Asked):
            causes.append(replace(edge.cause, command_id=CommandId(str(number))))
        else:
            causes.append(causes[-1] if edge.repeats else edge.cause)
    return tuple(causes)
