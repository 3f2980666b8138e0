"""A search can begin with what concerns a rule, and still leaves nothing out."""

import pytest

from keepfact.conformance.concern import nearest_first
from keepfact.conformance.judge import Judge
from keepfact.conformance.lockstep import search
from keepfact.conformance.profiles import EFFORTS, Profile
from keepfact.conformance.systems import open_system
from keepfact.model.paths import Walk, taken
from keepfact.model.scopes import RETRY, SCOPES
from keepfact.model.tours import tours
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Contract

QUICK = EFFORTS[Profile.QUICK]


@pytest.fixture(scope="module")
def walks() -> list[Walk]:
    return tours([RETRY, *(scope for scope in SCOPES if scope.name in {"waits", "migration"})])


def speaks_at_the_end(rule: str, walk: Walk) -> bool:
    *_, last = taken(walk)
    return BOOK.rule(rule).holds(last) is not None


def test_without_a_rule_the_order_stays(walks: list[Walk]) -> None:
    assert nearest_first(walks, ()) == walks


@pytest.mark.parametrize("rule", ["WAKE.6", "VERSION.8", "FENCE.2", "ENTRY.5"])
def test_walks_that_end_in_what_a_rule_speaks_of_come_first(walks: list[Walk], rule: str) -> None:
    ordered = nearest_first(walks, [rule])
    assert sorted(map(id, ordered)) == sorted(map(id, walks))
    speaking = [speaks_at_the_end(rule, walk) for walk in ordered]
    assert any(speaking)
    assert not all(speaking)
    assert speaking == sorted(speaking, reverse=True)


def test_every_kind_of_last_step_comes_once_before_any_comes_twice(walks: list[Walk]) -> None:
    ordered = [walk for walk in nearest_first(walks, ["ENTRY.5"]) if speaks_at_the_end("ENTRY.5", walk)]
    kinds = [type(walk[-1]) for walk in ordered]
    assert len(set(kinds[: len(set(kinds))])) == len(set(kinds)) > 3


def test_a_search_that_begins_with_what_concerns_a_rule_finds_it_broken_sooner() -> None:
    traces = []
    for concern in ((), ("FENCE.2",)):
        system = open_system("toys:IgnoresFences")
        found = search(system, Judge({Contract.SETTLE}), None, QUICK, 1, concern=concern, shortens=False)
        assert "FENCE.2" in found.failures[-1].rules
        traces.append(found.traces)
    assert traces[0] > traces[1] == 1


def test_a_search_that_shortens_nothing_keeps_what_it_found() -> None:
    system = open_system("toys:IgnoresFences")
    found = search(system, Judge({Contract.SETTLE}), None, QUICK, 1, shortens=False)
    assert found.failures[-1].trace == f"tour-{found.traces}"
