"""How far to search: quick for every change, ci for every merge, deep for a night."""

from dataclasses import dataclass
from enum import StrEnum


class Profile(StrEnum):
    QUICK = "quick"
    CI = "ci"
    DEEP = "deep"


@dataclass(frozen=True, slots=True)
class Effort:
    """So many traces, of at most so many steps each."""

    traces: int
    steps: int


EFFORTS = {
    Profile.QUICK: Effort(traces=60, steps=30),
    Profile.CI: Effort(traces=500, steps=40),
    Profile.DEEP: Effort(traces=5000, steps=60),
}
