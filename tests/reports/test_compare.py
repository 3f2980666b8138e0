"""Two evidences: what got better or worse, what is newly covered, what no longer."""

from pathlib import Path

import pytest

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.evidence import VerdictRecord
from keepfact.conformance.verdicts import Level, Verdict
from keepfact.reports import IS_WORSE, compare
from keepfact.reports.compare import Trend

from . import sample


def of(directory: Path, *changed: VerdictRecord) -> Path:
    return sample.write(directory, sample.verdicts(*changed), Verdict.HOLDS, Level.FULL)


def said(verdict: Verdict | None) -> VerdictRecord:
    assert verdict is not None
    exercised = {"lockstep": 1} if verdict in {Verdict.HOLDS, Verdict.VIOLATED} else {}
    return sample.verdict("FENCE.1", verdict, exercised=exercised)


def test_nothing_changes_from_an_evidence_to_itself(violated: Path) -> None:
    assert compare(violated, violated) == ()


@pytest.mark.parametrize(
    ("before", "after", "trend"),
    [
        (Verdict.HOLDS, Verdict.VIOLATED, Trend.WORSE),
        (Verdict.NOT_EXERCISED, Verdict.VIOLATED, Trend.WORSE),
        (Verdict.NOT_EXERCISED, Verdict.INCONCLUSIVE, Trend.WORSE),
        (Verdict.VIOLATED, Verdict.HOLDS, Trend.BETTER),
        (Verdict.INCONCLUSIVE, Verdict.NOT_EXERCISED, Trend.BETTER),
        (Verdict.NOT_EXERCISED, Verdict.HOLDS, Trend.NEWLY_COVERED),
        (Verdict.NOT_APPLICABLE, Verdict.HOLDS, Trend.NEWLY_COVERED),
        (Verdict.HOLDS, Verdict.NOT_EXERCISED, Trend.NO_LONGER_COVERED),
        (Verdict.HOLDS, Verdict.NOT_APPLICABLE, Trend.NO_LONGER_COVERED),
        (Verdict.VIOLATED, Verdict.NOT_EXERCISED, Trend.NO_LONGER_COVERED),
    ],
)
def test_each_change_has_its_trend(before: Verdict, after: Verdict, trend: Trend, tmp_path: Path) -> None:
    (change,) = compare(of(tmp_path / "a", said(before)), of(tmp_path / "b", said(after)))
    assert (change.name, change.before, change.after, change.trend) == ("FENCE.1", before, after, trend)


def test_an_experiment_that_ran_no_more_is_no_longer_covered(green: Path, violated: Path) -> None:
    """The other way round it is new, and what it delivered too little of leaves it undecided."""
    trends = {change.name: change.trend for change in compare(green, violated)}
    assert trends["FENCE.2"] is Trend.WORSE
    assert trends["experiment tool_submitted_then_cut"] is Trend.WORSE
    bare = compare(green, of(green.parent / "bare"))
    assert {change.trend for change in bare} == {Trend.NO_LONGER_COVERED}
    assert "experiment worker_outlived_its_lease" in {change.name for change in bare}


def test_the_worst_comes_first(green: Path, violated: Path) -> None:
    trends = [change.trend for change in compare(green, violated)]
    assert trends[0] is Trend.WORSE
    assert trends == sorted(trends, key=list(Trend).index)
    assert {Trend.WORSE, Trend.NO_LONGER_COVERED} == IS_WORSE


def test_a_rule_that_was_reworded_between_them_is_neither_better_nor_worse(tmp_path: Path) -> None:
    old = of(tmp_path / "a", sample.verdict("FENCE.1", digest="0" * 12))
    (change,) = compare(old, of(tmp_path / "b"))
    assert (change.name, change.trend) == ("FENCE.1", Trend.REWORDED)


def test_what_is_not_whole_is_not_compared(green: Path, cut_off: Path) -> None:
    for pair in ((green, cut_off), (cut_off, green)):
        with pytest.raises(KeepfactError, match=r"expected evidence that is whole in .*cut off"):
            compare(*pair)
