"""`keepfact verify` and `keepfact inject`, whole: what is said, written, and ended with."""

import hashlib
import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from keepfact.conformance.evidence import (
    DefectRecord,
    EvidenceReader,
    EvidenceWriter,
    ExperimentRecord,
    FaultRecord,
    Footer,
    LockstepRecord,
    NotShownRecord,
    ScopeRecord,
    StepRecord,
    VerdictRecord,
)
from keepfact.conformance.profiles import Profile
from keepfact.conformance.selftest import fitting_defects, fitting_scopes
from keepfact.conformance.systems import open_system
from keepfact.conformance.verdicts import Verdict
from keepfact.conformance.verification import Verification
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Capability, Contract

from .command import Ended, keepfact, once

Run = tuple[Path, Ended]
NAME = "toys:SpineOnly"
TOYS = Path(__file__).parents[1] / "conformance"
SETTLE, NOTHING = frozenset({Contract.SETTLE}), frozenset[Capability]()
"""What the system below promises, and what it offers beyond the spine."""


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A system that is right and offers no more than every system must, verified."""

    def verify(out: Path) -> Ended:
        here, path = folder_beside(out), os.pathsep.join(filter(None, [str(TOYS), os.environ.get("PYTHONPATH")]))
        return keepfact("verify", "--system", NAME, "--seed", 7, "--out", out, cwd=here, PYTHONPATH=path)

    return once(tmp_path_factory, "verified-right", verify)


@pytest.fixture(scope="module")
def faultless(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The experiment, with everything but its fault."""

    def inject(out: Path) -> Ended:
        here = folder_beside(out)
        return keepfact("inject", "model_returned_then_killed", "--without-fault", "--out", out, cwd=here)

    return once(tmp_path_factory, "injected-without-fault", inject)


def test_a_right_system_ends_with_zero_and_says_so(right: Run) -> None:
    _, ended = right
    assert (ended.code, ended.stderr) == (0, "")
    assert ended.said.startswith("keepfact: system spine only, profile quick, seed 7, evidence in ")
    assert "Conformance: partial. Verdict: HOLDS" in ended.said


def test_every_report_stands_beside_the_evidence_and_is_named(right: Run) -> None:
    out, ended = right
    files = {path.name for path in out.iterdir()}
    made = {"report.html", "report.zh.html", "junit.xml", "report.json", "report.md", "report.sarif", "statement.json"}
    assert files == {"evidence.ndjson", "evidence.digests", "manifest.json"} | made
    assert all(str(out / name) in "".join(ended.stdout.split()) for name in made)


def test_an_audit_of_what_was_left_says_the_same(right: Run) -> None:
    out, _ = right
    audited = keepfact("audit", out, cwd=folder_beside(out))
    assert (audited.code, audited.stderr) == (0, "")
    assert "nothing but itself vouches for it" in audited.said
    assert "Conformance: partial. Verdict: HOLDS" in audited.said


def test_nothing_is_left_where_the_command_was_given(right: Run, faultless: Run) -> None:
    for out, _ in (right, faultless):
        assert list(folder_beside(out).iterdir()) == []


def test_the_manifest_vouches_for_every_file(right: Run) -> None:
    out, _ = right
    vouched = json.loads((out / "manifest.json").read_text())["sha256"]
    files = [path for path in out.iterdir() if path.name != "manifest.json"]
    assert vouched == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_footer_counts_every_record_and_holds_the_verdict(right: Run) -> None:
    records = list(EvidenceReader(right[0]))
    footer = records[-1]
    assert isinstance(footer, Footer)
    assert (footer.verdict, footer.exit_code) == (Verdict.HOLDS, 0)
    assert sum(footer.counts.values()) == len(records) - 1
    assert footer.counts["step"] == sum(record.kind == "step" for record in records)


def test_the_header_says_what_ran_on_what_with_which_book(right: Run) -> None:
    header = EvidenceReader(right[0]).header()
    assert (header.system, header.seed, header.profile, header.contracts) == ("spine only", 7, "quick", ("settle",))
    assert header.book_digest == BOOK.digest
    assert header.command.startswith("keepfact verify --system toys:SpineOnly --seed 7 --out ")


def test_the_model_was_explored_and_every_defect_of_it_was_caught_in_this_very_run(right: Run) -> None:
    """As far as it can do what the system offers; the rest proves nothing of this system."""
    scopes = [record for record in EvidenceReader(right[0]) if isinstance(record, ScopeRecord)]
    assert [scope.name for scope in scopes] == [scope.name for scope in fitting_scopes(SETTLE, NOTHING)]
    assert all(scope.verdict is Verdict.HOLDS for scope in scopes)
    defects = [record for record in EvidenceReader(right[0]) if isinstance(record, DefectRecord)]
    assert [one.name for one in defects] == [one.name for one in fitting_defects(SETTLE, NOTHING)]
    assert all(set(defect.predicted) <= set(defect.killed_by) for defect in defects)


def test_each_rule_has_a_verdict_and_its_proof(right: Run) -> None:
    verdicts = [record for record in EvidenceReader(right[0]) if isinstance(record, VerdictRecord)]
    assert [record.rule for record in verdicts] == [rule.id for rule in BOOK.rules]
    for record in verdicts:
        if record.verdict is Verdict.HOLDS:
            assert record.caught
            assert sum(record.exercised.values()) > 0
        else:
            assert record.verdict is Verdict.NOT_APPLICABLE
            assert record.reason


def test_what_was_not_shown_is_said(right: Run) -> None:
    texts = [record.text for record in EvidenceReader(right[0]) if isinstance(record, NotShownRecord)]
    assert any(
        "needs workers that are processes of their own, which spine only does not offer" in text for text in texts
    )
    assert any("under the contract resume" in text for text in texts)
    assert any("does not declare to offer: approvals, assessment, cancelling" in text for text in texts)


def test_the_reports_agree_with_the_evidence(right: Run) -> None:
    out, _ = right
    cases = ElementTree.parse(out / "junit.xml").getroot().iter("testcase")
    assert {rule.id for rule in BOOK.rules} <= {word for case in cases for word in case.get("name", "").split()}
    assert '"HOLDS"' in (out / "report.json").read_text()
    page = (out / "report.html").read_text()
    assert all(f"{rule.id}" in page for rule in BOOK.rules)


def test_the_same_seed_takes_the_same_steps_in_another_process(
    right: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(TOYS))
    with EvidenceWriter(tmp_path / "again") as evidence:
        Verification(open_system(NAME), evidence, Profile.QUICK, 7).lockstep()
    again, first = steps_in(tmp_path / "again"), steps_in(right[0])
    in_lockstep = {step.trace for step in again}
    assert again == [step for step in first if step.trace in in_lockstep]
    assert len(again) > 1000


def test_an_experiment_without_its_fault_is_not_a_pass(faultless: Run) -> None:
    out, ended = faultless
    assert (ended.code, ended.stderr) == (3, "")
    assert "Verdict: NOT_EXERCISED" in ended.said
    (experiment,) = [record for record in EvidenceReader(out) if isinstance(record, ExperimentRecord)]
    assert (experiment.verdict, experiment.delivered) == (Verdict.NOT_EXERCISED, 0)
    assert experiment.runs == 2 * 2  # under both contracts, as many as the quick profile makes
    faults = [record for record in EvidenceReader(out) if isinstance(record, FaultRecord)]
    assert len(faults) == experiment.runs
    assert not any(fault.delivered for fault in faults)


def test_an_injection_alone_is_not_called_full(faultless: Run) -> None:
    """It judges a part of the book, and does not drive the system beside the model."""
    out, ended = faultless
    assert "Conformance: full" not in ended.said
    assert not any(isinstance(record, LockstepRecord) for record in EvidenceReader(out))
    footer = list(EvidenceReader(out))[-1]
    assert isinstance(footer, Footer)
    assert (footer.verdict, footer.exit_code) == (Verdict.NOT_EXERCISED, 3)


def folder_beside(out: Path) -> Path:
    """Where the command is given: a folder of its own."""
    folder = out.with_name(f"{out.name}-given-here")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def steps_in(directory: Path) -> list[StepRecord]:
    return [record for record in EvidenceReader(directory) if isinstance(record, StepRecord)]
