"""Which strikes a rehearsal leads to, and what a sweep amounts to."""

import pytest

from keepfact.conformance.verdicts import Verdict
from keepfact.fault_injection.experiments.model_returned_then_killed import Side, never_struck, plan, verdict
from keepfact.fault_injection.rehearsal import Dispatch, Rehearsal
from keepfact.fault_injection.sweep import Strike, Sweep
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


@pytest.mark.parametrize(
    ("delivered", "undone", "missed", "violated", "expected"),
    [
        (2, (), (), False, Verdict.HOLDS),
        (0, (), (), False, Verdict.NOT_EXERCISED),
        (0, (), ("never put to the test here: EFFECT.6",), False, Verdict.NOT_EXERCISED),
        (1, ("run 2: the worker ended",), (), False, Verdict.INCONCLUSIVE),
        (0, ("run 2: the worker ended",), (), False, Verdict.INCONCLUSIVE),
        (2, (), ("never struck: during the commit",), False, Verdict.INCONCLUSIVE),
        (1, ("run 2: the worker ended",), (), True, Verdict.VIOLATED),
        (0, (), (), True, Verdict.VIOLATED),
    ],
)
def test_only_a_sweep_that_was_delivered_and_judged_to_the_end_holds(
    delivered: int, undone: tuple[str, ...], missed: tuple[str, ...], violated: bool, expected: Verdict
) -> None:
    assert verdict(Sweep(2, delivered, undone), missed, violated=violated) is expected


def test_a_sweep_that_never_came_to_a_side_says_so() -> None:
    assert "never struck: during the commit" in never_struck([Strike(1, "claiming", Side.AT)])
    assert never_struck([Strike(1, "claiming", side) for side in Side]) == []
