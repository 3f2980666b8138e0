"""An audit says what the run said, or where it cannot: suspect rules, differences, and a verdict of its own."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from keepfact.conformance.audit import audit
from keepfact.conformance.concluding import Conclusion
from keepfact.conformance.evidence import EvidenceError, EvidenceReader, EvidenceWriter, Record, StepRecord
from keepfact.conformance.judge import MODEL
from keepfact.conformance.verdicts import ExitCode, Level, Verdict
from keepfact.spec.book import BOOK, Book

from ..toys import ForbidsEverything, IgnoresFences, RefusesEverything, SpineOnly
from .left import left


def test_of_what_nobody_touched_an_audit_says_what_the_run_said(made: tuple[Path, Conclusion]) -> None:
    directory, conclusion = made
    found = audit(directory)
    assert (found.findings, found.differences, found.suspects, found.broken) == ((), (), {}, {})
    assert found.conclusion == conclusion
    assert (found.conclusion.verdict, found.exit_code) == (Verdict.HOLDS, ExitCode.CONFORMANT)
    assert found.steps == sum(isinstance(record, StepRecord) for record in EvidenceReader(directory)) > 20


@pytest.mark.parametrize("system", [IgnoresFences, RefusesEverything, ForbidsEverything])
def test_of_a_system_that_is_wrong_an_audit_says_what_the_run_said(system: type[SpineOnly], tmp_path: Path) -> None:
    conclusion = left(tmp_path / "evidence", system())
    assert conclusion.verdict is Verdict.VIOLATED
    found = audit(tmp_path / "evidence")
    assert (found.findings, found.differences, found.conclusion) == ((), (), conclusion)
    assert found.exit_code is ExitCode.VIOLATED
    broken = {record.rule for record in conclusion.rules if record.verdict is Verdict.VIOLATED} or {MODEL}
    assert broken <= set(found.broken) <= broken | {MODEL}


def test_a_broken_rule_is_told_with_its_line_and_trace(tmp_path: Path) -> None:
    left(tmp_path / "evidence", IgnoresFences())
    where = audit(tmp_path / "evidence").broken["FENCE.2"]
    line = int(where.split()[1].rstrip(","))
    record = json.loads((tmp_path / "evidence" / "evidence.ndjson").read_text().splitlines()[line - 1])
    assert (record["kind"], record["trace"], record["cause"]["is"]) == ("step", "lockstep-0", "Publish")
    assert where.startswith(f"line {line}, trace lockstep-0: ")


def test_a_rule_that_was_reworded_since_is_suspect_and_leaves_no_pass(made: tuple[Path, Conclusion]) -> None:
    found = audit(made[0], book=reworded("FENCE.2"))
    assert set(found.suspects) == {"FENCE.2"}
    assert "reworded" in found.suspects["FENCE.2"]
    assert (found.findings, found.differences) == ((), ())
    (record,) = [record for record in found.conclusion.rules if record.rule == "FENCE.2"]
    assert record.verdict is Verdict.INCONCLUSIVE
    assert (found.conclusion.verdict, found.conclusion.level) == (Verdict.INCONCLUSIVE, Level.NONE)
    assert found.exit_code is ExitCode.INCONCLUSIVE


def test_a_rule_that_the_book_has_no_more_is_suspect(made: tuple[Path, Conclusion]) -> None:
    found = audit(made[0], book=without("FENCE.2"))
    assert found.suspects == {"FENCE.2": "the book of today has no rule of this id"}
    assert found.exit_code is ExitCode.INCONCLUSIVE
    assert "FENCE.2" in {record.rule for record in found.conclusion.rules}


def test_what_a_suspect_rule_finds_broken_is_not_made_better_by_that(tmp_path: Path) -> None:
    left(tmp_path / "evidence", IgnoresFences())
    assert audit(tmp_path / "evidence", book=reworded("FENCE.2")).exit_code is ExitCode.VIOLATED


Forge = Callable[[list[Record]], list[Record]]


@pytest.mark.parametrize(
    ("name", "forge"),
    [
        ("the whole", lambda records: records),
        ("FENCE.2", lambda records: with_verdict(records, "FENCE.2", verdict=Verdict.NOT_EXERCISED)),
        ("FENCE.2, exercised", lambda records: with_verdict(records, "FENCE.2", exercised={"lockstep": 1000})),
        ("FENCE.2, caught", lambda records: with_verdict(records, "FENCE.2", caught=("a dragon",))),
        ("steps in lockstep", lambda records: changed(records, "lockstep", steps=1_000_000)),
        ("Submit that was Refused", lambda records: changed(records, "lockstep", outcomes={"Submit": {"Refused": 1}})),
    ],
)
def test_evidence_that_was_forged_as_a_whole_contradicts_itself(
    name: str, forge: Forge, made: tuple[Path, Conclusion], tmp_path: Path
) -> None:
    """Written by the real writer, sealed anew: only judging it again can tell."""
    said = Verdict.NOT_EXERCISED if name == "the whole" else Verdict.HOLDS
    directory = written(tmp_path / "forged", forge(records_of(made[0])), said)
    found = audit(directory)
    assert found.findings == ()
    assert any(name in difference.about for difference in found.differences)
    assert found.exit_code is ExitCode.BROKEN


def test_a_story_of_success_about_steps_that_went_wrong_is_found(tmp_path: Path) -> None:
    left(tmp_path / "evidence", IgnoresFences())
    records = [record for record in records_of(tmp_path / "evidence") if record.kind not in {"story", "expectation"}]
    records = with_verdict(records, "FENCE.2", verdict=Verdict.HOLDS, violations=0)
    forged = written(tmp_path / "forged", changed(records, "lockstep", verdict=Verdict.HOLDS), Verdict.HOLDS)
    found = audit(forged)
    assert {"FENCE.2", "lockstep"} <= {difference.about for difference in found.differences}
    assert (found.conclusion.verdict, found.exit_code) == (Verdict.VIOLATED, ExitCode.BROKEN)


def test_of_another_version_a_difference_is_told_and_todays_verdict_counts(
    made: tuple[Path, Conclusion], tmp_path: Path
) -> None:
    records = changed(with_verdict(records_of(made[0]), "FENCE.2", exercised={}), "header", kit_version="0.0.9")
    found = audit(written(tmp_path / "older", records, Verdict.HOLDS))
    assert [difference.about for difference in found.differences] == ["FENCE.2, exercised"]
    assert found.exit_code is ExitCode.CONFORMANT


def test_a_step_that_is_wanting_in_its_trace_is_found_though_everything_else_was_made_to_fit(
    made: tuple[Path, Conclusion], tmp_path: Path
) -> None:
    records = [record for record in records_of(made[0]) if not is_step(record, 4)]
    found = audit(written(tmp_path / "forged", records, Verdict.HOLDS))
    assert "step 5 of a trace of which step 4 is wanting" in str(found.findings[0])
    assert found.exit_code is ExitCode.BROKEN


def test_a_run_that_was_cut_off_has_no_verdict(copied: Path) -> None:
    evidence = copied / "evidence.ndjson"
    evidence.write_bytes(evidence.read_bytes()[:-400])
    (copied / "manifest.json").unlink()
    found = audit(copied)
    assert {finding.file for finding in found.findings} == {"evidence.ndjson", "manifest.json"}
    assert "cut off" in " ".join(map(str, found.findings))
    assert found.conclusion.verdict is Verdict.INCONCLUSIVE


def test_no_evidence_at_all_is_told(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="expected an evidence directory"):
        audit(tmp_path)


def reworded(rule_id: str) -> Book:
    chapters = [
        replace(
            chapter,
            rules=[
                replace(rule, sentence="Otherwise.", digest="0" * 12) if rule.id == rule_id else rule
                for rule in chapter.rules
            ],
        )
        for chapter in BOOK.chapters
    ]
    return Book(tuple(chapters))


def without(rule_id: str) -> Book:
    return Book(
        tuple(
            replace(chapter, rules=[rule for rule in chapter.rules if rule.id != rule_id]) for chapter in BOOK.chapters
        )
    )


def records_of(directory: Path) -> list[Record]:
    return [record for record in EvidenceReader(directory) if record.kind != "footer"]


def written(directory: Path, records: list[Record], verdict: Verdict) -> Path:
    codes = {Verdict.HOLDS: ExitCode.CONFORMANT, Verdict.NOT_EXERCISED: ExitCode.INCONCLUSIVE}
    with EvidenceWriter(directory) as writer:
        for record in records:
            writer.write(record)
        writer.finish(verdict, Level.PARTIAL, codes[verdict])
        writer.seal()
    return directory


def changed(records: list[Record], kind: str, **update: object) -> list[Record]:
    return [record.model_copy(update=update) if record.kind == kind else record for record in records]


def with_verdict(records: list[Record], rule: str, **update: object) -> list[Record]:
    return [
        record.model_copy(update=update) if record.kind == "verdict" and record.rule == rule else record
        for record in records
    ]


def is_step(record: Record, number: int) -> bool:
    return isinstance(record, StepRecord) and record.number == number
