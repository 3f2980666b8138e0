"""The report of the field shows truth beside record, and takes what engines say for text."""

from collections.abc import Callable
from pathlib import Path

import pytest

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.field import About, FieldCell, FieldExperiment, FieldReport, FieldTrial, Figures, Finding
from keepfact.conformance.verdicts import ExitCode, Verdict
from keepfact.reports import field

Form = Callable[[FieldReport], str]

HOSTILE = "<script>alert(1)</script>\u202e| pipe"
FIGURES = Figures(
    model_requests=3, tool_requests=2, keys=1, acts=2, true_cents=32, recorded_cents=29, held_cents=0, unresolved=0,
    end="succeeded",
)  # fmt: skip


def trial(fault: str, verdict: Verdict = Verdict.HOLDS, figures: Figures = FIGURES) -> FieldTrial:
    finding = Finding(rule="COST.2", sentence="Cost is within.", verdict=verdict, why=HOSTILE, promise="at least once")
    return FieldTrial(
        run="run-1", fault=fault, delivered=True, proof="it died", figures=figures, findings=(finding,),
        story=("12:00:00 it died",),
    )  # fmt: skip


def reported(verdict: Verdict) -> FieldReport:
    broken = trial("killed_somewhere", verdict)
    experiments = (
        FieldExperiment(experiment="killed_somewhere", sentence="It dies.", trials=(broken,), findings=broken.findings,
                        verdict=verdict, reproduce="keepfact field one --experiment killed_somewhere"),
        FieldExperiment(experiment="not_here", sentence="", trials=(), findings=(), verdict=Verdict.NOT_APPLICABLE,
                        reason="it has no database"),
    )  # fmt: skip
    about = About(engine=HOSTILE, mode="default", key="an id", document="its manual", packages=("one",))
    whole = FIGURES.model_copy(update={"true_cents": 29})
    control = trial("undisturbed", figures=whole)
    cell = FieldCell(name="one", about=about, versions={"one": "1.2"}, control=control, experiments=experiments)
    return FieldReport(
        kit_version="0", command="keepfact field one", started_at="2026-01-01T00:00:00Z", versions={"python": "3"},
        settings={"patience": "60 s"}, cells=(cell,),
    )  # fmt: skip


@pytest.fixture
def report() -> FieldReport:
    return reported(Verdict.VIOLATED)


@pytest.mark.parametrize("form", [field.markdown, field.page])
def test_truth_stands_beside_the_record_and_the_promise_beside_what_was_seen(report: FieldReport, form: Form) -> None:
    text = form(report)
    assert "32 / 29" in text
    assert "at least once" in text
    assert "it has no database" in text
    assert "keepfact field one --experiment" in text.replace("\\_", "_")
    assert "12:00:00 it died" in text


@pytest.mark.parametrize("form", [field.markdown, field.page])
def test_what_an_engine_says_is_text(report: FieldReport, form: Form) -> None:
    text = form(report)
    assert "<script>" not in text
    assert "\u202e" not in text


def test_an_engine_is_called_by_its_name_and_version(report: FieldReport) -> None:
    [cell] = report.cells
    chancy = cell.model_copy(update={"about": cell.about.model_copy(update={"engine": "Chancy"})})
    text = field.markdown(report.model_copy(update={"cells": (chancy,)}))
    assert "## Chancy 1.2 (one)" in text
    assert "| Chancy 1.2 (one) |" in text


def test_a_report_is_read_back_as_it_was_written(report: FieldReport, tmp_path: Path) -> None:
    paths = field.write(report, tmp_path / "out")
    assert [path.name for path in paths] == ["field.json", "field.md", "field.html"]
    assert field.read(paths[0]) == report


def test_a_file_that_is_no_report_is_refused(tmp_path: Path) -> None:
    (tmp_path / "field.json").write_text("{}")
    with pytest.raises(KeepfactError, match=r"expected .* to be a field\.json"):
        field.read(tmp_path / "field.json")


@pytest.mark.parametrize(
    ("verdict", "code"),
    [
        (Verdict.HOLDS, ExitCode.CONFORMANT),
        (Verdict.VIOLATED, ExitCode.VIOLATED),
        (Verdict.INCONCLUSIVE, ExitCode.INCONCLUSIVE),
    ],
)
def test_what_does_not_apply_neither_passes_nor_fails(verdict: Verdict, code: ExitCode) -> None:
    assert reported(verdict).exit_code is code
