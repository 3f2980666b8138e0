"""The perfect system, explored to the last edge: no rule breaks, truth is always possible, an end is always near."""

import pytest

from keepfact.conformance.selftest import fitting_scopes
from keepfact.conformance.systems.postgres import Postgres
from keepfact.model.explore import applicable, explore
from keepfact.model.scopes import SCOPES, Scope
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Contract

SMALL = [scope for scope in SCOPES if scope.edges < 5_000]
EXPLORED_ELSEWHERE = fitting_scopes(Postgres.contracts, Postgres.capabilities)
"""`make verify` explores these in every run against the reference implementation, and has no pass without them."""

EXPLORED = [scope for scope in SCOPES if scope.edges < 20_000 or scope not in EXPLORED_ELSEWHERE]


@pytest.mark.parametrize("scope", EXPLORED, ids=lambda scope: scope.name)
def test_a_scope_is_as_large_as_pinned_and_nothing_is_wrong_in_it(scope: Scope) -> None:
    found = explore(scope)
    assert found.broken == {}
    assert found.unsound == []
    assert found.states_without_end == 0
    assert (found.states, found.edges) == (scope.states, scope.edges), "look at the difference before pinning it"


@pytest.mark.parametrize("scope", SMALL, ids=lambda scope: scope.name)
def test_no_edge_breaks_a_rule_that_is_about_something_else(scope: Scope) -> None:
    assert explore(scope, rules=BOOK.rules).broken == {}


def test_every_rule_can_apply_to_some_scope() -> None:
    assert {rule.id for scope in SCOPES for rule in applicable(scope)} == {rule.id for rule in BOOK.rules}


def test_both_contracts_and_every_capability_are_explored() -> None:
    assert {scope.contract for scope in SCOPES} == set(Contract)
    needed = {need for rule in BOOK.rules for need in rule.needs}
    assert needed <= {need for scope in SCOPES for need in scope.needs}


def test_names_are_unique_and_bounds_are_told() -> None:
    assert len({scope.name for scope in SCOPES}) == len(SCOPES)
    assert all(scope.bounds for scope in SCOPES)
