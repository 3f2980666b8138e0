"""Texts from outside: which can be stored as they are, and what is said of one that cannot."""

import hashlib

TEXT_MAX = 100_000
"""A text of more characters is not stored."""


def is_storable(text: str) -> bool:
    """No NUL, no half of a character, not too long."""
    try:
        return len(text) <= TEXT_MAX and b"\0" not in text.encode()
    except UnicodeEncodeError:  # half of a character
        return False


def record_of(text: str) -> str:
    """The text, or in constant size what can be said of one that cannot be stored."""
    if is_storable(text):
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"unstorable text of {len(text)} characters, sha256 {digest}"
