"""`keepfact explore` and `keepfact defects`: the model on all cores, and nothing passes that could not have failed.

The commands are called here, on few scopes and defects: all of them together take minutes.
"""

from types import SimpleNamespace

import pytest
import typer

from keepfact.cli import proving
from keepfact.conformance.evidence import DefectRecord, ScopeRecord
from keepfact.conformance.selftest import explored
from keepfact.conformance.verdicts import Verdict
from keepfact.model.defects import DEFECTS
from keepfact.model.scopes import SCOPES
from keepfact.spec.book import BOOK

NAMES = ["waits", "migration"]
FEW = tuple(scope for scope in SCOPES if scope.name in NAMES)
SHOWN = ["a_migration_locks_the_old_release_out", "one_answer_wakes_two_workers"]


@pytest.fixture(autouse=True)
def few_scopes_and_defects(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """And, where a test does not ask for all cores, no processes either: to start them takes longest."""
    if "on_all_cores" not in request.fixturenames:
        monkeypatch.setattr(proving, "shared_out", map)
    monkeypatch.setattr(proving, "SCOPES", FEW)
    monkeypatch.setattr(proving, "DEFECTS", {name: DEFECTS[name] for name in SHOWN})


@pytest.fixture
def on_all_cores() -> None:
    """Asked for by name."""


def a_book_of(rules: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The book, as far as these rules go."""
    shortened = SimpleNamespace(rules=tuple(rule for rule in BOOK.rules if rule.id in rules), rule=BOOK.rule)
    monkeypatch.setattr(proving, "BOOK", shortened)


def explore() -> int:
    with pytest.raises(typer.Exit) as ended:
        proving.explore(scope=None, defect=None, picture=None)
    return ended.value.exit_code


def defects(*names: str) -> int:
    with pytest.raises(typer.Exit) as ended:
        proving.defects(list(names), "model", None)
    return ended.value.exit_code


def test_a_rule_that_was_met_in_no_scope_is_no_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert explore() == 3
    told = capsys.readouterr().out
    rows = [line.strip("│").split("│") for line in told.splitlines() if line.startswith("│")]
    assert [(row[0].strip(), row[-1].strip()) for row in rows] == [(scope.name, "HOLDS") for scope in FEW]
    said = " ".join(told.split())
    assert f"of {len(BOOK.rules)} never met: " in said
    assert "APPROVAL.1, " in said


@pytest.mark.usefixtures("on_all_cores")
def test_where_every_rule_was_met_the_model_holds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    a_book_of({"FENCE.1", "WAKE.5", "VERSION.8"}, monkeypatch)
    assert explore() == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "rules whose condition was met somewhere: 3 of 3" in said
    assert "never met" not in said


def test_a_matrix_that_leaves_a_rule_without_a_defect_is_no_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert defects() == 3
    said = " ".join(capsys.readouterr().out.split())
    assert "defects caught by every rule that they name: 2 of 2" in said
    assert "rules without a defect: ENTRY.1, " in said
    assert said.endswith("control, without a defect: HOLDS")


@pytest.mark.usefixtures("on_all_cores")
def test_a_matrix_in_which_every_rule_catches_what_it_is_predicted_for_holds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    a_book_of({rule for name in SHOWN for rule in DEFECTS[name].predicted}, monkeypatch)
    assert defects() == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "rules without a defect: none" in said
    assert all(name in said for name in SHOWN)
    assert "MISSED" not in said


def test_a_defect_can_be_switched_on_alone_and_its_own_rules_are_enough(capsys: pytest.CaptureFixture[str]) -> None:
    assert defects(SHOWN[0]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert SHOWN[0] in said
    assert SHOWN[1] not in said
    assert "defects caught by every rule that they name: 1 of 1 rules without a defect: none" in said


def test_a_defect_that_a_predicted_rule_misses_is_no_pass(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    a_book_of({rule for name in SHOWN for rule in DEFECTS[name].predicted}, monkeypatch)
    monkeypatch.setattr(proving, "hunted", missed)
    assert defects() == 3
    assert "MISSED" in capsys.readouterr().out


def test_a_control_in_which_something_breaks_is_a_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    a_book_of({rule for name in SHOWN for rule in DEFECTS[name].predicted}, monkeypatch)
    monkeypatch.setattr(proving, "explored", broken)
    assert defects() == 1


def missed(name: str) -> DefectRecord:
    return DefectRecord(name=name, predicted=DEFECTS[name].predicted, killed_by=())


def broken(name: str) -> ScopeRecord:
    return explored(name).model_copy(update={"verdict": Verdict.VIOLATED})
