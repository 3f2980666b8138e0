"""The tours take every class of edge, and ask only for what can honestly be asked."""

import pytest

from keepfact.model.edge_classes import edge_class
from keepfact.model.paths import Walk, paths_of, taken
from keepfact.model.scopes import RETRY, SCOPES
from keepfact.model.tours import in_brief, soonest_first, tours
from keepfact.model.walker import Walker
from keepfact.spec.vocabulary import (
    Act,
    Asked,
    Asking,
    Cause,
    Evidence,
    Reconcile,
    RecordAnswer,
    Step,
)


@pytest.fixture(scope="module")
def walks() -> list[Walk]:
    return tours()


def test_the_walks_take_every_class_of_edge_of_every_scope(walks: list[Walk]) -> None:
    covered = {edge_class(edge) for walk in walks for edge in taken(walk)}
    assert all(covered >= paths_of(scope).keys() for scope in SCOPES)


def test_tours_of_one_scope_take_its_classes() -> None:
    every = {edge_class(edge) for _, edge, _ in Walker(RETRY).edges()}
    assert every <= {edge_class(edge) for walk in tours([RETRY]) for edge in taken(walk)}


def test_no_walk_is_taken_along_by_those_before_it(walks: list[Walk]) -> None:
    covered = set()
    for walk in walks:
        classes = [edge_class(edge) for edge in taken(walk)]
        assert classes[-1] not in covered
        covered.update(classes)


def test_in_brief_something_ends_in_every_way_in_which_it_can(walks: list[Walk]) -> None:
    brief = in_brief(walks)
    assert len(brief) < len(walks)
    assert _ends(brief) == _ends(walks)
    assert in_brief(walks, whole=walks) == walks


def test_soonest_first_are_the_same_walks_and_every_way_to_end_is_seen_in_few_steps(walks: list[Walk]) -> None:
    soon = soonest_first(walks)
    assert (len(soon), set(soon)) == (len(walks), set(walks))
    assert _steps_to_every_end(soon) * 4 < _steps_to_every_end(walks)


def _steps_to_every_end(walks: list[Walk]) -> int:
    made = [(type(edge.cause), edge_class(edge)[2]) for walk in walks for edge in taken(walk)]
    return max(made.index(way) for way in set(made))


def _ends(walks: list[Walk]) -> set[tuple[str, str]]:
    return {(asked, ended) for walk in walks for asked, _, ended in map(edge_class, taken(walk))}


def test_the_longest_walk_comes_first(walks: list[Walk]) -> None:
    lengths = [len(walk) for walk in walks]
    assert lengths == sorted(lengths, reverse=True)


def test_ids_are_unique_in_a_walk_but_for_commands_repeated_at_once(walks: list[Walk]) -> None:
    for walk in walks:
        before: Cause | Asking | None = None
        seen = set[str]()
        for cause in walk:
            command = cause.command if isinstance(cause, Asking) else cause
            if isinstance(command, Asked):
                assert command.command_id not in seen or cause == before
                seen.add(command.command_id)
            before = cause


def test_walks_are_honest(walks: list[Walk]) -> None:
    for walk in walks:
        for edge in taken(walk):
            assert is_honest(edge)


def is_honest(edge: Step) -> bool:
    """A call acts once, unless its tool recognises it; what is said of it is true, if not complete."""
    cause, truth = edge.cause, edge.truth_before
    match cause:
        case Act():
            call = edge.old.call(cause.call) if edge.old else None
            return truth.of(cause.call) is None or (call is not None and call.recognises)
        case RecordAnswer() | Reconcile(evidence=Evidence.CONFIRMED):
            true = truth.of(cause.call)
            return true is not None and cause.cost_cents in {None, true.cost_cents}
        case Reconcile(evidence=Evidence.NOT_FOUND):
            return truth.of(cause.call) is None
        case _:
            return True
