"""The search itself: on a system that is right it tries everything, on one that is wrong it stops and narrows down."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import takewhile
from typing import get_args

import pytest

from keepfact.conformance.judge import Judge
from keepfact.conformance.lockstep import Search, search
from keepfact.conformance.profiles import EFFORTS, Effort, Profile
from keepfact.conformance.systems import open_system
from keepfact.conformance.trial import Trial
from keepfact.model.defects import DEFECTS
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Asked, Cause, Contract, Happening, Outcome, Reason, Refused, Spine, Step

from .toys import DefectOfTheModel, SpineOnly

SEEDS = (1, 2, 3)
SETTLE = {Contract.SETTLE}
SPINE_REASONS = set(takewhile(lambda reason: reason is not Reason.UNSTORABLE, Reason))
"""Those that commands of the spine can meet are listed first."""


class Watching(Judge):
    """Keeps every step in the order of the search."""

    def __init__(self) -> None:
        super().__init__(SETTLE, capabilities=())
        self.steps: list[tuple[Cause, Outcome | None]] = []
        self.reasons: Counter[Reason] = Counter()

    def see(self, step: Step, trace: str = "", steps: Sequence[Step] = ()) -> tuple[()]:
        self.steps.append((step.cause, step.outcome))
        if isinstance(step.outcome, Refused):
            self.reasons[step.outcome.reason] += 1
        assert super().see(step, trace, steps) == ()
        return ()


@cache
def searched_with(seed: int) -> tuple[Search, Watching]:
    """A search of a right system that offers no more than the spine, made once for all tests."""
    judge = Watching()
    return search(SpineOnly(), judge, None, EFFORTS[Profile.QUICK], seed), judge


@pytest.fixture(params=SEEDS)
def searched(request: pytest.FixtureRequest) -> tuple[Search, Watching]:
    return searched_with(request.param)


def test_within_the_quick_effort_a_right_system_agrees_and_every_command_is_done(
    searched: tuple[Search, Watching],
) -> None:
    found, _ = searched
    assert found.failures == []
    assert set(found.outcomes) == {command.__name__ for command in get_args(Spine)}
    assert all(outcomes["Done"] > 0 for outcomes in found.outcomes.values())


def test_every_command_is_refused_by_some_seed_and_its_answer_lost() -> None:
    for command in get_args(Spine):
        ends = {name for seed in SEEDS for name in searched_with(seed)[0].outcomes[command.__name__]}
        assert ends == {"Done", "Refused", "Lost"}, command


def test_within_the_quick_effort_every_rule_that_lockstep_can_judge_has_spoken(
    searched: tuple[Search, Watching],
) -> None:
    _, judge = searched
    applying = [rule for rule in BOOK.rules if rule.applies_to(frozenset(SETTLE), frozenset())]
    silent = [rule.id for rule in applying if not rule.needs_world and not judge.spoken[rule.id]]
    assert silent == []
    assert judge.crashes == {}


def test_what_a_system_does_not_declare_is_not_asked_of_it_and_not_judged(searched: tuple[Search, Watching]) -> None:
    _, judge = searched
    assert all(isinstance(cause, Spine | Happening) for cause, _ in judge.steps)
    assert all(BOOK.rule(rule).applies_to(frozenset(SETTLE), frozenset()) for rule in judge.spoken)


def test_the_search_goes_on_beyond_the_tours(searched: tuple[Search, Watching]) -> None:
    found, judge = searched
    assert found.traces - found.tour_traces >= EFFORTS[Profile.QUICK].traces
    assert found.steps == len(judge.steps)
    asked = sum(isinstance(cause, Asked) for cause, _ in judge.steps)
    assert asked == sum(sum(outcomes.values()) for outcomes in found.outcomes.values())


def test_a_search_that_shows_nothing_new_for_long_ends() -> None:
    system = SpineOnly()
    judge = Judge(system.contracts, capabilities=frozenset())
    found = search(system, judge, None, Effort(traces=10_000, steps=5, plateau=20), 1, walks=())
    assert found.quiet_traces == 20
    assert found.traces < 10_000


def test_every_reason_to_refuse_is_met_by_some_seed() -> None:
    met = {reason for seed in SEEDS for reason in searched_with(seed)[1].reasons}
    assert met == SPINE_REASONS


def test_the_same_seed_takes_the_same_steps_and_another_does_not() -> None:
    again = Watching()
    search(SpineOnly(), again, None, EFFORTS[Profile.QUICK], SEEDS[0])
    assert again.steps == searched_with(SEEDS[0])[1].steps
    assert again.steps != searched_with(SEEDS[1])[1].steps


def test_old_commands_are_sent_again_and_old_fences_used(searched: tuple[Search, Watching]) -> None:
    _, judge = searched
    asked = Counter(cause for cause, _ in judge.steps if isinstance(cause, Asked))
    assert any(times > 1 for times in asked.values())
    assert judge.reasons[Reason.STALE_FENCE] > 0


def test_what_was_found_is_narrowed_down_to_moves_that_break_the_same_rule_again() -> None:
    found = search(open_system("toys:TakesLapsedRuns"), Judge(SETTLE), None, EFFORTS[Profile.QUICK], 1)
    (failure,) = found.failures
    assert failure.rules == ("ENTRY.4",)
    assert [type(move.cause).__name__ for move in failure.moves] == ["Submit", "Claim", "Tick", "Claim"]
    fresh = open_system("toys:TakesLapsedRuns")
    again = Trial(fresh, Judge(SETTLE), None, "again").run_through(failure.moves)
    assert again is not None
    assert again.rules == failure.rules


def test_what_only_the_model_saw_first_does_not_hide_the_rule_that_is_broken() -> None:
    """A fence that is not checked shows first as a refusal for another reason; the search goes on to the write."""
    found = search(open_system("toys:IgnoresFences"), Judge(SETTLE), None, EFFORTS[Profile.QUICK], 1)
    (failure,) = found.failures
    assert "FENCE.2" in failure.rules
    assert failure.breaks_a_rule


def test_what_only_the_model_saw_first_is_noted_beside_the_rule_that_is_broken() -> None:
    system = DefectOfTheModel(DEFECTS["the_fence_is_not_checked"])
    found = search(system, Judge(system.contracts), None, Effort(traces=0, steps=5), 1)
    (failure,) = found.failures
    assert failure.breaks_a_rule
    assert found.record(system).note.startswith("the model could not explain tour-1 either: expected it was refused")


def test_what_only_the_model_saw_is_not_told_twice() -> None:
    system = open_system("toys:ForbidsEverything")
    found = search(system, Judge(SETTLE), None, EFFORTS[Profile.QUICK], 1)
    (failure,) = found.failures
    assert not failure.breaks_a_rule
    assert found.record(system).note == ""


def test_a_second_search_on_one_system_needs_another_name_only() -> None:
    system = SpineOnly()
    for name in ("first-", "second-"):
        found = search(system, Judge(SETTLE), None, Effort(traces=3, steps=5), 1, name=name)
        assert found.failures == []


def test_nobody_answers_a_happening(searched: tuple[Search, Watching]) -> None:
    _, judge = searched
    happened = [outcome for cause, outcome in judge.steps if isinstance(cause, Happening)]
    assert happened
    assert all(outcome is None for outcome in happened)
