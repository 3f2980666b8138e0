"""The languages of the pages: what stands on them, and the sentences of the book.

A page is in one language from its title to its labels, so that a screen reader speaks it with one voice. What evidence
says is shown as it was written.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from markupsafe import Markup, escape

from keepfact.spec.book import BOOK

from . import text
from .retelling import Grammar, Retelling

ENGLISH, CHINESE = "en", "zh"
QUOTED_MAX = 600
"""Characters: no sentence of the kit that is known in another language is longer."""
FOLDER = Path(__file__).parent / "chinese"


@dataclass(frozen=True, slots=True)
class Language:
    """What a page says for each English text that is in a template; without an entry the English itself.

    `nouns` follow a number, as 条规则 does. `sentences` are translations of rules, by rule id and digest of the text.
    `evidence` has sentences that the kit itself writes into evidence, as the description of an experiment; `patterns`
    are such sentences with numbers or names in them, and `told` is the grammar of what it composes: stories and seams.
    """

    code: str
    name: str
    page: Mapping[str, str] = field(default_factory=dict)
    nouns: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    evidence: Mapping[str, str] = field(default_factory=dict)
    patterns: Mapping[str, str] = field(default_factory=dict)
    told: Grammar = field(default_factory=dict)
    sentences: Mapping[str, str] = field(default_factory=dict)

    def say(self, english: str, **values: object) -> Markup:
        """A text of ours, which may have tags, with values in it, which may not: they are shown as text."""
        shown = {
            name: value if isinstance(value, Markup) else escape(text.visible(value)) for name, value in values.items()
        }
        return Markup(self.page.get(english, english).format_map(shown))

    def counted(self, number: int, noun: str, plural: str | None = None) -> str:
        """A number with its noun: `2,000 rules`, `2,000 条规则`."""
        return f"{number:,} {self.nouns[noun]}" if noun in self.nouns else text.counted(number, noun, plural)

    def named(self, name: str) -> str:
        """A name of ours, as `model_returned_then_killed` or `HOLDS`, in words."""
        words = name.replace("_", " ")
        kind, _, rest = words.partition(" ")
        if kind in {"experiment", "scope"} and rest and kind in self.names:
            return f"{self.names[kind]}{self.names.get(rest, rest)}"
        return self.names.get(words, words)

    def quoted(self, said: str) -> str | None:
        """What the kit wrote into evidence, in this language; None where only the words that were written are known."""
        if said in self.evidence:
            return self.evidence[said]
        if len(said) > QUOTED_MAX:
            return None
        fits = (found.expand(told) for pattern, told in self.patterns.items() if (found := re.fullmatch(pattern, said)))
        return next(fits, None) or self.retold("whole", said)

    def retold(self, table: str, said: str) -> str | None:
        """What the kit composed, as this table of the grammar says it; None where it says nothing of the kind."""
        return Retelling(self.told, self.named).say(table, said)

    def sentence(self, rule: str, digest: str) -> str | None:
        """The rule in this language; None where this very text of it has no translation."""
        return self.sentences.get(f"{rule}@{digest}")


@cache
def language(code: str) -> Language:
    """The language of this code; KeyError if there is none."""
    return {ENGLISH: _english, CHINESE: _chinese}[code]()


def _english() -> Language:
    return Language(ENGLISH, "English")


def _chinese() -> Language:
    page = tomllib.loads((FOLDER / "page.toml").read_text(encoding="utf-8"))
    sentences = tomllib.loads((FOLDER / "book.toml").read_text(encoding="utf-8"))["sentences"]
    told = tomllib.loads((FOLDER / "told.toml").read_text(encoding="utf-8"))
    quoted = {rule.sentence: said for rule in BOOK.rules if (said := sentences.get(f"{rule.id}@{rule.digest}"))}
    return Language(
        CHINESE,
        "中文",
        page=page["page"],
        nouns=page["nouns"],
        names=page["names"],
        evidence=page["evidence"] | told.pop("sides") | told.pop("bounds") | quoted,
        patterns=page["patterns"],
        told=told,
        sentences=sentences,
    )
