"""The scope under minicheck. Its invariants see single states, so a verdict on an edge travels in the state after."""

from minicheck import Protocol, check_safety

from keepfact.model.state import State

from .transitions import Transitions

Walked = tuple[State]
Judged = tuple[State, str | None]


def walked() -> int:
    """Every state, no invariant."""
    given = Transitions()

    def transitions(state: Walked) -> list[tuple[object, Walked]]:
        return [(cause, (after,)) for cause, after in given.walker.successors(state[0])]

    found = check_safety(Protocol("core", False, ("state",), (given.start,), transitions, {}))
    return int(found["reachable_states"])


def judged() -> int:
    """Every edge judged where it is made; one invariant says that no edge broke anything.

    `broken` is None in every state as long as nothing is wrong, so it adds no states.
    """
    given = Transitions()

    def transitions(state: Judged) -> list[tuple[object, Judged]]:
        edges = given.walker.edges_from(state[0])
        return [(cause, (edge[2], given.first_broken(edge))) for cause, edge in edges]

    protocol = Protocol(
        "core",
        False,
        ("state", "broken"),
        (given.start, None),
        transitions,
        {"no edge breaks a rule": lambda seen: seen["broken"] is None},
    )
    found = check_safety(protocol)
    if not found["properties"]["no edge breaks a rule"]["holds"]:
        raise AssertionError(f"expected nothing wrong, but minicheck found {found['properties']}")
    return int(found["reachable_states"])
