"""Failures are ranked by what they did, and each says what it did and what the model expected."""

from pathlib import Path

import pytest

from keepfact.conformance.harm import SENTENCES, Harm
from keepfact.conformance.verdicts import Level, Verdict
from keepfact.reports.html import render
from keepfact.reports.languages import CHINESE, ENGLISH, language
from keepfact.reports.markdown import render as in_markdown
from keepfact.reports.summary import Summary, summarize
from keepfact.spec.book import BOOK

from . import sample


@pytest.fixture
def told(tmp_path: Path) -> Summary:
    late = sample.story(
        trace="late", harm=Harm.REASON, model="it was refused (sealed)", lines=("A.", *["B."] * 30, "C.")
    )
    records = [
        *sample.everything_but_verdicts(),
        sample.lockstep().model_copy(update={"verdict": Verdict.VIOLATED, "steps": 8, "covered": 7}),
        late,
        sample.story(trace="overwritten", harm=Harm.END),
        *sample.verdicts(sample.verdict(sample.BROKEN, Verdict.VIOLATED, violations=2)),
    ]
    return summarize(sample.write(tmp_path, records, Verdict.VIOLATED, Level.NONE), BOOK)


def test_an_end_that_was_overwritten_is_told_before_a_wrong_reason(told: Summary) -> None:
    assert [story.trace for story in told.stories] == ["overwritten", "late"]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            ENGLISH,
            ("An end was overwritten", "only the reason is wrong", "it was refused (sealed)", "8 steps: 7 of 100"),
        ),
        (CHINESE, ("终态被覆盖", "只是理由不对", "被拒绝（sealed）", "模型的 100 类边中走到了 7 类")),
    ],
)
def test_a_page_says_the_harm_the_expectation_and_where_lockstep_stopped(
    code: str, said: tuple[str, ...], told: Summary
) -> None:
    page = render(told, code)
    assert [text for text in said if text not in page] == []
    assert page.count("<li>B.") + page.count('<li><span lang="en">B.') == 1
    assert "<b>× 30</b>" in page


@pytest.mark.parametrize("code", [ENGLISH, CHINESE])
def test_both_digests_stand_in_every_report(code: str, told: Summary) -> None:
    assert told.footer is not None
    for report in (render(told, code), in_markdown(told)):
        assert told.digest in report
        assert told.footer.digest in report


def test_the_summary_in_markdown_counts_each_rule_and_folds_equal_lines(told: Summary) -> None:
    text = in_markdown(told)
    assert "B. × 30" in text
    assert "| FENCE.2 | ❌ | 19,129 | 2 | model 18,204 |" in text


def test_every_harm_has_a_sentence_in_both_languages() -> None:
    assert set(SENTENCES) == set(Harm)
    assert [said for said in SENTENCES.values() if language(CHINESE).quoted(said) is None] == []
