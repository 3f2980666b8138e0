"""What the kit tells in evidence, said in another language: each sentence by its parts, whatever names are in it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Grammar = Mapping[str, Mapping[str, str]]
"""Tables of patterns, each with how the texts that fit it are said."""


@dataclass(frozen=True, slots=True)
class Retelling:
    """A language for what is composed. A group of a pattern that is named as a table is said as that table says it, an
    `event` or a `state` by its name, and any other as it was written.
    """

    grammar: Grammar
    named: Callable[[str], str]

    def say(self, table: str, text: str) -> str | None:
        """The text as this table says it; None if it knows none like it, or none like a part of it."""
        for pattern, told in self.grammar.get(table, {}).items():
            found = re.fullmatch(pattern, text)
            parts = found and {name: self._part(name, part) for name, part in found.groupdict(default="").items()}
            if parts is not None and None not in parts.values():
                return told.format_map(parts)
        return None

    def _part(self, name: str, text: str) -> str | None:
        if not text:
            return ""
        if name in {"event", "state"}:
            return self.named(text)
        return self.say(name, text) if name in self.grammar else text
