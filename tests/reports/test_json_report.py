"""The report as JSON has everything, under keys that a schema publishes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from keepfact.reports import write
from keepfact.reports.json_report import json_schema
from keepfact.spec.book import BOOK

from . import sample
from .hostile_sample import HOSTILE
from .hostile_sample import hostile as hostile_of


def json_of(directory: Path) -> dict[str, Any]:
    (path,) = write(directory, ["json"])
    report: dict[str, Any] = json.loads(path.read_bytes())
    return report


def test_a_program_reads_the_answer(violated: Path) -> None:
    report = json_of(violated)
    assert report["schema"] == "keepfact.report/1"
    summary = report["summary"]
    assert (summary["verdict"], summary["level"], summary["exit_code"]) == ("VIOLATED", "none", 1)
    assert summary["counts"]["VIOLATED"] == 1
    assert {rule["record"]["rule"]: rule["verdict"] for rule in summary["rules"]}[sample.BROKEN] == "VIOLATED"
    assert len(summary["rules"]) == len(BOOK.rules)
    assert [story["seen"] for story in summary["stories"]][1] == "Done."


def test_everything_of_the_evidence_is_in_it(green: Path) -> None:
    summary = json_of(green)["summary"]
    assert summary["header"] == sample.header().model_dump(mode="json")
    assert summary["lockstep"] == [sample.lockstep().model_dump(mode="json")]
    assert summary["scopes"][0] == sample.scope().model_dump(mode="json")
    assert [defect["name"] for defect in summary["defects"]] == [defect.name for defect in sample.defects()]
    assert [len(experiment["faults"]) for experiment in summary["experiments"]] == [13, 13]
    assert len(summary["traces"]) == 26
    assert summary["not_shown"] == [record.text for record in sample.not_shown()]


def test_a_run_that_was_cut_off_says_so(cut_off: Path) -> None:
    summary = json_of(cut_off)["summary"]
    assert (summary["standing"], summary["footer"], summary["verdict"]) == ("cut_off", None, "INCONCLUSIVE")


def test_text_from_outside_is_unchanged_in_pure_ascii(hostile: Path) -> None:
    (path,) = write(hostile, ["json"])
    text = path.read_bytes().decode("ascii")
    assert not [character for character in text if ord(character) < 32 and character != "\n"]
    assert json.loads(text)["summary"]["header"]["system"] == HOSTILE


@pytest.mark.parametrize("make", [sample.green, sample.violated, sample.cut_off, hostile_of])
def test_the_schema_names_the_keys_of_the_report(make: Callable[[Path], Path], tmp_path: Path) -> None:
    schema = json_schema()
    report = json_of(make(tmp_path / "evidence"))
    assert set(report) == set(schema["required"]) == set(schema["properties"])
    published = schema["$defs"]["Summary"]
    assert set(report["summary"]) == set(published["properties"])
    assert set(published["required"]) == set(published["properties"])
