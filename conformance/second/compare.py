"""Two checkers that share nothing look at the same histories: where they differ, one of them is wrong."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from keepfact.conformance.answers import Answers
from keepfact.model.defects import Defect
from keepfact.model.scopes import LEASE_SECONDS, SCOPES, Scope
from keepfact.model.state import State, changed
from keepfact.model.step import step as perfect_step
from keepfact.model.walker import Show, Stepper
from keepfact.spec.book import BOOK
from keepfact.spec.chapter import Rule
from keepfact.spec.vocabulary import (
    Asked,
    Asking,
    Cancel,
    Cause,
    CommandId,
    Done,
    Drifted,
    Fail,
    LookUp,
    Lost,
    Observe,
    Reconcile,
    Recover,
    Release,
    Renew,
    Replay,
    Step,
    Stop,
    Stream,
    Succeed,
    Tick,
)

from .check import check
from .complaint import Complaint
from .export import exported

Difference = tuple[str, str]
"""A defect, and what was asked or happened when it showed to only one of the two."""

STEPS_MAX = 25
_AGAIN, _LOST, _OVER, _NEARBY = 0.08, 0.04, 0.15, 0.7
_READS = (Observe, Stream, Replay, LookUp)
"""Given again these read what is there by then: nothing is kept under their ids, since looking writes nothing."""
_TRIES = 6
_NEAR: dict[str, tuple[str, ...]] = {
    "FENCE": ("core", "retry", "races", "resume", "cancel"),
    "HISTORY": ("core", "retry", "payloads"),
    "EFFECT": ("core", "effects", "lookups", "resume", "children", "neighbours"),
    "COST": ("costs", "retry", "effects"),
    "SETTLE": ("core", "retry", "resume", "cancel"),
    "WAKE": ("waits", "timers", "children", "resumed waits", "resumed approvals"),
    "APPROVAL": ("approvals", "resumed approvals"),
    "CANCEL": ("cancel", "timers", "children", "lookups", "resumed approvals"),
    "VERSION": ("versions", "migration", "effects"),
    "CONTINUE": ("continuation", "inherited calls"),
    "TENANT": ("tenants",),
}
"""In which scopes most happens that the rules of a chapter are about; of others all are as good."""
_LATE: dict[type, float] = {
    **dict.fromkeys((Observe, Stream, Release, Recover, Succeed, Stop, Renew), 1),
    **dict.fromkeys((Tick, Drifted), 2.5),
    **dict.fromkeys((Fail, Cancel), 4),
}
"""What ends a walk before it has come to anything, if it comes too soon."""


@dataclass(frozen=True)
class Compared:
    """One history, and what each of the two says of it: the rules that its last step broke, and all complaints."""

    defect: str
    scope: str
    seed: int
    steps: tuple[Step, ...]
    first: frozenset[str]
    second: tuple[Complaint, ...]

    @property
    def is_agreed(self) -> bool:
        """Both say right, or both say wrong."""
        return bool(self.first) == bool(self.second)

    @property
    def shares_a_rule(self) -> bool:
        return bool(self.first & {complaint.rule for complaint in self.second})

    @property
    def difference(self) -> Difference:
        """The defect, and what was asked or happened on the first step of which only one complains."""
        step = self.steps[self.second[0].step - 1 if self.second else -1]
        return self.defect, type(step.cause).__name__

    def __str__(self) -> str:
        said = f"the first says {', '.join(sorted(self.first)) or 'nothing'}"
        heard = "; ".join(f"step {one.step}: {one.rule}: {one.sentence}" for one in self.second[:2]) or "nothing"
        return (
            f"{self.defect}, scope {self.scope}, seed {self.seed}, {len(self.steps)} steps: {said}; the second: {heard}"
        )


class FirstChecker:
    """The rules of the book, each put to the steps that it is about."""

    def __init__(self) -> None:
        self._about: dict[type, list[Rule]] = {}

    def broken_by(self, step: Step) -> frozenset[str]:
        kind = type(step.cause)
        if kind not in self._about:
            self._about[kind] = [rule for rule in BOOK.rules if rule.is_about(kind)]
        return frozenset(rule.id for rule in self._about[kind] if rule.holds(step) is False)


def histories(defects: Sequence[Defect], number: int, seed: int) -> Iterator[Compared]:
    """So many histories, each defect in turn, mostly near to what it is about, or where it has shown itself before."""
    chance, judge, shown_in = random.Random(seed), FirstChecker(), dict[str, Scope]()
    for count in range(number):
        defect = defects[count % len(defects)]
        near = _NEAR.get(defect.predicted[0].split(".")[0], ())
        scopes = [one for one in SCOPES if one.name in near and chance.random() < _NEARBY] or SCOPES
        scope = shown_in.get(defect.name) if chance.random() < 0.3 else None
        seen = compared(scope or chance.choice(scopes), chance.randrange(2**32), defect, judge)
        if seen.first or seen.second:
            shown_in[defect.name] = next(one for one in SCOPES if one.name == seen.scope)
        yield seen


def compared(scope: Scope, seed: int, defect: Defect, judge: FirstChecker) -> Compared:
    """A history up to the first step in which the first checker finds something, as both see it."""
    steps, broken = list[Step](), frozenset[str]()
    for step in walk(scope, seed, defect.step, defect.show):
        steps.append(step)
        broken = judge.broken_by(step)
        if broken:
            break
    return Compared(defect.name, scope.name, seed, tuple(steps), broken, tuple(check(map(exported, steps))))


def walk(scope: Scope, seed: int, stepper: Stepper, show: Show) -> Iterator[Step]:
    """A walk through a scope, made of what may come next in each state; every command has an id of its own, except
    where one that was asked before is asked again. Some answers get lost, and of some commands nobody ever hears.
    """
    chance, state, answers = random.Random(seed), State(LEASE_SECONDS), Answers()
    asked, used = list[Cause | Asking](), Counter[type]()
    shown = show(state)
    for number in range(1, STEPS_MAX + 1):
        is_again = bool(asked) and chance.random() < _AGAIN
        cause = chance.choice(asked) if is_again else _numbered(_promising(scope, state, chance, used), number)
        command, session = (cause.command, cause.session) if isinstance(cause, Asking) else (cause, None)
        outcome, after = stepper(state, cause)  # type: ignore[arg-type]  # defects pass on what they do not know
        if isinstance(command, Asked) and chance.random() < _LOST:
            outcome, after = Lost(), chance.choice((state, after))
        seen = shown if after is state else show(after)
        yield Step(shown, command, outcome, seen, state.truth, after.truth, answers.before(command), session)
        answers.remember(command, outcome)
        is_honest_later = isinstance(outcome, Done) or not isinstance(command, Reconcile)
        if isinstance(outcome, Done | Lost) and not isinstance(command, _READS) and is_honest_later:
            asked.append(cause)
        state, shown = after, seen
        if state.runs and all(run.is_sealed for run in state.runs) and chance.random() < _OVER:
            return


def _promising(scope: Scope, state: State, chance: random.Random, used: Counter[type]) -> Cause | Asking:
    """Now and then anything that may come next; mostly something that moves on, of a kind that came least often yet."""
    kinds: dict[type, list[Cause | Asking]] = {}
    for cause in scope.causes(state):
        kinds.setdefault(type(cause.command if isinstance(cause, Asking) else cause), []).append(cause)
    if chance.random() > 0.2:
        for kind in sorted(kinds, key=lambda kind: used[kind] + 2 * chance.random() + _LATE.get(kind, 0))[:_TRIES]:
            drawn = chance.choice(kinds[kind])
            if _moves_on(state, drawn):
                used[kind] += 1
                return drawn
    return chance.choice(kinds[chance.choice(list(kinds))])


def _moves_on(state: State, cause: Cause | Asking) -> bool:
    """A perfect system would be in another state afterwards."""
    _, after = perfect_step(state, cause)
    return after is not state and changed(after, answers=state.answers) != state


def _numbered(cause: Cause | Asking, number: int) -> Cause | Asking:
    if isinstance(cause, Asking):
        return replace(cause, command=replace(cause.command, command_id=CommandId(str(number))))
    return replace(cause, command_id=CommandId(str(number))) if isinstance(cause, Asked) else cause
