"""`audit`, `sign` and `compare`: what they say, and what they end with."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from keepfact.cli import app
from keepfact.conformance.evidence.manifest import read_manifest
from keepfact.reports import console

from ..conformance.auditing.keys import PRIVATE_KEY, PUBLIC_KEY
from ..conformance.auditing.left import left
from ..conformance.toys import IgnoresFences, SpineOnly


def said(*arguments: object) -> tuple[int, str]:
    """The exit code, and all that was said, in one line."""
    with console.console.capture() as captured:
        ended = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    return ended.exit_code, " ".join((captured.get() + ended.output).split())


@pytest.fixture
def right(tmp_path: Path) -> Path:
    left(tmp_path / "right", SpineOnly(), formats=("intoto",))
    return tmp_path / "right"


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    left(tmp_path / "wrong", IgnoresFences(), formats=())
    return tmp_path / "wrong"


def test_an_audit_ends_as_the_run_did(right: Path, wrong: Path) -> None:
    code, told = said("audit", right)
    assert (code, "26 steps judged again: 28 of 28 rules hold. Conformance: partial. Verdict: HOLDS" in told) == (
        0,
        True,
    )
    assert "nothing but itself vouches for it" in told
    code, told = said("audit", wrong)
    assert code == 1
    assert "FENCE.2 is broken line " in told
    assert "Verdict: VIOLATED" in told


def test_what_is_intact_is_called_unaltered_whatever_its_verdict_and_what_is_not_never(
    right: Path, wrong: Path
) -> None:
    for directory in (right, wrong):
        files = len(read_manifest(directory).sha256)
        lines = len((directory / "evidence.ndjson").read_bytes().splitlines())
        told = said("audit", directory)[1]
        assert f"Unaltered: all {files} files and {lines} lines fit the manifest" in told
        assert "What reports say was not held against the evidence" in told
    (wrong / "evil.txt").write_text("")
    assert "Unaltered" not in said("audit", wrong)[1]


def test_an_audit_of_what_was_altered_names_it_and_gives_no_verdict(right: Path) -> None:
    (right / "statement.json").write_text("{}")
    (right / "evil\x1b[31m\u202e.txt").write_text("")
    code, told = said("audit", right)
    assert code == 2
    assert "altered statement.json: it is not what was sealed" in told
    assert "altered evil⟨U+001B⟩[31m⟨U+202E⟩.txt: the manifest does not name it" in told
    assert "no verdict" in told
    assert "Verdict: " not in told


def test_what_was_signed_later_is_vouched_for_with_its_statement(right: Path, tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_bytes(PRIVATE_KEY)
    (tmp_path / "key.pub").write_bytes(PUBLIC_KEY)
    code, told = said("sign", right, "--key", tmp_path / "key.pem")
    assert (code, {"manifest.sig", "statement.dsse.json"} <= {path.name for path in right.iterdir()}) == (0, True)
    assert told.endswith("manifest.sig")
    code, told = said("audit", right, "--public-key", tmp_path / "key.pub")
    assert (code, "The manifest is signed by the key that was given" in told) == (0, True)


def test_compare_ends_with_one_if_anything_is_worse(right: Path, wrong: Path) -> None:
    code, told = said("compare", right, wrong)
    assert code == 1
    assert "worse: FENCE.2, HOLDS → VIOLATED" in told
    code, told = said("compare", right, right)
    assert (code, told) == (0, "nothing changed")


def test_reports_of_sealed_evidence_leave_it_as_it_is(right: Path) -> None:
    before = {path.name: path.read_bytes() for path in right.iterdir()}
    assert said("report", right, "--format", "markdown,sarif")[0] == 0
    assert {path.name: path.read_bytes() for path in right.iterdir()} == before
    assert {path.name for path in (right.parent / "right-reports").iterdir()} == {"report.md", "report.sarif"}
