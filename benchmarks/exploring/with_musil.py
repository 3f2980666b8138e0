"""The scope under musil, which has invariants on edges; what they judge is the edge that its last action made."""

from collections.abc import Callable, Iterator

from musil import Action, Model, check

from keepfact.model.state import State
from keepfact.model.walker import Edge

from .transitions import Transitions


def walked() -> int:
    """Every state, no invariant."""
    given = Transitions()

    def actions(state: State) -> Iterator[Action[State]]:
        for cause, after in given.walker.successors(state):
            yield _leading_to(after, cause)

    return _explored(Model(init=given.start, actions_fn=actions))


def judged() -> int:
    """Every edge judged by one edge invariant, which is asked as soon as the edge is made."""
    given = Transitions()
    latest: list[Edge] = []

    def actions(state: State) -> Iterator[Action[State]]:
        for cause, edge in given.walker.edges_from(state):
            latest[:] = [edge]
            yield _leading_to(edge[2], cause)

    def breaks_nothing(_before: State, _action: str, _after: State) -> bool | str:
        return given.first_broken(latest[0]) or True

    model = Model(init=given.start, actions_fn=actions, edge_invariants={"no edge breaks a rule": breaks_nothing})
    return _explored(model)


def _leading_to(after: State, cause: object) -> Action[State]:
    # The name may be any object: only traces print it, and writing it out for each edge would cost musil time.
    return Action(cause, _always, _constantly(after))  # type: ignore[arg-type]


def _always(_: State) -> bool:
    return True


def _constantly(after: State) -> Callable[[State], State]:
    return lambda _: after


def _explored(model: Model[State]) -> int:
    found = check(model)
    if not found.ok:
        raise AssertionError(f"expected nothing wrong, but musil found {found}")
    return found.states_explored
