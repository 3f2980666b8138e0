"""How sure we are: verdicts, their order, levels of conformance and exit codes."""

from collections.abc import Iterable
from enum import IntEnum, StrEnum


class Verdict(StrEnum):
    """What the evidence says of one rule. NOT_APPLICABLE needs a declared reason and lowers the level."""

    NOT_APPLICABLE = "NOT_APPLICABLE"
    HOLDS = "HOLDS"
    NOT_EXERCISED = "NOT_EXERCISED"
    INCONCLUSIVE = "INCONCLUSIVE"
    VIOLATED = "VIOLATED"


class Level(StrEnum):
    """Full: each rule of the book holds. Partial: some do not apply or were not exercised. None: the rest."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"


class ExitCode(IntEnum):
    """What every command of keepfact ends with."""

    CONFORMANT = 0
    VIOLATED = 1
    BROKEN = 2
    INCONCLUSIVE = 3


_ORDER = tuple(Verdict)
_CODES = {
    Verdict.NOT_APPLICABLE: ExitCode.INCONCLUSIVE,
    Verdict.HOLDS: ExitCode.CONFORMANT,
    Verdict.NOT_EXERCISED: ExitCode.INCONCLUSIVE,
    Verdict.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
    Verdict.VIOLATED: ExitCode.VIOLATED,
}


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of the parts. Of no parts nothing was exercised, which is never a pass."""
    return max(verdicts, key=_ORDER.index, default=Verdict.NOT_EXERCISED)


def level_of(verdicts: Iterable[Verdict]) -> Level:
    """The level that these verdicts, one a rule, add up to."""
    seen = set(verdicts)
    if Verdict.VIOLATED in seen or Verdict.INCONCLUSIVE in seen or Verdict.HOLDS not in seen:
        return Level.NONE
    return Level.FULL if seen == {Verdict.HOLDS} else Level.PARTIAL


def exit_code_of(verdict: Verdict) -> ExitCode:
    """The exit code that a total verdict ends a command with."""
    return _CODES[verdict]
