"""The commands that only tell: help, the book, the experiments, the model, reports."""

import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from keepfact.conformance.evidence import EvidenceWriter
from keepfact.conformance.profiles import Profile
from keepfact.conformance.systems.reference import Reference
from keepfact.conformance.verification import Verification
from keepfact.fault_injection.experiment import find_experiments
from keepfact.model.defects import DEFECTS
from keepfact.spec.book import BOOK

from .command import KEEPFACT
from .command import quickly as keepfact


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    """Of a run in which nothing was tried."""
    with EvidenceWriter(tmp_path / "evidence") as writer:
        Verification(Reference(), writer, Profile.QUICK, 1).conclude()
    return tmp_path / "evidence"


@pytest.mark.parametrize("command", ["verify", "inject", "explore", "defects", "rules", "report"])
def test_every_command_says_what_it_does_and_does_nothing(command: str, tmp_path: Path) -> None:
    told = keepfact(command, "--help", cwd=tmp_path)
    assert (told.code, told.stderr) == (0, "")
    assert f"Usage: keepfact {command}" in told.said
    assert list(tmp_path.iterdir()) == []


def test_the_first_help_names_every_command_and_the_exit_codes(tmp_path: Path) -> None:
    told = keepfact("--help", cwd=tmp_path)
    assert told.code == 0
    assert all(name in told.said for name in ("verify", "inject", "explore", "defects", "rules", "report"))
    assert "0 conformant, 1 violated, 2 the kit or its input is wrong, 3 inconclusive or not exercised" in told.said


def test_rules_lists_the_whole_book(tmp_path: Path) -> None:
    told = keepfact("rules", cwd=tmp_path)
    assert told.code == 0
    for rule in BOOK.rules:
        assert f"{rule.id} {' '.join(rule.sentence.split())}" in told.said


@pytest.mark.parametrize("given", ["FENCE.2", "fence.2"])
def test_one_rule_is_told_with_what_it_catches(given: str, tmp_path: Path) -> None:
    told = keepfact("rules", given, cwd=tmp_path)
    assert told.code == 0
    rule = BOOK.rule("FENCE.2")
    assert rule.sentence in told.said
    assert rule.digest in told.said
    caught = [defect for defect in DEFECTS.values() if rule.id in defect.predicted]
    assert caught
    assert all(f"catches {defect.name}: {defect.sentence}" in told.said for defect in caught)


def test_inject_without_a_name_lists_the_experiments(tmp_path: Path) -> None:
    told = keepfact("inject", cwd=tmp_path)
    assert told.code == 0
    for experiment in find_experiments():
        assert f"{experiment.name} {' '.join(experiment.fault.split())}" in told.said


def test_a_scope_is_explored_to_its_last_edge(tmp_path: Path) -> None:
    told = keepfact("explore", "--scope", "timers", cwd=tmp_path)
    assert told.code == 0
    (row,) = [line for line in told.stdout.splitlines() if line.startswith("│")]
    name, states, edges, rules, no_way_to_an_end, verdict = (cell.strip() for cell in row.strip("│").split("│"))
    assert (name, no_way_to_an_end, verdict) == ("timers", "0", "HOLDS")
    assert all(int(number.replace(",", "")) > 10 for number in (states, edges, rules))


def test_a_defect_of_the_model_is_told_as_a_story(tmp_path: Path) -> None:
    told = keepfact("explore", "--defect", "a_lapsed_lease_may_write", cwd=tmp_path)
    assert told.code == 1
    assert told.said.startswith(DEFECTS["a_lapsed_lease_may_write"].sentence)
    assert "FENCE.3 is broken 1. Run is submitted under settle" in told.said
    assert f"expected: {BOOK.rule('FENCE.3').sentence} seen:" in told.said


def test_a_defect_that_does_not_show_within_a_scope_is_no_pass_and_no_violation(tmp_path: Path) -> None:
    """Nothing is published in this scope, so nothing that was published can get lost."""
    told = keepfact("explore", "--scope", "timers", "--defect", "recovery_clears_the_partial_body", cwd=tmp_path)
    assert told.code == 3
    assert "No rule that was to catch it did within these bounds." in told.said


@pytest.mark.parametrize(
    ("formats", "files"),
    [
        ("html", {"report.html"}),
        ("junit", {"junit.xml"}),
        ("json", {"report.json"}),
        ("html, junit ,json", {"report.html", "junit.xml", "report.json"}),
    ],
)
def test_reports_are_made_from_evidence_alone(formats: str, files: set[str], evidence: Path) -> None:
    out = evidence.parent / "reports"
    told = keepfact("report", evidence, "--format", formats, "--out", out, cwd=evidence.parent)
    assert (told.code, told.stderr) == (0, "")
    assert {path.name for path in out.iterdir()} == files
    assert all(str(out / name) in "".join(told.stdout.split()) for name in files)
    assert {path.name for path in evidence.iterdir()} == {"evidence.ndjson", "evidence.digests"}


def test_without_out_a_report_stands_beside_its_evidence(evidence: Path) -> None:
    assert keepfact("report", evidence, "--format", "json,junit", cwd=evidence.parent).code == 0
    told = json.loads((evidence / "report.json").read_text())
    assert "NOT_EXERCISED" in json.dumps(told)
    assert ElementTree.parse(evidence / "junit.xml").getroot().tag == "testsuites"


def test_a_reader_that_closes_the_pipe_is_not_told_of_a_violation(tmp_path: Path) -> None:
    """1 means that a rule is broken, and nothing else may end with it."""
    process = subprocess.Popen([KEEPFACT, "rules"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    process.wait()
    assert process.returncode == 2
