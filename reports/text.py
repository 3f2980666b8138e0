"""Text from outside is data: whatever is in it shows, and it changes nothing around it."""

import unicodedata
from collections.abc import Iterable
from itertools import groupby

CHARACTERS_MAX = 1200

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""Unicode categories that a reader cannot see or that move other text: controls, formats, surrogates, separators."""


def visible(text: object, characters_max: int = CHARACTERS_MAX) -> str:
    """The text with every hidden character spelled out, and cut visibly when it is too long.

    The result has no control character, no line break, no change of writing direction and nothing that XML forbids.
    """
    whole = str(text)
    shown = "".join(_spelled(character) for character in whole[:characters_max])
    left = len(whole) - characters_max
    return f"{shown} … {left:,} more characters" if left > 0 else shown


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: `1 rule`, `2,000 rules`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def folded(lines: Iterable[str]) -> list[tuple[str, int]]:
    """Equal lines that follow each other as one, with how many they were."""
    return [(line, len(list(same))) for line, same in groupby(lines)]


def _spelled(character: str) -> str:
    code = ord(character)
    is_noncharacter = code & 0xFFFE == 0xFFFE
    if is_noncharacter or unicodedata.category(character) in _HIDDEN:
        return f"⟨U+{code:04X}⟩"
    return character
