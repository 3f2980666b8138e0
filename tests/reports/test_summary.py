"""A summary never says more than its evidence."""

from hashlib import sha256
from pathlib import Path

import pytest

from keepfact.conformance.evidence import EvidenceError, ExperimentRecord, LockstepRecord
from keepfact.conformance.verdicts import Level, Verdict
from keepfact.reports import Summary, reading, summarize
from keepfact.spec.book import BOOK, Book

from . import sample


def told(directory: Path) -> Summary:
    return summarize(directory, BOOK)


def verdict_of(summary: Summary, rule_id: str) -> Verdict:
    (finding,) = [finding for finding in summary.rules if finding.record.rule == rule_id]
    return finding.verdict


def test_green_evidence_keeps_all_rules(green: Path) -> None:
    summary = told(green)
    assert summary.answer == f"postgres keeps all {len(BOOK.rules)} rules."
    assert (summary.verdict, summary.level, summary.exit_code) == (Verdict.HOLDS, Level.FULL, 0)
    assert summary.counts[Verdict.HOLDS] == len(BOOK.rules)


def test_rules_stand_in_the_order_of_the_book(violated: Path) -> None:
    assert [finding.record.rule for finding in told(violated).rules] == [rule.id for rule in BOOK.rules]


def test_a_broken_rule_is_the_answer(violated: Path) -> None:
    summary = told(violated)
    assert summary.answer == f"postgres breaks 1 of {len(BOOK.rules)} rules."
    assert (summary.verdict, summary.level, summary.exit_code) == (Verdict.VIOLATED, Level.NONE, 1)
    assert {said: number for said, number in summary.counts.items() if said is not Verdict.HOLDS} == {
        Verdict.NOT_APPLICABLE: 1,
        Verdict.NOT_EXERCISED: 1,
        Verdict.INCONCLUSIVE: 1,
        Verdict.VIOLATED: 1,
    }


def test_evidence_without_a_footer_has_no_verdict(cut_off: Path) -> None:
    summary = told(cut_off)
    assert summary.answer == "The run was cut off: INCONCLUSIVE. It had already seen 1 failure."
    assert (summary.verdict, summary.level, summary.exit_code) == (Verdict.INCONCLUSIVE, Level.NONE, 3)
    assert {finding.verdict for finding in summary.rules} == {Verdict.INCONCLUSIVE}


def test_a_verdict_on_record_does_not_survive_a_missing_footer(green: Path) -> None:
    evidence = green / "evidence.ndjson"
    lines = evidence.read_bytes().splitlines(keepends=True)
    evidence.write_bytes(b"".join(lines[:-1]) + lines[-1][:40])
    summary = told(green)
    assert summary.verdict is Verdict.INCONCLUSIVE
    assert summary.counts[Verdict.HOLDS] == 0


def test_evidence_that_was_changed_has_no_verdict(violated: Path) -> None:
    evidence = violated / "evidence.ndjson"
    evidence.write_bytes(evidence.read_bytes().replace(b'"verdict":"VIOLATED"', b'"verdict":"HOLDS"'))
    summary = told(violated)
    assert summary.answer == "The evidence is not what was written: INCONCLUSIVE."
    assert (summary.verdict, summary.counts[Verdict.HOLDS]) == (Verdict.INCONCLUSIVE, 0)


def test_evidence_with_a_line_after_its_footer_has_no_verdict(green: Path) -> None:
    with (green / "evidence.ndjson").open("ab") as evidence:
        evidence.write(sample.scope("one_more").model_dump_json().encode() + b"\n")
    assert told(green).verdict is Verdict.INCONCLUSIVE


def test_a_reworded_rule_makes_its_evidence_suspect(tmp_path: Path) -> None:
    old = sample.verdict("FENCE.1", digest="0123456789ab", sentence="Fences grow.")
    summary = told(sample.write(tmp_path / "old", sample.verdicts(old)))
    (finding,) = [finding for finding in summary.rules if finding.suspect]
    assert finding.record.rule == "FENCE.1"
    assert BOOK.rule("FENCE.1").sentence in finding.doubt
    assert (finding.verdict, summary.verdict) == (Verdict.INCONCLUSIVE, Verdict.INCONCLUSIVE)


def test_a_rule_that_was_broken_stays_broken_when_it_is_reworded(tmp_path: Path) -> None:
    old = sample.verdict("FENCE.1", Verdict.VIOLATED, digest="0123456789ab")
    summary = told(sample.write(tmp_path / "old", sample.verdicts(old), Verdict.VIOLATED, Level.NONE))
    assert verdict_of(summary, "FENCE.1") is Verdict.VIOLATED


def test_evidence_for_a_retired_rule_is_suspect(green: Path) -> None:
    shorter = Book(tuple(chapter for chapter in BOOK.chapters if chapter.name != "COST"))
    summary = summarize(green, shorter)
    assert {finding.record.chapter for finding in summary.rules if finding.suspect} == {"COST"}


def test_a_rule_that_the_evidence_is_silent_about_was_not_exercised(tmp_path: Path) -> None:
    records = [record for record in sample.verdicts() if record.rule != "COST.3"]
    summary = told(sample.write(tmp_path / "silent", records))
    assert verdict_of(summary, "COST.3") is Verdict.NOT_EXERCISED
    assert (summary.verdict, summary.level, summary.exit_code) == (Verdict.NOT_EXERCISED, Level.PARTIAL, 3)
    assert f"1 of {len(BOOK.rules)} rules was never put to the test" in summary.answer


def test_a_rule_that_met_nothing_does_not_hold(tmp_path: Path) -> None:
    records = sample.verdicts(sample.verdict("COST.3", exercised={"lockstep": 0}))
    assert verdict_of(told(sample.write(tmp_path / "empty", records)), "COST.3") is Verdict.NOT_EXERCISED


def test_a_rule_that_does_not_apply_lowers_the_level(tmp_path: Path) -> None:
    skipped = sample.verdict("HISTORY.3", Verdict.NOT_APPLICABLE, reason="It keeps no history.", exercised={})
    summary = told(sample.write(tmp_path / "partial", sample.verdicts(skipped)))
    assert summary.answer == f"postgres keeps the {len(BOOK.rules) - 1} rules that apply to it."
    assert (summary.verdict, summary.level) == (Verdict.HOLDS, Level.PARTIAL)


def test_the_footer_cannot_say_less_than_the_rules(tmp_path: Path) -> None:
    broken = sample.verdicts(sample.verdict("FENCE.1", Verdict.VIOLATED))
    summary = told(sample.write(tmp_path / "lie", broken, Verdict.HOLDS, Level.FULL))
    assert (summary.verdict, summary.level, summary.exit_code) == (Verdict.VIOLATED, Level.NONE, 1)


def test_an_experiment_that_delivered_nothing_shows_nothing(tmp_path: Path) -> None:
    idle = ExperimentRecord(name="idle", fault="none", seams=("a",), runs=1, delivered=0, verdict=Verdict.HOLDS)
    summary = told(sample.write(tmp_path / "idle", [idle, *sample.verdicts()]))
    assert summary.parts == {"experiment idle": Verdict.INCONCLUSIVE}
    assert summary.answer == "postgres was not seen to break a rule, but experiment idle was undecided."


def test_an_experiment_that_was_cut_off_keeps_its_faults(cut_off: Path) -> None:
    (experiment,) = told(cut_off).experiments
    assert experiment.record is None
    assert experiment.faults
    assert experiment.verdict is Verdict.INCONCLUSIVE


def test_a_model_that_is_not_the_pinned_one_is_named(tmp_path: Path) -> None:
    summary = told(sample.write(tmp_path / "scope", [sample.scope(states=7, pinned=8), *sample.verdicts()]))
    assert summary.verdict is Verdict.VIOLATED
    assert "scope two_workers_one_run was violated" in summary.answer


def test_every_lockstep_run_counts(tmp_path: Path) -> None:
    lost = LockstepRecord(
        traces=1, steps=1, outcomes={}, covered=0, reachable=1, beyond=0, verdict=Verdict.INCONCLUSIVE
    )
    summary = told(sample.write(tmp_path / "two", [sample.lockstep(), lost, *sample.verdicts()]))
    assert summary.parts["lockstep"] is Verdict.INCONCLUSIVE


def test_a_rule_without_a_defect_that_it_catches_is_named_as_not_shown(tmp_path: Path) -> None:
    records = sample.verdicts(sample.verdict("EFFECT.4", caught=()))
    assert any("EFFECT.4" in text for text in told(sample.write(tmp_path / "unproven", records)).not_shown)


def test_green_evidence_names_only_what_the_run_names_as_not_shown(green: Path) -> None:
    assert told(green).not_shown == tuple(record.text for record in sample.not_shown())


def test_marks_belong_to_the_experiment_of_their_trace(green: Path) -> None:
    summary = told(green)
    assert {trace.experiment for trace in summary.traces} == {"model_returned_then_killed", "worker_outlived_its_lease"}
    assert all(trace.name.startswith(str(trace.experiment)) for trace in summary.traces)


def test_steps_are_counted(green: Path) -> None:
    assert told(green).steps == 5


def test_a_directory_without_evidence_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="expected an evidence directory"):
        told(tmp_path)


def test_of_very_many_pictures_some_are_kept_and_those_that_stories_tell_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stories come after the marks of their traces."""
    monkeypatch.setattr(reading, "TRACES_MAX", 2)
    monkeypatch.setattr(reading, "MARKS_MAX", 3)
    marks = [mark for number in range(6) for mark in sample.marks(f"trace-{number}")]
    directory = sample.write(tmp_path / "long", [*marks, sample.story(trace="trace-4"), *sample.verdicts()])
    summary = summarize(directory, BOOK)
    assert [(trace.name, len(trace.marks)) for trace in summary.traces] == [
        ("trace-0", 3),
        ("trace-1", 3),
        ("trace-4", 3),
    ]
    assert summary.traces_left_out == 6  # of three traces all marks, of three some


def test_the_digest_is_that_of_the_file(green: Path) -> None:
    assert summarize(green, BOOK).digest == sha256((green / "evidence.ndjson").read_bytes()).hexdigest()
