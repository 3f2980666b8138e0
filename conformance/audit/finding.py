"""What an audit finds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it was written: in which file, on which line if on one, and what."""

    file: str
    line: int | None
    what: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.what}"


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that the run said otherwise than it is found now."""

    about: str
    said: str
    found: str

    def __str__(self) -> str:
        return f"{self.about}: the run said {self.said}; judged again it is {self.found}"


FINDINGS_MAX = 50
"""So many are told of each file; whoever changed more has changed all of it."""
