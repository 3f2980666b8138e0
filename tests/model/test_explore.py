"""Exploring finds what is wrong, tells the shortest way there, and sees where no end can be reached."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest

from keepfact.model.defects import DEFECTS
from keepfact.model.explore import Broken, Exploration, explore
from keepfact.model.scopes import CORE, COSTS, LEASE_SECONDS, RETRY
from keepfact.model.state import State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.model.walker import Stepper, Walker
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import CallState, Cause, Outcome, Reason, Recover, Refused, Step

Taken = tuple[Outcome | None, State]


def without_recovery(state: State, cause: Cause) -> Taken:
    """Recovery finds an excuse each time."""
    return (Refused(Reason.LEASE_LIVE), state) if isinstance(cause, Recover) else step(state, cause)


def without_recovery_of_open_calls(state: State, cause: Cause) -> Taken:
    """Recovery finds an excuse wherever a call is in flight."""
    run = state.run(cause.run) if isinstance(cause, Recover) else None
    return without_recovery(state, cause) if run and run.has_open_call else step(state, cause)


def is_unsound(found: Exploration) -> bool:
    return bool(found.unsound)


def test_a_system_that_never_recovers_has_states_without_an_end() -> None:
    found = explore(RETRY, without_recovery, rules=())
    assert not found.is_clean
    assert found.states_without_end == sum(not_over(state) for state in states_of(without_recovery))


def test_only_states_from_which_no_end_can_be_reached_are_counted() -> None:
    found = explore(RETRY, without_recovery_of_open_calls, rules=())
    in_flight = [state for state in states_of(without_recovery_of_open_calls) if has_open_call(state)]
    assert found.states_without_end == len(in_flight) > 0


@pytest.mark.parametrize("name", ["unknown_is_booked_as_zero", "ambiguous_is_taken_for_not_found"])
def test_a_system_that_knows_what_it_cannot_know_is_unsound(name: str) -> None:
    found = explore(COSTS, DEFECTS[name].step, rules=(), stop_at=is_unsound)
    assert len(found.unsound) == 1
    assert not found.is_clean


def test_exploring_ends_when_it_is_told_to() -> None:
    assert explore(CORE, stop_at=lambda found: found.edges >= 100).edges == 100


def test_progress_is_told_on_the_way() -> None:
    told: list[int] = []
    found = explore(RETRY, rules=(), progress=told.append)
    assert len(told) == found.edges // 10_000
    assert told == sorted(told)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        (name, rule)
        for name in (
            "command_ids_are_forgotten",
            "a_total_without_what_is_held",
            "recovery_clears_the_partial_body",
            "a_late_answer_is_work",
        )
        for rule in DEFECTS[name].predicted
    ],
)
def test_a_counterexample_is_a_way_that_can_be_gone_again(name: str, rule: str) -> None:
    path, state, verdicts = counterexample(name, rule).path, State(LEASE_SECONDS), []
    for edge in path:
        before = state if edge.repeats else replace(state, answers=())
        outcome, state = DEFECTS[name].step(before, edge.cause)
        show = DEFECTS[name].show
        assert outcome == edge.outcome
        gone = Step(show(before), edge.cause, outcome, show(state), before.truth, state.truth, edge.repeats)
        verdicts.append(BOOK.rule(rule).holds(gone))
    assert False not in verdicts[:-1]
    assert verdicts[-1] is False


@pytest.mark.parametrize(
    "name", ["a_lapsed_run_is_claimed", "recovery_clears_the_partial_body", "a_late_answer_is_work"]
)
def test_no_shorter_way_leads_to_a_broken_rule(name: str) -> None:
    (rule,) = DEFECTS[name].predicted
    assert len(counterexample(name, rule).path) == shortest_by_trying_all(name, rule)


def counterexample(name: str, rule: str) -> Broken:
    defect = DEFECTS[name]
    return explore(CORE, defect.step, show=defect.show, stop_at=lambda found: rule in found.broken).broken[rule]


def shortest_by_trying_all(name: str, rule: str) -> int:
    """How many steps it takes to break the rule, by trying all ways of one step, then of two, and so on."""
    layer = {State(LEASE_SECONDS)}
    for length in count(1):
        edges = [edge for state in layer for edge in edges_of(state, DEFECTS[name].step)]
        if any(BOOK.rule(rule).holds(edge) is False for edge, _ in edges):
            return length
        layer = {after for _, after in edges}
    raise AssertionError


def edges_of(state: State, stepper: Stepper) -> Iterator[tuple[Step, State]]:
    for cause in CORE.causes(state):
        outcome, after = stepper(replace(state, answers=()), cause)
        yield Step(view(state), cause, outcome, view(after), state.truth, after.truth), replace(after, answers=())


def states_of(stepper: Stepper) -> list[State]:
    walker = Walker(RETRY, stepper)
    for _ in walker.edges():
        pass
    return list(walker.arrived_by)


def not_over(state: State) -> bool:
    return any(not run.is_sealed for run in state.runs)


def has_open_call(state: State) -> bool:
    return any(not run.is_sealed and call.state is CallState.OPEN for run in state.runs for call in run.calls)
