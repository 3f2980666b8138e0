"""The page says what the evidence says, and nothing in the evidence can make it do more."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest

from keepfact.conformance.evidence import ExperimentRecord, FaultRecord, Record, WrittenRecord
from keepfact.conformance.verdicts import Verdict
from keepfact.reports import write
from keepfact.spec.book import BOOK

from . import sample
from .hostile_sample import hostile as hostile_of
from .page import by_id, page_of, parse, words

KINDS = pytest.mark.parametrize("make", [sample.green, sample.violated, sample.cut_off, hostile_of])


def cells(table: Element) -> dict[str, dict[str, str]]:
    """The table's words by row header and column header."""
    columns = [words(header) for header in table.findall("thead/tr/th")][1:]
    return {
        words(row.findall("th")[0]): dict(zip(columns, map(words, row.findall("td")), strict=True))
        for row in table.findall("tbody/tr")
    }


@KINDS
def test_the_page_needs_nothing_from_elsewhere(make: Callable[[Path], Path], tmp_path: Path) -> None:
    page = page_of(make(tmp_path / "evidence"))
    assert not list(page.iter("script"))
    assert all(
        value.startswith(("#", "data:")) or value == "report.zh.html"
        for element in page.iter()
        for name, value in element.items()
        if name in {"href", "src", "srcset", "action", "data", "xlink:href"}
    )
    assert "@import" not in words(next(page.iter("style")))
    assert "url(" not in words(next(page.iter("style")))


@KINDS
def test_every_link_leads_to_one_place_on_the_page(make: Callable[[Path], Path], tmp_path: Path) -> None:
    page = page_of(make(tmp_path / "evidence"))
    ids = Counter(value for element in page.iter() if (value := element.get("id")))
    assert [name for name, number in ids.items() if number > 1] == []
    links = [element.get("href", "") for element in page.iter() if element.get("href", "").startswith("#")]
    assert links
    assert [link for link in links if link[1:] not in ids] == []


@KINDS
def test_tables_and_pictures_can_be_read_without_seeing_them(make: Callable[[Path], Path], tmp_path: Path) -> None:
    page = page_of(make(tmp_path / "evidence"))
    assert all(header.get("scope") in {"row", "col"} for header in page.iter("th"))
    assert all(table.find("caption") is not None for table in page.iter("table"))
    for picture in (svg for svg in page.iter("svg") if svg.get("role") == "img"):
        assert words(picture.find("title") or picture.findall("title")[0])
        assert words(picture.findall("desc")[0])
    assert all(svg.get("role") == "img" or svg.get("aria-hidden") == "true" for svg in page.iter("svg"))


def test_the_answer_comes_first(violated: Path) -> None:
    page = page_of(violated)
    sections = [section.get("id") for section in page.findall("body/div/main/section")]
    assert sections == [
        "answer",
        "questions",
        "stories",
        "matrix",
        "rules",
        "experiments",
        "authority",
        "lockstep",
        "model",
        "reproduce",
        "bounds",
    ]
    answer = words(by_id(page, "answer"))
    assert f"postgres breaks 1 of {len(BOOK.rules)} rules." in answer
    assert "Level of conformance: none" in answer
    assert "Unresolved: 3" in answer
    assert "ENTRY.6 The checker ran out of its 60 seconds." in answer
    assert "INCONCLUSIVE experiment tool submitted then cut" in answer
    assert "Pairs of faults: a second kill during recovery was not tried in this profile." in answer


def test_every_rule_says_its_sentence_and_its_verdict_in_words(violated: Path) -> None:
    page = page_of(violated)
    for rule in BOOK.rules:
        sentence = by_id(page, f"rule-{rule.id}").findall("div/p")[0]
        assert "".join(sentence.itertext()) == rule.sentence.replace("`", "")
    assert "VIOLATED" in words(by_id(page, f"rule-{sample.BROKEN}"))
    assert "3 violations." in words(by_id(page, f"rule-{sample.BROKEN}"))
    assert "NOT APPLICABLE" in words(by_id(page, "rule-HISTORY.3"))
    assert "The system declares that it keeps no history." in words(by_id(page, "rule-HISTORY.3"))
    assert "no defect on record" in words(by_id(page, "rule-EFFECT.4"))
    fence = words(by_id(page, "rule-FENCE.1"))
    assert "model 18,204 lockstep 911 model returned then killed 14" in fence
    assert "every_grant_has_a_higher_fence_is_ignored" in fence


def test_faults_are_counted_by_seam_and_side(violated: Path) -> None:
    experiment = by_id(page_of(violated), "experiment-tool_submitted_then_cut")
    table = cells(next(experiment.iter("table")))
    assert table["5 tool asked"] == {"before": "● 1 of 1", "after": "● 1 of 1"}
    assert table["6 tool acted"]["after"] == "◌ 0 of 1 delivered"
    assert table["7 outcome committed"]["after"] == "not struck"
    assert "died of signal 9" in words(experiment)


def test_seams_of_one_name_stay_apart(tmp_path: Path) -> None:
    struck = FaultRecord(experiment="e", trace="t", seam="3 commit", side="before", delivered=True, proof="signal 9")
    seams = ("commit", "send", "commit")
    concluded = ExperimentRecord(name="e", fault="f", seams=seams, runs=1, delivered=1, verdict=Verdict.HOLDS)
    page = page_of(sample.write(tmp_path / "evidence", [struck, concluded, *sample.verdicts()]))
    assert cells(next(by_id(page, "experiment-e").iter("table"))) == {
        "1 commit": {"before": "not struck"},
        "2 send": {"before": "not struck"},
        "3 commit": {"before": "● 1 of 1"},
    }


def test_what_the_log_shows_is_told_by_entry_point_with_what_is_not_allowed(tmp_path: Path) -> None:
    written = WrittenRecord(
        experiment="e",
        transactions=3,
        of_the_harness=1,
        rows={"work": {"insert events": 2, "update runs": 1}},
        objections=("transaction 7: work did delete runs (r), which it may not",),
        verdict=Verdict.VIOLATED,
    )
    concluded = ExperimentRecord(name="e", fault="f", seams=("a",), runs=1, delivered=1, verdict=Verdict.VIOLATED)
    told = words(by_id(page_of(sample.write(tmp_path / "evidence", [written, concluded])), "experiment-e"))
    assert "What the write-ahead log shows (3 transactions)" in told
    assert "signed by work: 2 × insert events, 1 × update runs" in told
    assert "not allowed · transaction 7: work did delete runs (r), which it may not" in told


def test_a_timeline_says_the_same_in_words(green: Path) -> None:
    experiment = by_id(page_of(green), "experiment-model_returned_then_killed")
    figures = list(experiment.iter("figure"))
    assert figures
    for figure in figures:
        drawn = [use.get("href") for use in figure.findall("div/svg/g/use")]
        told = [item.find("svg/use").get("href") for item in figure.iter("li")]  # type: ignore[union-attr]  # each has one
        assert drawn == told
        assert "#mark-kill" in drawn
        assert "SIGKILL to worker 4104, which was alive" in words(figure.findall("details")[0])


def test_a_trace_that_is_told_is_drawn_in_its_story_only(violated: Path) -> None:
    page = page_of(violated)
    told = "worker_outlived_its_lease/5"
    captions = [words(caption) for caption in page.iter("figcaption")]
    assert captions.count(f"Trace {told}") == 1
    assert f"Trace {told}" in words(by_id(page, "story-1"))
    assert "told and drawn in story 1" in words(by_id(page, "experiment-worker_outlived_its_lease"))


def test_lockstep_counts_every_pair_of_command_and_outcome(green: Path) -> None:
    record = sample.lockstep()
    table = cells(next(by_id(page_of(green), "lockstep").iter("table")))
    for command, outcomes in record.outcomes.items():
        column = {
            row: int(found[key]) for row, found in table.items() for key in found if key.replace(" ", "") == command
        }
        seen = {row.replace(" ", "_").replace(":_", ": "): number for row, number in column.items() if number}
        assert seen == {outcome: number for outcome, number in outcomes.items() if number}


def test_the_model_says_what_is_pinned_and_which_defects_survive(tmp_path: Path) -> None:
    survivor = sample.defects()[0].model_copy(update={"killed_by": ()})
    records: list[Record] = [sample.scope(states=7, pinned=8), survivor, *sample.verdicts()]
    model = words(by_id(page_of(sample.write(tmp_path / "evidence", records)), "model"))
    assert "7 ≠ 8 pinned" in model
    assert "63 ≠ 72 pinned" in model
    assert "survived: no rule noticed" in model


def test_a_story_is_told_line_by_line_with_its_replay(violated: Path) -> None:
    story = by_id(page_of(violated), "story-1")
    assert tuple(words(line) for line in story.findall("ol/li")) == sample.story().lines
    assert "Expected Refused(stale_fence), and nothing changes." in words(story)
    assert "Seen Done; o1 went from unknown to confirmed" in words(story)
    assert [words(code) for code in story.findall("pre/code")] == [f"python -m pytest {sample.story().replay}"]


def test_a_replay_is_quoted_for_the_shell(hostile: Path) -> None:
    (command,) = by_id(page_of(hostile), "story-1").findall("pre/code")
    assert words(command).startswith("python -m pytest 'a b; <script>")


def test_it_can_be_reproduced_from_the_page(green: Path) -> None:
    part = words(by_id(page_of(green), "reproduce"))
    for fact in (sample.header().command, "seed 4711", "PostgreSQL 18.6", "cpus 2", BOOK.digest):
        assert fact in part


def test_a_run_that_was_cut_off_never_looks_green(cut_off: Path) -> None:
    page = page_of(cut_off)
    assert "The run was cut off: INCONCLUSIVE." in words(by_id(page, "answer"))
    assert "0 HOLDS" in words(by_id(page, "answer"))
    badges = [words(badge) for badge in by_id(page, "rules").iter("span") if "badge" in badge.get("class", "")]
    assert badges == ["INCONCLUSIVE"] * len(BOOK.rules)
    assert "cut off before this experiment was concluded" in words(by_id(page, "experiments"))


def test_suspect_evidence_is_marked_with_what_the_rule_says_today(tmp_path: Path) -> None:
    old = sample.verdict("FENCE.1", digest="0123456789ab", sentence="Fences grow.")
    page = page_of(sample.write(tmp_path / "evidence", sample.verdicts(old)))
    article = words(by_id(page, "rule-FENCE.1"))
    assert "suspect" in article
    assert "Fences grow." in article
    assert "On record: HOLDS." in article
    assert BOOK.rule("FENCE.1").sentence in article
    assert "1 rule was reworded or retired since" in words(by_id(page, "answer"))


def test_hostile_text_shows_as_text_and_adds_nothing(hostile: Path) -> None:
    page = page_of(hostile)
    assert not list(page.iter("script"))
    assert not [name for element in page.iter() for name, _ in element.items() if name.startswith("on")]
    everything = words(page)
    shown = "<script>alert(1)</script>⟨U+001B⟩[31mred⟨U+001B⟩[0m ⟨U+202E⟩gnp.exe⟨U+202C⟩ nul:⟨U+0000⟩"
    for place in ("answer", "rules", "experiments", "lockstep", "model", "stories", "reproduce", "matrix", "authority"):
        assert shown in words(by_id(page, place)), place
    assert "{{ 7*7 }}" in everything
    assert "&amp; {{" in everything


def test_no_control_character_reaches_the_page(hostile: Path) -> None:
    (path,) = write(hostile, ["html"], languages=["en"])
    text = path.read_text(encoding="utf-8")
    assert not [character for character in text if ord(character) < 32 and character != "\n"]
    assert not {"\u202e", "\u202c"} & set(text)


def test_very_long_text_is_cut_visibly(hostile: Path) -> None:
    assert "more characters" in words(by_id(page_of(hostile), "story-1").findall("dl")[0])
    (path,) = write(hostile, ["html"], languages=["en"])
    assert path.stat().st_size < 300_000


def test_a_word_between_backticks_is_code_and_no_more(tmp_path: Path) -> None:
    rule = sample.verdict("SETTLE.5", sentence="`succeeded` needs `<b>bold</b>`")
    article = by_id(page_of(sample.write(tmp_path / "evidence", sample.verdicts(rule))), "rule-SETTLE.5")
    assert [words(code) for code in article.findall("div/p/code")] == ["succeeded", "<b>bold</b>"]


def test_the_tree_of_these_tests_notices_tags_that_do_not_fit() -> None:
    with pytest.raises(AssertionError):
        parse("<div><p></div></p>")


def test_commands_that_met_are_counted_on_the_page(tmp_path: Path) -> None:
    said = words(by_id(page_of(sample.green(tmp_path / "green")), "lockstep"))
    assert "204 meetings of two commands" in said
    assert "Of 488 pairs of commands that can meet, 20 did" in said
    assert "36 races" in said
