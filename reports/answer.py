"""The answer in one sentence, before anything else."""

from typing import assert_never

from keepfact.conformance.evidence import StoryRecord
from keepfact.conformance.verdicts import Verdict

from .reading import Standing
from .rules import RuleFinding
from .text import counted, visible


def answer(
    system: str,
    standing: Standing,
    verdict: Verdict,
    rules: tuple[RuleFinding, ...],
    parts: dict[str, Verdict],
    stories: tuple[StoryRecord, ...],
) -> str:
    """What a reader who reads one sentence should know. `parts` are the verdicts of all but rules."""
    match standing:
        case Standing.CUT_OFF:
            so_far = f" It had already seen {counted(len(stories), 'failure')}." if stories else ""
            return f"The run was cut off: INCONCLUSIVE.{so_far}"
        case Standing.ALTERED:
            return "The evidence is not what was written: INCONCLUSIVE."
        case Standing.COMPLETE:
            return _of_complete(visible(system, 80), verdict, rules, parts)


def counts_of(rules: tuple[RuleFinding, ...]) -> dict[Verdict, int]:
    """How many rules have each verdict, best first."""
    return {verdict: sum(rule.verdict is verdict for rule in rules) for verdict in _BEST_FIRST}


_BEST_FIRST = (
    Verdict.HOLDS,
    Verdict.NOT_APPLICABLE,
    Verdict.NOT_EXERCISED,
    Verdict.INCONCLUSIVE,
    Verdict.VIOLATED,
)


def _of_complete(system: str, verdict: Verdict, rules: tuple[RuleFinding, ...], parts: dict[str, Verdict]) -> str:
    number = sum(rule.verdict is verdict for rule in rules)
    of_all = f"{number} of {counted(len(rules), 'rule')}"
    match verdict:
        case Verdict.HOLDS:
            every = number == len(rules)
            return f"{system} keeps {'all' if every else 'the'} {number} rules{'' if every else ' that apply to it'}."
        case Verdict.NOT_APPLICABLE:
            return f"No rule of the book applies to {system}, so nothing was shown."
        case Verdict.NOT_EXERCISED:
            return f"{system} broke no rule, but {_subject(of_all, number, verdict, parts)} never put to the test."
        case Verdict.INCONCLUSIVE:
            return f"{system} was not seen to break a rule, but {_subject(of_all, number, verdict, parts)} undecided."
        case Verdict.VIOLATED:
            if number:
                return f"{system} breaks {of_all}."
            return f"{system} was not seen to break a rule, but {_subject(of_all, number, verdict, parts)} violated."
        case _:
            assert_never(verdict)


def _subject(of_all: str, number: int, verdict: Verdict, parts: dict[str, Verdict]) -> str:
    """What has this verdict: rules if there are any, else the first part of the run that has it."""
    if number:
        return f"{of_all} {'was' if number == 1 else 'were'}"
    names = [visible(name, 80) for name, found in parts.items() if found is verdict] or ["the run as a whole"]
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0]}{more} {'were' if more else 'was'}"
