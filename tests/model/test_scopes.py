"""The perfect system, explored to the last edge: no rule breaks, truth is always possible, an end is always near."""

from collections.abc import Mapping

import pytest

from keepfact.model.scopes import SCOPES, Scope
from keepfact.spec.book import BOOK

from .conftest import Explored

EACH = pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: scope.name)


@EACH
def test_no_edge_breaks_a_rule(scope: Scope, explored: Mapping[str, Explored]) -> None:
    assert explored[scope.name].found.broken == {}


@EACH
def test_truth_is_possible_after_every_edge(scope: Scope, explored: Mapping[str, Explored]) -> None:
    assert explored[scope.name].found.unsound == []


@EACH
def test_every_state_comes_to_an_end_by_a_claim_and_recovery_alone(
    scope: Scope, explored: Mapping[str, Explored]
) -> None:
    assert explored[scope.name].found.states_without_end == 0


@EACH
def test_the_scope_is_as_large_as_pinned(scope: Scope, explored: Mapping[str, Explored]) -> None:
    found = explored[scope.name].found
    assert (found.states, found.edges) == (scope.states, scope.edges), "look at the difference before pinning it"


def test_every_rule_has_something_to_say(explored: Mapping[str, Explored]) -> None:
    spoken = {rule for one in explored.values() for rule, edges in one.found.spoken.items() if edges}
    assert {rule.id for rule in BOOK.rules} <= spoken


def test_names_are_unique_and_bounds_are_told() -> None:
    assert len({scope.name for scope in SCOPES}) == len(SCOPES)
    assert all(scope.bounds for scope in SCOPES)
