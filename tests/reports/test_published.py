"""What lies in an evidence directory is as the published schemas say, whatever text is in it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from keepfact import spec
from keepfact.conformance.evidence import EvidenceWriter
from keepfact.reports import write

from . import sample
from .kinds import EVERY_KIND

SCHEMAS = Path(spec.__path__[0]) / "schemas"


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((SCHEMAS / name).read_text(encoding="utf-8")))


def sealed(directory: Path) -> Path:
    """Evidence with everything that a run leaves there but a signature."""
    with EvidenceWriter(directory) as writer:
        writer.write(sample.header())
        for record in sample.verdicts():
            writer.write(record)
        writer.seal()
    return directory


@EVERY_KIND
def test_reports_for_programs_are_as_published(make: Callable[[Path], Path], tmp_path: Path) -> None:
    report, statement = write(make(tmp_path / "evidence"), ["json", "intoto"])
    validator("report.json").validate(json.loads(report.read_bytes()))
    validator("statement.json").validate(json.loads(statement.read_bytes()))


def test_every_line_of_evidence_and_its_manifest_are_as_published(tmp_path: Path) -> None:
    directory = sealed(tmp_path / "evidence")
    evidence = validator("evidence.json")
    for line in (directory / "evidence.ndjson").read_text().splitlines():
        evidence.validate(json.loads(line))
    validator("manifest.json").validate(json.loads((directory / "manifest.json").read_bytes()))


ENTRY = {
    "at": 1.5,
    "request": 1,
    "endpoint": "model",
    "happened": "acted",
    "run": "run",
    "key": "run:attempt:1",
    "fence": None,
    "digest": "0" * 64,
}


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("manifest.json", {"schema": "keepfact.manifest/1", "sha256": {"a": "0" * 64}}, {"sha256": {"a": "0" * 63}}),
        ("manifest.json", {"schema": "keepfact.manifest/1", "sha256": {}}, {"note": "more"}),
        ("truth.json", ENTRY, {"happened": "dreamt"}),
    ],
)
def test_a_schema_takes_what_is_right_and_nothing_else(name: str, right: dict[str, Any], wrong: dict[str, Any]) -> None:
    validator(name).validate(right)
    assert list(validator(name).iter_errors({**right, **wrong}))
