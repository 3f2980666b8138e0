"""What a mark on a timeline means, for a reader who knows neither the code nor its words.

A mark that nobody foresaw is told as the evidence has it.
"""

import re
from dataclasses import dataclass

from keepfact.conformance.evidence import MarkRecord

from .languages import CHINESE, Language
from .marks import PATTERNS

_CHARACTERS_MAX = 1000


@dataclass(frozen=True, slots=True)
class Plain:
    """A mark in plain words: `short` stands in the picture, `long` beside it; `is_ours` unless evidence is quoted."""

    short: str
    long: str
    is_ours: bool


def in_plain_words(mark: MarkRecord, language: Language) -> Plain:
    """The first pattern that fits tells it."""
    place = 1 if language.code == CHINESE else 0
    said = f"{mark.lane} {mark.shape} {mark.text}"[:_CHARACTERS_MAX]
    for pattern, *told in PATTERNS:
        found = pattern.match(said)
        if found:
            short, long = told[place]
            groups = {name: _said(name, value, language) for name, value in found.groupdict(default="").items()}
            return Plain(short, long.format_map(groups), True)
    return Plain(language.named(mark.shape), mark.text, False)


def call_in(key: str) -> str:
    """`…:attempt:2` is called `attempt 2`, whatever the run is called; any other name stays as it is."""
    found = re.search(r":(attempt|operation):(\d+)$", key)
    return f"{found[1]} {found[2]}" if found else key


def _said(name: str, value: str, language: Language) -> str:
    if name != "call":
        seam = language.retold("seam", value) if name == "seam" else None
        return seam or (language.named(value) if name in {"seam", "reason", "outcome"} else value)
    called = call_in(value)
    if language.code == CHINESE:
        called = re.sub(r"^attempt ", "第 ", called) + " 次模型请求" if called.startswith("attempt ") else called
        called = called.replace("operation ", "操作 ")
    return called
