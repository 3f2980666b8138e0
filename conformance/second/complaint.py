"""What the second checker says: which step, which rule, and in one sentence what is wrong."""

from collections.abc import Iterator
from typing import NamedTuple


class Complaint(NamedTuple):
    """One thing that is wrong with a history. Steps are counted from 1."""

    step: int
    rule: str
    sentence: str


Finding = tuple[str, str]
"""A rule and a sentence, found on the step at hand."""

Findings = Iterator[Finding]

Objections = Iterator[tuple[str, str | None]]
"""A reason that speaks against a command, and the rule behind it; None where a system may raise it and need not."""
