"""Nothing is never a pass: the order of verdicts, the levels, the exit codes."""

from itertools import combinations

import pytest

from keepfact.conformance.verdicts import ExitCode, Level, Verdict, exit_code_of, level_of, worst

NOT_APPLICABLE, HOLDS, NOT_EXERCISED, INCONCLUSIVE, VIOLATED = Verdict


def test_the_worst_part_decides() -> None:
    order = [NOT_APPLICABLE, HOLDS, NOT_EXERCISED, INCONCLUSIVE, VIOLATED]
    for better, poorer in combinations(order, 2):
        assert worst([better, poorer]) is worst([poorer, better, better]) is poorer


def test_of_no_parts_nothing_was_exercised() -> None:
    assert worst([]) is NOT_EXERCISED
    assert exit_code_of(worst([])) is ExitCode.INCONCLUSIVE


def test_only_holds_ends_with_zero() -> None:
    assert {verdict for verdict in Verdict if exit_code_of(verdict) == 0} == {HOLDS}


def test_only_violated_ends_with_one() -> None:
    assert {verdict for verdict in Verdict if exit_code_of(verdict) == 1} == {VIOLATED}


def test_the_exit_codes_are_the_published_ones() -> None:
    assert [(code.name, code.value) for code in ExitCode] == [
        ("CONFORMANT", 0),
        ("VIOLATED", 1),
        ("BROKEN", 2),
        ("INCONCLUSIVE", 3),
    ]


@pytest.mark.parametrize(
    ("verdicts", "level"),
    [
        ([HOLDS], Level.FULL),
        ([HOLDS, HOLDS], Level.FULL),
        ([HOLDS, NOT_APPLICABLE], Level.PARTIAL),
        ([HOLDS, NOT_EXERCISED], Level.PARTIAL),
        ([HOLDS, INCONCLUSIVE], Level.NONE),
        ([HOLDS, VIOLATED], Level.NONE),
        ([NOT_EXERCISED], Level.NONE),
        ([NOT_APPLICABLE], Level.NONE),
        ([], Level.NONE),
    ],
)
def test_the_level_is_as_full_as_what_was_shown(verdicts: list[Verdict], level: Level) -> None:
    assert level_of(verdicts) is level
