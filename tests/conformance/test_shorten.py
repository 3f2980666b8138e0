"""A failing trace is made as short as it can be, and never made into one that does not fail."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from keepfact.conformance.recorder import Move, Moves
from keepfact.conformance.shorten import lengthened, relabelled, shorten
from keepfact.spec.vocabulary import (
    Act,
    Asking,
    CallId,
    CallKind,
    CommandId,
    Continue,
    Contract,
    EntryPoint,
    Fence,
    Intend,
    MaterialId,
    RequestId,
    RunId,
    SaveMaterial,
    Session,
    SourceId,
    Spawn,
    SpawnId,
    TenantId,
    Tick,
    UserId,
    Wait,
    WaitId,
    WaitKind,
)


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


def family_of(name: str) -> Moves:
    """A child, a compensation and a continuation, asked for by somebody else."""
    run, child, call = RunId(f"{name}-run"), RunId(f"{name}-child"), CallId(f"{name}-call")
    undo, next_ = CallId(f"{name}-undo"), RunId(f"{name}-next")
    spawn = Spawn(CommandId(f"{name}-1"), run, Fence(1), SpawnId("spawn"), child, 1)
    compensate = Intend(CommandId(f"{name}-2"), run, Fence(1), undo, CallKind.OPERATION, "d", 0, compensates=call)
    request = RequestId(f"{name}-request")
    continue_ = Continue(CommandId(f"{name}-3"), next_, run, UserId("reader"), Contract.SETTLE, 1, request)
    somebody = Session(TenantId("tenant"), "somebody", EntryPoint.CONTINUE)
    return (Move(spawn), Move(compensate), Move(Asking(somebody, continue_)))


def test_whatever_names_another_run_or_call_is_renamed_with_it_whoever_asks() -> None:
    assert relabelled(family_of("a"), "a-", "b-") == family_of("b")


def test_every_span_of_the_clock_is_made_longer_and_nothing_else() -> None:
    def moves(one: int) -> Moves:
        run, fence = RunId("run"), Fence(1)
        wait = Wait(CommandId("1"), run, fence, WaitId("wait"), WaitKind.TIMER, "d", 2 * one)
        save = SaveMaterial(CommandId("2"), run, fence, MaterialId("m"), SourceId("fund"), "d", None, 3 * one)
        asked = Asking(Session(TenantId("tenant"), "somebody", EntryPoint.WORK), wait)
        return (Move(Tick(one)), Move(wait), Move(save, "withheld"), Move(asked))

    assert lengthened(moves(1), 30) == moves(30)


def test_ids_of_others_stay_as_they_are() -> None:
    move = Move(Act(RunId("x-run"), CallId("a-c"), 1))
    assert relabelled((move,), "a-", "b-") == (Move(Act(RunId("x-run"), CallId("b-c"), 1)),)
