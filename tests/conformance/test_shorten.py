"""A failing trace is made as short as it can be, and never made into one that does not fail."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from keepfact.conformance.recorder import Move, Moves
from keepfact.conformance.shorten import relabelled, shorten
from keepfact.spec.vocabulary import Act, CallId, CallKind, CommandId, Fence, Intend, RunId, Tick


def ticks(*seconds: int) -> Moves:
    return tuple(Move(Tick(number)) for number in seconds)


def said(moves: Moves) -> list[int]:
    return [move.cause.seconds for move in moves if isinstance(move.cause, Tick)]


def test_only_what_the_failure_needs_is_left_in_its_order() -> None:
    short = shorten(ticks(*range(50)), lambda moves: {7, 23, 41} <= set(said(moves)))
    assert said(short) == [7, 23, 41]


def test_a_failure_that_needs_order_keeps_it() -> None:
    def is_climbing(moves: Moves) -> bool:
        seconds = said(moves)
        return any(low < high for low, high in pairwise(seconds))

    short = said(shorten(ticks(9, 8, 7, 3, 5, 2, 1), is_climbing))
    assert len(short) == 2
    assert short[0] < short[1]


def test_a_failure_that_needs_nothing_is_empty_and_one_that_needs_all_is_whole() -> None:
    assert shorten(ticks(1, 2, 3), lambda moves: True) == ()
    assert said(shorten(ticks(1, 2, 3), lambda moves: len(moves) == 3)) == [1, 2, 3]
    assert shorten((), lambda moves: True) == ()


def test_answers_are_heard_unless_it_takes_a_lost_one() -> None:
    moves = (Move(Tick(1), "withheld"), Move(Tick(2), "never sent"))
    short = shorten(moves, lambda tried: len(tried) == 2 and tried[1].fate == "never sent")
    assert [move.fate for move in short] == ["answered", "never sent"]


@settings(deadline=None, database=None)
@given(st.lists(st.integers(0, 5), max_size=30), st.lists(st.integers(0, 5), max_size=4))
def test_it_still_fails_and_would_not_with_one_move_less(numbers: list[int], needed: list[int]) -> None:
    def fails(moves: Moves) -> bool:
        rest = iter(said(moves))
        return all(any(one == other for other in rest) for one in needed)  # in this order, not necessarily together

    moves = ticks(*numbers)
    if not fails(moves):
        return
    short = shorten(moves, fails)
    assert fails(short)
    assert not any(fails(short[:at] + short[at + 1 :]) for at in range(len(short)))


def test_the_same_moves_can_be_made_about_other_runs() -> None:
    moves = made_about("a")
    assert relabelled(moves, "a-", "b-") == made_about("b")
    assert relabelled(made_about("b"), "b-", "a-") == moves


def made_about(name: str) -> Moves:
    run, call = RunId(f"{name}-run"), CallId(f"{name}-call")
    before = CallId(f"{name}-before")
    intend = Intend(CommandId(f"{name}-1"), run, Fence(1), call, CallKind.ATTEMPT, "a-digest", 1, before)
    return (Move(intend, "withheld"), Move(Act(run, call, 1)), Move(Tick(1)))


def test_ids_of_others_stay_as_they_are() -> None:
    move = Move(Act(RunId("x-run"), CallId("a-c"), 1))
    assert relabelled((move,), "a-", "b-") == (Move(Act(RunId("x-run"), CallId("b-c"), 1)),)
