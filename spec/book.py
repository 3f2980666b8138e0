"""All chapters in order: every rule, by its id."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

from keepfact.spec.chapter import Chapter, Rule
from keepfact.spec.rules import (
    approval,
    bounds,
    cancel,
    continuation,
    cost,
    entry,
    fence,
    payloads,
    recovering,
    tenant,
    version,
    wake,
)


@dataclass(frozen=True)
class Book:
    """The chapters and what is in them."""

    chapters: tuple[Chapter, ...]

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """Every rule, in the order of chapters and numbers."""
        return tuple(rule for chapter in self.chapters for rule in sorted(chapter.rules, key=lambda r: r.number))

    @cached_property
    def digest(self) -> str:
        """SHA-256, in hex, of all rule ids and text digests: two equal books say the same."""
        return hashlib.sha256("\n".join(f"{rule.id}@{rule.digest}" for rule in self.rules).encode()).hexdigest()

    def rule(self, rule_id: str) -> Rule:
        """The rule of that id; KeyError if the book has none."""
        return self._by_id[rule_id]

    @cached_property
    def _by_id(self) -> dict[str, Rule]:
        return {rule.id: rule for rule in self.rules}


BOOK = Book(
    (
        entry.chapter,
        fence.chapter,
        payloads.chapter,  # HISTORY; it, EFFECT and SETTLE stand in two modules each: this reads the other
        bounds.chapter,  # EFFECT
        cost.chapter,
        recovering.chapter,  # SETTLE
        wake.chapter,
        approval.chapter,
        cancel.chapter,
        version.chapter,
        continuation.chapter,
        tenant.chapter,
    )
)
