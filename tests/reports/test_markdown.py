"""Markdown says the answer first, and text from outside is text, whatever it would mean there."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from keepfact.reports import write
from keepfact.reports.markdown import code, prose

from . import sample
from .hostile_sample import hostile as hostile_of

SUMMARY_BYTES_MAX = 1024 * 1024
"""What GitHub takes as the summary of a step."""


def markdown_of(directory: Path) -> str:
    (path,) = write(directory, ["markdown"])
    return path.read_text(encoding="utf-8")


def page_of(markdown: str) -> str:
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)


def text_of(markdown: str) -> str:
    """What a reader sees."""
    shown = re.sub(r"<[^>]*>", "", page_of(markdown))
    for entity, character in {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&"}.items():
        shown = shown.replace(entity, character)
    return shown.strip()


def test_the_answer_comes_first(green: Path, violated: Path) -> None:
    assert markdown_of(green).startswith("## ✅ keepfact: HOLDS\n\n**postgres keeps all 100 rules.**")
    assert markdown_of(violated).startswith("## ❌ keepfact: VIOLATED\n\n**postgres breaks 1 of 100 rules.**")


def test_a_broken_rule_is_named_and_told(violated: Path) -> None:
    shown = text_of(markdown_of(violated))
    assert "FENCE.2" in shown
    assert "How FENCE.2 was broken" in shown
    assert "w1 went on and recorded the answer of o1 under fence 1: Done." in shown
    assert "Expected: Refused(stale_fence), and nothing changes." in shown
    assert "pytest replays/test_fence_2_a_sleeper_writes.py" in shown


def test_what_is_undecided_and_what_was_not_shown_is_said(violated: Path) -> None:
    shown = text_of(markdown_of(violated))
    assert "COST.7. No amount was above its ceiling." in shown
    assert "Pairs of faults: a second kill during recovery was not tried in this profile." in shown


def test_a_run_that_was_cut_off_is_no_pass(cut_off: Path) -> None:
    assert markdown_of(cut_off).startswith("## ❔ keepfact: INCONCLUSIVE")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "</code></details><img src=x onerror=alert(1)>",
        "*bold* _too_ **more** `code` ~~gone~~ $x$",
        "[a link](http://example.com) ![picture](x)",
        "a | b || c",
        "# heading",
        "&lt;&amp;&#64;",
        "@everybody #1 http://example.com www.example.com a@b.c",
        "\\*not\\*",
        "1. one - two + three",
    ],
)
def test_text_shows_as_what_it_is(text: str) -> None:
    for write_it in (prose, code):
        shown = f"before {write_it(text)} after"
        assert text_of(shown) == f"before {text} after"
        assert set(re.findall(r"</?(\w+)", page_of(shown))) <= {"p", "code"}
        cell = f"| a | b |\n| --- | --- |\n| {write_it(text)} | x |"
        assert page_of(cell).count("<td>") == 2


def test_nobody_is_mentioned_and_nothing_linked_outside_of_code() -> None:
    for text in ("@everybody", "see #1", "http://example.com", "www.example.com"):
        assert prose(text) == code(text)


@pytest.mark.parametrize("make", [sample.green, sample.violated, sample.cut_off, hostile_of])
def test_nothing_but_our_own_tags_is_in_it(make: Callable[[Path], Path], tmp_path: Path) -> None:
    markdown = markdown_of(make(tmp_path / "evidence"))
    assert set(re.findall(r"</?(\w+)", markdown)) <= {"details", "summary", "code"}
    assert not [character for character in markdown if ord(character) < 32 and character != "\n"]
    assert not set("\u202e\u2066\ud800") & set(markdown)
    assert len(markdown.encode()) < SUMMARY_BYTES_MAX
