"""Which strikes a rehearsal leads to, and what comes of them."""

import pytest

from keepfact.conformance.verdicts import Verdict
from keepfact.fault_injection.experiment import verdict
from keepfact.fault_injection.experiments.model_returned_then_killed import Side, plan
from keepfact.fault_injection.rehearsal import Dispatch, Rehearsal
from keepfact.fault_injection.sweep import Strike, chosen, never_struck
from keepfact.fault_injection.tally import Tally
from keepfact.spec.vocabulary import NOTHING, CallKind

REHEARSAL = Rehearsal(
    seams=("waking", "model asked", "recording answer", "tool asked", "done"),
    dispatches=(Dispatch(2, CallKind.ATTEMPT), Dispatch(4, CallKind.OPERATION)),
    truth=NOTHING,
    starts_queued=True,
)


def _sides(number: int) -> set[str]:
    return {strike.side for strike in plan(REHEARSAL) if strike.number == number}


def test_there_is_a_strike_at_every_seam() -> None:
    at = [strike for strike in plan(REHEARSAL) if strike.side == Side.AT]
    assert at == [Strike(number, seam, Side.AT) for number, seam in enumerate(REHEARSAL.seams, 1)]


def test_a_write_about_to_happen_is_struck_during_its_commit() -> None:
    assert _sides(1) == _sides(3) == {Side.AT, Side.DURING}
    assert _sides(5) == {Side.AT}


def test_a_call_is_struck_while_it_is_outside() -> None:
    assert _sides(2) == {Side.AT, Side.MODEL_ASKED, Side.MODEL_ACTED}
    assert _sides(4) == {Side.AT, Side.TOOL_ASKED, Side.TOOL_ACTS_LATE, Side.TOOL_ACTED, Side.TOOL_UNSURE}


HALF_DONE = Tally((), 2, 1, undone=("run 2: the worker ended",))


@pytest.mark.parametrize(
    ("tallies", "unjudged", "violated", "expected"),
    [
        ([Tally((), 2, 2)], (), False, Verdict.HOLDS),
        ([Tally((), 2, 0)], (), False, Verdict.NOT_EXERCISED),
        ([Tally((), 2, 0)], ("never put to the test here: EFFECT.6",), False, Verdict.NOT_EXERCISED),
        ([Tally((), 2, 2), Tally((), 2, 0)], (), False, Verdict.NOT_EXERCISED),
        ([HALF_DONE], (), False, Verdict.INCONCLUSIVE),
        ([Tally((), 2, 2), HALF_DONE], (), False, Verdict.INCONCLUSIVE),
        ([Tally((), 2, 0, undone=("run 2: the worker ended",))], (), False, Verdict.INCONCLUSIVE),
        ([Tally((), 2, 2, missed=("never struck: during the commit",))], (), False, Verdict.INCONCLUSIVE),
        ([Tally((), 2, 2)], ("never put to the test here: EFFECT.6",), False, Verdict.INCONCLUSIVE),
        ([HALF_DONE], (), True, Verdict.VIOLATED),
        ([Tally((), 2, 0)], (), True, Verdict.VIOLATED),
    ],
)
def test_only_what_was_delivered_and_judged_to_the_end_holds(
    tallies: list[Tally], unjudged: tuple[str, ...], violated: bool, expected: Verdict
) -> None:
    assert verdict(tallies, unjudged, violated=violated) is expected


def test_a_side_for_which_there_was_no_occasion_is_named() -> None:
    assert Side.DURING in never_struck(tuple(Side), [Strike(1, "claiming", Side.AT)])
    assert never_struck(tuple(Side), [Strike(1, "claiming", side) for side in Side]) == []


@pytest.mark.parametrize("most", [1, 8, 9, 13, 17, 18, 40])
def test_few_strikes_are_one_of_each_side_and_spread_over_the_seams(most: int) -> None:
    strikes = plan(REHEARSAL)
    few = chosen(strikes, most)
    assert len(few) == min(max(most, len(Side)), len(strikes))
    assert never_struck(tuple(Side), few) == []
    assert few == [strike for strike in strikes if strike in few]
    assert chosen(strikes, None) == list(strikes)
