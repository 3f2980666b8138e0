"""Commands meet in every order with few preemptions, and what comes of it is explained or is a finding."""

from collections.abc import Sequence
from itertools import permutations
from random import Random

import pytest

from keepfact.conformance.judge import Judge
from keepfact.conformance.meetings.groups import Group, Walk
from keepfact.conformance.meetings.interleave import Choose, Met, Schedules, by_chance, interleave
from keepfact.conformance.meetings.pairs import pairs_of
from keepfact.conformance.meetings.triples import TRIPLES, triples_of
from keepfact.conformance.systems.defective import open_defective
from keepfact.conformance.systems.postgres import Postgres
from keepfact.impl.server import Server
from keepfact.model.scopes import CANCEL, CORE, LEASE_SECONDS
from keepfact.model.state import State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec.vocabulary import Asking, Command, Done, Observation, Outcome, Refused

Way = tuple[int, ...]
End = tuple[dict[Command | Asking, Outcome | None], Observation]


def ways(lengths: Sequence[int], preemptions_max: int) -> list[Way]:
    """The orders of actors that can each go on so many times, and never wait for one another."""
    return [directed(lengths, choose)[0] for choose in Schedules(preemptions_max)]


def directed(lengths: Sequence[int], choose: Choose) -> tuple[Way, int]:
    """One of them, and how many preemptions were in it."""
    left, way, preemptions = list(lengths), list[int](), 0
    while able := [actor for actor, steps in enumerate(left) if steps]:
        last = way[-1] if way else None
        actor = choose(able, last, preemptions)
        preemptions += last in able and actor != last
        left[actor] -= 1
        way.append(actor)
    return tuple(way), preemptions


def test_without_preemptions_one_goes_after_the_other() -> None:
    assert sorted(ways((2, 2), 0)) == [(0, 0, 1, 1), (1, 1, 0, 0)]


def test_with_one_each_is_once_in_the_middle_of_the_other() -> None:
    assert sorted(ways((2, 2), 1)) == [(0, 0, 1, 1), (0, 1, 1, 0), (1, 0, 0, 1), (1, 1, 0, 0)]


def test_with_enough_of_them_every_order_comes_once() -> None:
    found = ways((2, 2), 4)
    assert len(found) == len(set(found)) == 6
    assert len(set(ways((2, 2, 2), 9))) == 90


def test_orders_that_chance_gives_are_some_of_those_with_one_preemption_and_not_always_the_same() -> None:
    given = [directed((3, 3, 3), by_chance(Random(number))) for number in range(60)]
    assert {way for way, _ in given} <= set(ways((3, 3, 3), 1))
    assert {preemptions for _, preemptions in given} == {0, 1}
    assert len({way for way, _ in given}) > 20


def test_three_meet_where_it_depends_on_their_order_what_comes_of_it() -> None:
    found = triples_of((CORE, CANCEL))
    assert {group.names for group in found} >= {("Fail", "Publish", "Succeed"), ("Cancel", "Intend", "Recover")}
    for group in found:
        assert group.names in TRIPLES
        assert different_ends(group) > 1
    assert [different_ends(group) for group in found] == sorted(map(different_ends, found), reverse=True)


def test_two_meet_where_their_order_matters_and_elsewhere_only_if_it_does_nowhere() -> None:
    found = pairs_of((CANCEL, CORE))
    assert {pair.matters for pair in found} == {True, False}
    assert all(pair.matters == (different_ends(pair) > 1) for pair in found)
    of_cancel, of_both = (
        [pair.matters for pair in pairs if pair.names == ("Intend", "Intend")] for pairs in (pairs_of((CANCEL,)), found)
    )
    assert (of_cancel, of_both) == ([False], [True])


def different_ends(group: Group) -> int:
    """How many different ends its orders come to."""
    state, ends = after(group.walk), list[End]()
    for order in permutations(group.commands):
        end = end_of(state, order)
        ends += [] if end in ends else [end]
    return len(ends)


def after(walk: Walk) -> State:
    state = State(LEASE_SECONDS)
    for cause in walk:
        state = step(state, cause)[1]
    return state


def end_of(state: State, order: Sequence[Command | Asking]) -> End:
    """What each is told, and how all looks then."""
    told = dict[Command | Asking, Outcome | None]()
    for asked in order:
        told[asked], state = step(state, asked)
    return told, view(state)


@pytest.fixture(scope="module")
def claims_and_ends() -> list[Group]:
    """Of what can meet in the life of a run, what decides who works on it and how it ends."""
    wanted = {("Claim", "Claim"), ("Recover", "Recover"), ("Fail", "Succeed"), ("Publish", "Succeed")}
    found = [one for one in pairs_of((CORE,)) if one.names in wanted]
    assert len(found) == len(wanted)
    return found


@pytest.fixture(scope="module")
def three() -> Group:
    """What ends a run, and what must be in it before."""
    return next(one for one in triples_of((CORE,)) if one.names == ("Fail", "Publish", "Succeed"))


def meetings(system: Postgres, of: list[Group]) -> list[tuple[tuple[str, ...], Met]]:
    """Each with the names of what met: two in every order, three in some."""
    judge = Judge(system.contracts, capabilities=system.capabilities)
    found = []
    for one in of:
        some = [by_chance(Random(number)) for number in range(12)]
        orders = Schedules(1) if len(one.commands) == 2 else some
        found += [(one.names, met) for met in interleave(system, one, judge, None, "-".join(one.names), orders)]
    return found


def test_whatever_order_they_come_in_it_looks_as_if_one_came_after_the_other(
    server: Server, claims_and_ends: list[Group], three: Group
) -> None:
    system = Postgres(server=server)
    try:
        found = meetings(system, [*claims_and_ends, three])
    finally:
        system.close()
    assert all(met.is_explained for _, met in found)
    two = [(names, met.schedule) for names, met in found if len(names) == 2]
    assert len(set(two)) == len(two)
    outcomes = {(names, *(type(asked.outcome) for asked in met.asked)) for names, met in found}
    assert {(("Claim", "Claim"), Done, Refused), (("Claim", "Claim"), Refused, Done)} <= outcomes


def test_where_a_run_is_not_locked_some_order_is_explained_by_none(
    server: Server, claims_and_ends: list[Group], three: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEEPFACT_DSN", server.dsn)
    system = open_defective("run_not_locked")
    try:
        found = meetings(system, [*claims_and_ends, three])
    finally:
        system.close()
    for many in (2, 3):
        assert any(met.is_explained is False for names, met in found if len(names) == many)
    assert all(met.is_explained for _, met in found if _is_one_after_the_other(met))


def _is_one_after_the_other(met: Met) -> bool:
    actors = [actor for actor, _ in met.schedule]
    return len([actor for at, actor in enumerate(actors) if not at or actors[at - 1] != actor]) == len(set(actors))
