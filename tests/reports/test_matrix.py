"""Which rule was tested where, and who wrote what, counted from evidence."""

from pathlib import Path

import pytest

from keepfact.conformance.evidence import MarkRecord, Record, WrittenRecord
from keepfact.conformance.verdicts import Verdict
from keepfact.reports.authority import authority
from keepfact.reports.matrix import matrix, short
from keepfact.reports.questions import questions
from keepfact.reports.summary import Summary, summarize
from keepfact.spec.book import BOOK

from . import sample
from .page import by_id, page_of, words


def summary_of(directory: Path, *records: Record) -> Summary:
    return summarize(sample.write(directory, [*records, *sample.verdicts()]), BOOK)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, ""),
        (7, "7"),
        (999, "999"),
        (1_000, "1.0k"),
        (9_949, "9.9k"),
        (18_204, "18k"),
        (999_499, "999k"),
        (2_000_000, "2.0M"),
    ],
)
def test_numbers_are_at_most_four_characters(number: int, said: str) -> None:
    assert short(number) == said


def test_every_rule_has_a_row_and_every_part_that_tested_one_a_column(green: Path) -> None:
    table = matrix(summarize(green, BOOK))
    assert [row.finding.record.rule for row in table.rows] == [rule.id for rule in BOOK.rules]
    assert table.parts == ("model", "lockstep", "model_returned_then_killed")
    assert table.tested == (100, 100, 100)
    assert table.rows[0].times == (18_204, 911, 14)


def test_edges_of_the_model_count_where_the_verdict_does_not_name_them(tmp_path: Path) -> None:
    only = sample.verdict("FENCE.1", exercised={"lockstep": 3})
    table = matrix(summarize(sample.write(tmp_path / "e", [sample.scope(), *sample.verdicts(only)]), BOOK))
    (row,) = [row for row in table.rows if row.finding.record.rule == "FENCE.1"]
    assert dict(zip(table.parts, row.times, strict=True))["model"] == sample.scope().checked["FENCE.1"]


def test_an_empty_cell_is_no_number_on_the_page(tmp_path: Path) -> None:
    only = sample.verdict("FENCE.1", exercised={"lockstep": 3})
    page = by_id(page_of(sample.write(tmp_path / "e", sample.verdicts(only))), "matrix")
    (row,) = [row for row in page.iter("tr") if words(row).startswith("FENCE.1 ")]
    assert [words(cell) for cell in row.findall("td")] == ["HOLDS", "", "3", "", "1"]


def test_who_wrote_is_held_against_the_authority_table(tmp_path: Path) -> None:
    marks = [
        MarkRecord(trace="t", lane="database", at_ms=0, shape="commit", text=f"event {number} by {said}")
        for number, said in enumerate(("submit: admitted", "submit: granted", "stranger: ended"), 1)
    ]
    written = WrittenRecord(
        experiment="e",
        transactions=2,
        of_the_harness=0,
        rows={"submit": {"insert runs": 2}},
        objections=("transaction 7: submit did update calls (c), which it may not",),
        verdict=Verdict.VIOLATED,
    )
    concluded = sample.experiment("e")[-1]
    found = authority(summary_of(tmp_path / "e", *marks, written, concluded))
    doors = {door.name: door for door in found.doors}
    assert doors["submit"].may == ("admitted",)
    assert doors["submit"].seen == {"admitted": 1, "granted": 1}
    assert doors["submit"].not_allowed == ("granted",)
    assert doors["stranger"].not_allowed == ("ended",)
    assert doors["submit"].rows == {"insert runs": 2}
    assert doors["observe"].not_allowed == ()
    assert (found.transactions, found.experiments, len(found.objections)) == (2, 1, 1)


def test_the_life_of_a_run_counts_only_what_one_door_does(tmp_path: Path) -> None:
    marks = [
        MarkRecord(trace="t", lane="database", at_ms=0, shape="commit", text=f"event {number} by {said}")
        for number, said in enumerate(("work: granted", "work: granted", "wake: granted", "work: ended"), 1)
    ]
    model = by_id(page_of(sample.write(tmp_path / "e", [sample.scope(), *marks, *sample.verdicts()])), "model")
    moves = [words(text) for text in model.iter("text") if text.get("class") == "move-name"]
    assert moves.count("granted 2×") == moves.count("granted 1×") == 1
    assert "ended" in moves


def test_an_auditors_questions_are_answered_with_numbers(violated: Path) -> None:
    asked = questions(summarize(violated, BOOK))
    assert (asked.held, asked.applicable) == (96, 99)
    assert asked.unproven == ("EFFECT.4",)
    assert (asked.delivered, asked.meant) == (38, 39)
    said = words(by_id(page_of(violated), "questions"))
    assert "1 rule never came up" in said
    assert "1 of 39 faults that were tried did not strike" in said
    assert "Without a defect on record: EFFECT.4" in said
    assert "2 failures are told" in said


def test_the_page_says_how_to_see_that_it_is_unaltered(green: Path) -> None:
    page = page_of(green)
    assert "keepfact audit DIR" in words(by_id(page, "questions"))
    assert "manifest.sig" in words(by_id(page, "reproduce"))
