"""What both checkers say of a history in a file: of each of its steps, or of each state in it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from keepfact.conformance.judge import Judge
from keepfact.conformance.second import JUDGED_OF_A_STATE, NOT_JUDGED, Checker, Complaint, check_state, exported
from keepfact.conformance.second.export import plain
from keepfact.conformance.verdicts import Verdict
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Contract, Observation, Step

from .forms import UNKNOWN, Reader, TruthUnknownError, forms
from .lines import values

PART = "history"


class Found(NamedTuple):
    """Something that is wrong: where in the file, at which step or in which state, which rule, and what."""

    line: int
    number: int
    rule: str
    sentence: str


@dataclass
class Checked:
    """What came of one file. `not_judged` says why nothing, or not all, could be said of a rule."""

    path: Path
    kind: str = "steps"
    count: int = 0
    found: list[Found] = field(default_factory=list)
    spoken: Counter[str] = field(default_factory=Counter)
    not_judged: dict[str, str] = field(default_factory=dict)
    crashes: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        """A checker that crashed may have missed something; of nothing, nothing can be said."""
        if self.found:
            return Verdict.VIOLATED
        if self.crashes:
            return Verdict.INCONCLUSIVE
        return Verdict.HOLDS if self.spoken else Verdict.NOT_EXERCISED


def check_file(path: Path, progress: Callable[[int], None] = lambda _: None) -> Checked:
    """Judge one file. HistoryError if it is no history."""
    checked = Checked(path)
    judge = Judge(Contract)
    judge.part = PART
    second = Checker()
    for line, read in forms(Reader(path), values(path)):
        checked.count += 1
        if isinstance(read, Observation):
            checked.kind = "states"
            _take(checked, line, _of_state(checked, read))
        else:
            _take(checked, line, _of_step(checked, judge, second, read))
        progress(checked.count)
    _say_what_was_not_judged(checked, judge)
    return checked


def _of_step(checked: Checked, judge: Judge, second: Checker, step: Step) -> Iterator[tuple[str, str]]:
    """The book first, in its own words; then what the second checker says of rules that the book did not name."""
    named = set()
    for violation in judge.see(step):
        named.add(violation.rule)
        yield violation.rule, f"{violation.seen}; expected: {violation.expected}"
    for complaint in _safely(checked, lambda: second.see(_as_json(step))):
        if complaint.rule not in named:
            yield complaint.rule, complaint.sentence


def _of_state(checked: Checked, state: Observation) -> Iterator[tuple[str, str]]:
    if state.runs:
        checked.spoken.update(JUDGED_OF_A_STATE)
    for complaint in _safely(checked, lambda: check_state(plain(state))):
        yield complaint.rule, complaint.sentence


def _safely(checked: Checked, ask: Callable[[], list[Complaint]]) -> list[Complaint]:
    try:
        return ask()
    except Exception as error:  # a history may be as strange as it likes; then nobody vouches for it
        checked.crashes.append(f"number {checked.count}: {type(error).__name__}: {error}")
        return []


def _take(checked: Checked, line: int, said: Iterable[tuple[str, str]]) -> None:
    checked.found += [Found(line, checked.count, rule, sentence) for rule, sentence in said]


def _as_json(step: Step) -> dict[str, Any]:
    if step.truth is not UNKNOWN:
        return exported(step)
    known = Step(step.before, step.cause, step.outcome, step.after, repeats=step.repeats, session=step.session)
    return {**exported(known), "truth_before": None, "truth": None}


def _say_what_was_not_judged(checked: Checked, judge: Judge) -> None:
    if checked.kind == "states":
        rest = [rule.id for rule in BOOK.rules if rule.id not in JUDGED_OF_A_STATE]
        checked.not_judged = dict.fromkeys(rest, "a state does not show what was asked, and in which order")
        return
    checked.spoken.update({rule: sum(parts.values()) for rule, parts in judge.spoken.items()})
    checked.spoken.update(one.rule for one in checked.found if not checked.spoken[one.rule])
    unknown = TruthUnknownError.__name__
    for rule, error in judge.crashes.items():
        if error.startswith(unknown):
            checked.not_judged[rule] = error.removeprefix(f"{unknown}: ")
        else:
            checked.crashes.append(f"{rule}: {error}")
    checked.not_judged |= {rule: f"in full: {why}" for rule, why in NOT_JUDGED.items() if checked.spoken[rule]}
    for one in BOOK.rules:
        if not checked.spoken[one.id]:
            checked.not_judged.setdefault(one.id, "no step met its condition")
