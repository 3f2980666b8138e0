"""Reports stand beside their evidence, the same bytes each time."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from keepfact.conformance.evidence import EvidenceWriter
from keepfact.conformance.verdicts import ExitCode, Level, Verdict
from keepfact.reports import FORMATS, UnknownFormatError, write

from . import sample
from .hostile_sample import hostile as hostile_of


def test_reports_are_written_beside_the_evidence(green: Path) -> None:
    names = ["report.html", "report.zh.html", "junit.xml", "report.json", "report.md", "report.sarif", "statement.json"]
    assert write(green) == [green / name for name in names]
    assert all(path.stat().st_size for path in write(green))


def test_only_what_was_asked_for_is_written_and_once(green: Path) -> None:
    assert write(green, ["json", "json"]) == [green / "report.json"]
    assert not (green / "report.html").exists()


@pytest.mark.parametrize("make", [sample.green, sample.violated, sample.cut_off, hostile_of])
def test_the_same_evidence_gives_the_same_bytes(make: Callable[[Path], Path], tmp_path: Path) -> None:
    directory = make(tmp_path / "evidence")
    first = [path.read_bytes() for path in write(directory)]
    assert [path.read_bytes() for path in write(directory)] == first


def test_an_unknown_format_is_a_clear_error_and_nothing_is_written(green: Path) -> None:
    before = sorted(green.iterdir())
    with pytest.raises(UnknownFormatError, match="one of html, junit, json, markdown, sarif, intoto, but got 'pdf'"):
        write(green, ["html", "pdf"])
    assert sorted(green.iterdir()) == before


def test_every_format_has_a_file_of_its_own() -> None:
    assert len({form.file_name for form in FORMATS.values()}) == len(FORMATS)


def test_the_manifest_covers_reports_written_before_it(tmp_path: Path) -> None:
    with EvidenceWriter(tmp_path / "evidence") as writer:
        writer.write(sample.header())
        writer.finish(Verdict.NOT_EXERCISED, Level.NONE, ExitCode.INCONCLUSIVE)
        write(writer.directory)
        writer.seal()
    manifest = json.loads((tmp_path / "evidence" / "manifest.json").read_text())
    assert {"report.html", "junit.xml", "report.json"} <= set(manifest["sha256"])


def test_a_page_is_written_in_each_language_that_was_asked_for(green: Path) -> None:
    assert write(green, ["html"], languages=["zh"]) == [green / "report.zh.html"]
    assert write(green, ["json"], languages=["zh"]) == [green / "report.json"]


def test_an_unknown_language_is_a_clear_error_and_nothing_is_written(green: Path) -> None:
    before = sorted(green.iterdir())
    with pytest.raises(UnknownFormatError, match="en or zh, but got 'fr'"):
        write(green, ["html"], languages=["zh", "fr"])
    assert sorted(green.iterdir()) == before
