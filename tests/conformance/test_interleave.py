"""Commands meet in every order with few preemptions, and what comes of it is explained or is a finding."""

from collections.abc import Sequence

import pytest

from keepfact.conformance.judge import Judge
from keepfact.conformance.meetings.interleave import Met, Schedules, interleave
from keepfact.conformance.meetings.pairs import Pair, pairs_of
from keepfact.conformance.systems.defective import open_defective
from keepfact.conformance.systems.postgres import Postgres
from keepfact.impl.server import Server
from keepfact.model.scopes import CORE
from keepfact.spec.vocabulary import Done, Refused

Way = tuple[int, ...]


def ways(lengths: Sequence[int], preemptions_max: int) -> list[Way]:
    """The orders of actors that can each go on so many times, and never wait for one another."""
    found = []
    for choose in Schedules(preemptions_max):
        left, way = list(lengths), list[int]()
        preemptions = 0
        while able := [actor for actor, steps in enumerate(left) if steps]:
            last = way[-1] if way else None
            actor = choose(able, last, preemptions)
            preemptions += last in able and actor != last
            left[actor] -= 1
            way.append(actor)
        found.append(tuple(way))
    return found


def test_without_preemptions_one_goes_after_the_other() -> None:
    assert sorted(ways((2, 2), 0)) == [(0, 0, 1, 1), (1, 1, 0, 0)]


def test_with_one_each_is_once_in_the_middle_of_the_other() -> None:
    assert sorted(ways((2, 2), 1)) == [(0, 0, 1, 1), (0, 1, 1, 0), (1, 0, 0, 1), (1, 1, 0, 0)]


def test_with_enough_of_them_every_order_comes_once() -> None:
    found = ways((2, 2), 4)
    assert len(found) == len(set(found)) == 6
    assert len(set(ways((2, 2, 2), 9))) == 90


@pytest.fixture(scope="module")
def claims_and_ends() -> list[Pair]:
    """Of what can meet in the life of a run, what decides who works on it and how it ends."""
    wanted = {("Claim", "Claim"), ("Recover", "Recover"), ("Fail", "Succeed"), ("Publish", "Succeed")}
    found = [one for one in pairs_of((CORE,)) if one.names in wanted]
    assert len(found) == len(wanted)
    return found


def meetings(system: Postgres, of: list[Pair]) -> list[tuple[tuple[str, str], Met]]:
    """Each with the names of what met."""
    judge = Judge(system.contracts, capabilities=system.capabilities)
    return [(one.names, met) for one in of for met in interleave(system, one, judge, None, "-".join(one.names))]


def test_whatever_order_they_come_in_it_looks_as_if_one_came_after_the_other(
    server: Server, claims_and_ends: list[Pair]
) -> None:
    system = Postgres(server=server)
    try:
        found = meetings(system, claims_and_ends)
    finally:
        system.close()
    assert all(met.is_explained for _, met in found)
    assert len({(names, met.schedule) for names, met in found}) == len(found)
    outcomes = {(names, *(type(asked.outcome) for asked in met.asked)) for names, met in found}
    assert {(("Claim", "Claim"), Done, Refused), (("Claim", "Claim"), Refused, Done)} <= outcomes


def test_where_a_run_is_not_locked_some_order_is_explained_by_none(
    server: Server, claims_and_ends: list[Pair], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEEPFACT_DSN", server.dsn)
    system = open_defective("run_not_locked")
    try:
        found = meetings(system, claims_and_ends)
    finally:
        system.close()
    assert any(met.is_explained is False for _, met in found)
    assert all(met.is_explained for _, met in found if _is_one_after_the_other(met))


def _is_one_after_the_other(met: Met) -> bool:
    actors = [actor for actor, _ in met.schedule]
    return actors in (sorted(actors), sorted(actors, reverse=True))
