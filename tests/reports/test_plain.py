"""Marks in plain words, for readers who do not know the code."""

import pytest

from keepfact.conformance.evidence import MarkRecord
from keepfact.reports.languages import CHINESE, ENGLISH, language
from keepfact.reports.plain import in_plain_words


def told(lane: str, shape: str, text: str, code: str = ENGLISH) -> str:
    return in_plain_words(MarkRecord(trace="t", lane=lane, at_ms=0, shape=shape, text=text), language(code)).long


@pytest.mark.parametrize(
    ("lane", "shape", "text", "english", "chinese"),
    [
        (
            "database",
            "commit",
            "event 4 by work: lost t:attempt:1",
            "what became of attempt 1",
            "第 1 次模型请求结果如何",
        ),
        ("tool", "answer", "tool cut t:operation:1: reset", "connection of operation 1 is reset", "操作 1的连接被重置"),
        (
            "worker",
            "kill",
            "SIGKILL: process 7 was alive",
            "killed by SIGKILL (process 7 was alive)",
            "被 SIGKILL 杀死",
        ),
        ("model", "commit", "model acted t:attempt:1, 3 cents: completes", "costs 3 cents", "花费 3 分"),
    ],
)
def test_a_mark_is_told_in_both_languages(lane: str, shape: str, text: str, english: str, chinese: str) -> None:
    assert english in told(lane, shape, text)
    assert chinese in told(lane, shape, text, CHINESE)


def test_a_mark_that_nobody_foresaw_is_quoted() -> None:
    mark = MarkRecord(trace="t", lane="moon", at_ms=0, shape="comet", text="{0} passes")
    plain = in_plain_words(mark, language(CHINESE))
    assert (plain.short, plain.long, plain.is_ours) == ("comet", "{0} passes", False)


def test_what_evidence_says_fills_no_form() -> None:
    assert "({proof.__class__})" in told("worker", "kill", "SIGKILL: {proof.__class__}")


def test_a_mark_of_ten_million_characters_is_told_at_once() -> None:
    assert len(told("worker", "kill", "SIGKILL: " + "x" * 10_000_000)) < 2000
