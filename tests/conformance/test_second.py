"""Two checkers that share no code say the same of the same histories: of right ones, and of wrong ones."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from keepfact.conformance.second import NOT_JUDGED, check, exported
from keepfact.conformance.second.compare import Compared, FirstChecker, compared, histories
from keepfact.conformance.second.findings import readable
from keepfact.conformance.selftest import how_it_shows
from keepfact.model.defects import DEFECTS, Defect
from keepfact.model.paths import taken
from keepfact.model.scopes import RETRY, SCOPES, Scope
from keepfact.model.tours import tours
from keepfact.spec.book import BOOK

SEED = 20261130
HISTORIES = 2_000
PERFECT = Defect("none", "Nothing is wrong.", ())


@cache
def compared_histories() -> tuple[Compared, ...]:
    """Histories of every defect there is, in scopes drawn at random."""
    return tuple(histories(tuple(DEFECTS.values()), HISTORIES, SEED))


@pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: scope.name)
def test_of_a_perfect_system_neither_complains(scope: Scope) -> None:
    print(f"seed {SEED}")
    for seed in range(SEED, SEED + 6):
        seen = compared(scope, seed, PERFECT, FirstChecker())
        assert not seen.first, seen
        assert not seen.second, seen


def test_on_all_tours_neither_complains() -> None:
    for walk in tours():
        steps, first = list(taken(walk)), FirstChecker()
        assert [broken for step in steps for broken in first.broken_by(step)] == []
        assert list(check(exported(step) for step in steps)) == []


def test_both_agree_on_every_history_whether_it_is_right() -> None:
    differing = [one for one in compared_histories() if not one.is_agreed]
    print(f"seed {SEED}, {HISTORIES} histories")
    print(*differing, sep="\n")
    assert not differing


def test_what_is_wrong_is_mostly_called_by_the_same_rule() -> None:
    wrong = [one for one in compared_histories() if one.first and one.second]
    shared = sum(one.shares_a_rule for one in wrong)
    print(f"seed {SEED}: {len(wrong)} wrong histories, {shared} of them break a rule that both name")
    assert len(wrong) > HISTORIES / 10
    assert shared > 0.9 * len(wrong)


@pytest.mark.parametrize(
    "name",
    ["a_summary_of_what_was_handed_forgets_it", "a_later_finding_takes_the_place_of_what_was_summed_up"],
)
def test_the_second_checker_also_traces_findings_across_runs(name: str) -> None:
    (shown,) = how_it_shows(DEFECTS[name])
    complaints = list(check(exported(step) for step in shown.path))
    assert [complaint.rule for complaint in complaints] == [shown.rule] == ["CONTINUE.5"]


@pytest.mark.parametrize(("readers", "expected"), [(["web"], True), ([], False)])
def test_findings_of_two_runs_that_rest_on_each_other_have_an_end(readers: list[str], expected: bool) -> None:
    runs = [
        {
            "run": run,
            "materials": [{"material": own, "source": "web", "as_of": "today", "derived_from": [handed]}],
            "inherited": [{"material": handed, "run": other}],
        }
        for run, other, own, handed in (("one", "other", "a", "b"), ("other", "one", "b", "a"))
    ]
    observation = {"runs": runs, "readers": [{"source": source, "user": "user"} for source in readers]}
    assert readable(observation, runs[0], runs[0]["materials"][0], "user") is expected


def test_every_rule_named_is_in_the_book() -> None:
    rules = {rule.id for rule in BOOK.rules}
    named = {complaint.rule for one in compared_histories() for complaint in one.second}
    assert set(NOT_JUDGED) | named <= rules


def test_a_history_in_a_file_is_checked_by_a_command(tmp_path: Path) -> None:
    right = compared(RETRY, 1, PERFECT, FirstChecker()).steps
    wrong = next(one for one in compared_histories() if one.second).steps
    for steps, code in ((right, 0), (wrong, 1)):
        file = tmp_path / f"{code}.ndjson"
        file.write_text("".join(json.dumps(exported(step)) + "\n" for step in steps))
        assert _checked(file).returncode == code
        assert bool(check(json.loads(line) for line in file.read_text().splitlines())) == bool(code)


@pytest.mark.parametrize(("text", "expected"), [("{", "expected JSON"), ('{"cause": {}}', "it has no")])
def test_what_is_no_history_is_told_so(tmp_path: Path, text: str, expected: str) -> None:
    file = tmp_path / "wrong.ndjson"
    file.write_text(text)
    answer = _checked(file)
    assert answer.returncode == 2
    assert expected in answer.stderr


def test_a_file_that_is_not_there_is_told_so(tmp_path: Path) -> None:
    answer = _checked(tmp_path / "nowhere")
    assert answer.returncode == 2
    assert "nowhere" in answer.stderr


def _checked(file: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "keepfact.conformance.second", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)
