"""A lost answer leaves worlds open; what is seen closes them, and time does not."""

from dataclasses import replace

import pytest

from keepfact.model import worlds
from keepfact.model.agree import agrees
from keepfact.model.state import Call, State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec.vocabulary import (
    CallId,
    CallKind,
    CallState,
    Claim,
    CommandId,
    Done,
    EventView,
    Evidence,
    Fence,
    Lost,
    Observation,
    Publish,
    Reason,
    Refused,
    Renew,
    RunId,
    RunView,
    Submit,
    Tick,
    WorkerId,
)

from .play import (
    RUN,
    SUBMIT,
    Play,
    in_flight,
    queued,
    reconcile,
    record,
    running,
    unknown,
)

CLAIM = Claim(CommandId("claim"), RUN, WorkerId("worker"))
PUBLISH = Publish(CommandId("publish"), RUN, Fence(1), "body", True)
RENEW = Renew(CommandId("renew"), RUN, Fence(1))


def only(play: Play) -> worlds.Worlds:
    return frozenset({play.state})


def test_an_answer_leaves_one_world() -> None:
    after = worlds.after(only(running()), PUBLISH, Done())
    assert after == {step(running().state, PUBLISH)[1]}


def test_a_lost_answer_leaves_two() -> None:
    after = worlds.after(only(running()), PUBLISH, Lost())
    assert after == {running().state, step(running().state, PUBLISH)[1]}


def test_a_lost_answer_to_what_would_be_refused_leaves_one() -> None:
    assert worlds.after(only(queued()), PUBLISH, Lost()) == only(queued())


def test_each_lost_answer_may_double_them() -> None:
    once = worlds.after(only(running()), PUBLISH, Lost())
    again = replace(PUBLISH, command_id=CommandId("other"))
    bodies = {len(world.runs[0].publications) for world in worlds.after(once, again, Lost())}
    assert bodies == {0, 1, 2}


def test_what_is_seen_closes_worlds() -> None:
    both = worlds.after(only(running()), PUBLISH, Lost())
    happened = step(running().state, PUBLISH)[1]
    assert worlds.seen(both, view(happened)) == {happened}
    assert worlds.seen(both, view(running().state)) == only(running())
    assert worlds.seen(both, Observation()) == frozenset()


def test_what_cannot_be_told_apart_stays_open() -> None:
    both = worlds.after(only(running()), RENEW, Lost())
    assert worlds.seen(both, view(running().state)) == both
    assert len(both) == 2


def test_the_second_try_closes_them_by_its_answer() -> None:
    both = worlds.after(only(queued()), CLAIM, Lost())
    first_answer = step(queued().state, CLAIM)[0]
    assert len(worlds.after(both, CLAIM, first_answer)) == 1
    other = Claim(CommandId("other"), RUN, WorkerId("other"))
    (world,) = worlds.after(both, other, Refused(Reason.LEASE_LIVE))
    assert world.runs[0].worker == "worker"


def test_an_answer_that_no_world_gives_leaves_none() -> None:
    assert worlds.after(only(running()), PUBLISH, Refused(Reason.STALE_FENCE)) == frozenset()


def test_time_closes_no_world() -> None:
    both = worlds.after(only(running()), PUBLISH, Lost())
    for seconds in (1, 29, 3600):
        assert len(worlds.after(both, Tick(seconds), None)) == 2


def test_a_call_without_evidence_may_have_any_fate_its_ceiling_allows() -> None:
    every = [(0, 0), (1, 0), (1, 1), (1, 2)]
    assert list(worlds.fates(call(CallState.OPEN))) == every
    assert list(worlds.fates(call(CallState.UNKNOWN))) == every
    assert list(worlds.fates(call(CallState.CONFIRMED))) == every[1:]
    assert list(worlds.fates(call(CallState.CONFIRMED, cost=7))) == [(1, 7)]
    assert list(worlds.fates(call(CallState.NOT_FOUND))) == [(0, 0)]


def call(state: CallState, cost: int | None = None) -> Call:
    return Call(CallId("pay"), CallKind.OPERATION, "arguments", 2, Fence(1), None, state, cost_cents=cost)


@pytest.mark.parametrize(
    ("play", "is_possible"),
    [
        pytest.param(in_flight(), True, id="nothing has happened yet"),
        pytest.param(in_flight().act(4), True, id="it acted, and nobody has heard"),
        pytest.param(unknown().act(4), True, id="it acted after it was given up"),
        pytest.param(in_flight().act(5), True, id="it broke its ceiling, and nobody can know"),
        pytest.param(in_flight().act(3).do(record(cost=3)), True, id="its amount is known"),
        pytest.param(in_flight().act(3).do(record(cost=None)), True, id="its amount is to come"),
        pytest.param(unknown().do(reconcile(Evidence.NOT_FOUND)), True, id="it never happened"),
        pytest.param(in_flight().act(3).do(record(cost=2)), False, id="another amount is known"),
        pytest.param(in_flight().do(record(cost=0)), False, id="an answer to what never happened"),
        pytest.param(unknown().act(3).do(reconcile(Evidence.NOT_FOUND)), False, id="it is not found and acted"),
        pytest.param(unknown().act(9).do(reconcile(Evidence.NOT_FOUND)), False, id="the same, above its ceiling"),
    ],
)
def test_truth_is_one_of_the_worlds_or_not(play: Play, is_possible: bool) -> None:
    assert worlds.truth_is_possible(play.state) is is_possible


def test_a_request_that_nobody_intended_is_no_world() -> None:
    acted = in_flight().act(1).state
    assert not worlds.truth_is_possible(State(30, runs=running().state.runs, truth=acted.truth))


def test_principals_and_digests_are_not_compared() -> None:
    shown = view(in_flight().state)
    assert agrees(in_flight().state, with_events(shown, principal="somebody", digest="beef", payload_digest="cafe"))
    assert not agrees(in_flight().state, with_events(shown, fence=Fence(9)))


def test_a_run_too_many_or_too_few_differs() -> None:
    state = queued().state
    other = replace(view(state).runs[0], run=RunId("other"))
    assert not agrees(state, Observation())
    assert not agrees(state, Observation((*view(state).runs, other)))


def test_runs_may_be_shown_in_any_order() -> None:
    state = queued().do(Submit(CommandId("x"), RunId("other"), SUBMIT.contract, 5)).state
    assert agrees(state, view(state, [RunId("other"), RUN]))


def with_events(shown: Observation, **fields: object) -> Observation:
    """What is shown, with each event told otherwise."""

    def otherwise(event: EventView) -> EventView:
        return replace(event, **fields)  # type: ignore[arg-type]  # names fields

    def retold(run: RunView) -> RunView:
        return replace(run, history=tuple(map(otherwise, run.history)))

    return Observation(tuple(map(retold, shown.runs)))
