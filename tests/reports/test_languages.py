"""Both pages say the same, and a sentence that changed is not passed off as translated."""

import re
from pathlib import Path

import pytest
from jinja2 import nodes

from keepfact.reports.html import environment
from keepfact.reports.languages import CHINESE, ENGLISH, FOLDER, language
from keepfact.spec.book import BOOK

from . import sample
from .page import by_id, page_of, words

PAGES = Path(FOLDER).parent / "pages"
ON_THE_FIELD = {"field.html"}
"""A page of its own, in English."""


def calls(name: str) -> set[str]:
    """The first or second words of ours that templates give to `say` or `counted`."""
    place = {"say": 0, "counted": 1}[name]
    found = set()
    for path in set(PAGES.glob("*.html")) - {PAGES / other for other in ON_THE_FIELD}:
        for call in environment().parse(path.read_text(encoding="utf-8")).find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == name and len(call.args) > place:
                said = call.args[place]
                assert isinstance(said, nodes.Const | nodes.Call), f"{path.name}: {name} needs words of ours"
                found |= {said.value} if isinstance(said, nodes.Const) else set()
    return found


def test_all_that_templates_say_is_said_in_chinese_and_nothing_else_is() -> None:
    assert set(language(CHINESE).page) == calls("say")
    assert calls("counted") <= set(language(CHINESE).nouns)


def test_translations_have_the_same_values_and_tags() -> None:
    for english, chinese in language(CHINESE).page.items():
        for mark in (r"\{\w+\}", r"</?\w+[^>]*>"):
            assert sorted(re.findall(mark, english)) == sorted(re.findall(mark, chinese)), english


def test_every_rule_is_translated_as_it_stands_today() -> None:
    assert set(language(CHINESE).sentences) == {f"{rule.id}@{rule.digest}" for rule in BOOK.rules}


def test_translations_keep_what_is_code() -> None:
    for rule in BOOK.rules:
        chinese = language(CHINESE).sentence(rule.id, rule.digest) or ""
        assert sorted(re.findall("`.+?`", rule.sentence)) == sorted(re.findall("`.+?`", chinese)), rule.id


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (r"\bleases?\b", "租约"),
        (r"\bfences?\b", "令牌"),
        (r"\bseal(s|ed)?\b", "封存"),
        (r"\bevidence\b", "证据"),
        (r"\bbudget\b", "预算"),
        (r"\bcheckpoints?\b", "检查点"),
        (r"\bbundles?\b", "程序包"),
        (r"\btenants?\b", "租户"),
        (r"\bdigests?\b", "摘要"),
        (r"\bwakes?\b", "唤醒"),
        (r"\bdispatch", "派发"),
        (r"\bunresolved\b", "未决"),
        (r"\bpublications?\b", "发布"),
    ],
)
def test_a_term_of_the_field_is_one_word_everywhere(english: str, chinese: str) -> None:
    using = [rule for rule in BOOK.rules if re.search(english, rule.sentence)]
    assert using
    said = {rule.id: language(CHINESE).sentence(rule.id, rule.digest) or "" for rule in using}
    assert [rule for rule, sentence in said.items() if chinese not in sentence] == []


def test_a_sentence_that_changed_shows_as_untranslated(tmp_path: Path) -> None:
    old = sample.verdict("FENCE.1", digest="0123456789ab", sentence="Fences grow.")
    page = page_of(sample.write(tmp_path / "evidence", sample.verdicts(old)), CHINESE)
    assert "Fences grow. 未翻译" in words(by_id(page, "rule-FENCE.1"))
    assert "未翻译" not in words(by_id(page, "rule-FENCE.2"))


def test_the_chinese_page_speaks_chinese_and_keeps_the_book_as_it_is(violated: Path) -> None:
    page = page_of(violated, CHINESE)
    assert page.get("lang") == "zh"
    answer = words(by_id(page, "answer"))
    assert "postgres 违反了 100 条规则中的 1 条。" in answer
    assert "未决： 3" in answer
    rule = by_id(page, f"rule-{sample.BROKEN}")
    assert "凭旧令牌的写入以此为由被拒绝" in words(rule)
    (original,) = [text for text in rule.iter("p") if text.get("lang") == "en"]
    assert words(original) == BOOK.rule(sample.BROKEN).sentence


def test_what_evidence_quotes_is_marked_as_english(violated: Path) -> None:
    story = by_id(page_of(violated, CHINESE), "story-1")
    quoted = [span for span in story.iter("span") if span.get("lang") == "en"]
    assert sample.story().lines[3] in [words(span) for span in quoted]


@pytest.mark.parametrize(("code", "other"), [(ENGLISH, "report.zh.html"), (CHINESE, "report.html")])
def test_each_page_leads_to_the_other(code: str, other: str, green: Path) -> None:
    beside = [link.get("href") for link in page_of(green, code).iter("a") if link.get("hreflang")]
    assert beside == [other]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (sample.green, "postgres 遵守全部 100 条规则。"),
        (sample.cut_off, "本次运行中途中断：无法判定。此前已看到 1 次失败。"),
    ],
)
def test_the_answer_is_one_sentence_in_chinese(make, said: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]  # what sample makes
    assert words(by_id(page_of(make(tmp_path / "evidence"), CHINESE), "answer-title")) == said


def test_sentences_of_the_kit_with_numbers_in_them_are_known() -> None:
    chinese = language(CHINESE)
    assert chinese.quoted("468 of 488 pairs of commands did not meet.") == "488 对命令中有 468 对没有相遇。"
    assert chinese.quoted("468 of 488 pairs of commands did meet.") is None
    assert chinese.quoted("x" * 10_000_000) is None


def test_a_sentence_of_the_book_that_a_story_quotes_is_translated() -> None:
    rule = BOOK.rule("COST.3")
    assert language(CHINESE).quoted(rule.sentence) == language(CHINESE).sentence(rule.id, rule.digest)


def test_values_are_text_whatever_is_in_them() -> None:
    said = language(ENGLISH).say("signed by {door}:", door="<b>{0.__class__}\x1b")
    assert said == "signed by &lt;b&gt;{0.__class__}⟨U+001B⟩:"
