"""Two checkers that share nothing look at the same histories: where they differ, one of them is wrong."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from keepfact.conformance.answers import Answers
from keepfact.model.scopes import SCOPES, Scope
from keepfact.model.state import State
from keepfact.model.step import step as perfect_step
from keepfact.model.view import view
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
    Fail,
    Recover,
    Release,
    Step,
    Stop,
    Succeed,
    Tick,
)

from .check import check
from .complaint import Complaint
from .export import exported

STEPS_MAX = 25
_TRIES = 6
_COMES_LATE = {Tick, Fail, Recover, Cancel, Stop, Succeed, Release}
"""What ends a walk before it has come to anything, if it comes too soon."""


@dataclass(frozen=True)
class Compared:
    """One history, and what each of the two says of it."""

    scope: str
    seed: int
    steps: tuple[Step, ...]
    first: frozenset[str]
    second: tuple[Complaint, ...]

    @property
    def agree(self) -> bool:
        """Both say right, or both say wrong."""
        return bool(self.first) == bool(self.second)

    @property
    def share_a_rule(self) -> bool:
        return bool(self.first & {complaint.rule for complaint in self.second})


def walks(
    scope: Scope, seed: int, stepper: Stepper = perfect_step, show: Show = view, steps_max: int = STEPS_MAX
) -> Iterator[Step]:
    """A walk through a scope, made of what may come next in each state; every command has an id of its own, except
    where one that was done is given again.
    """
    chance, state, answers = random.Random(seed), State(lease_seconds=scope.lease_seconds), Answers()
    done: list[Cause | Asking] = []
    shown = show(state)
    for number in range(1, steps_max + 1):
        if done and chance.random() < 0.08:
            cause = chance.choice(done)
        else:
            cause = _numbered(_promising(scope, state, chance), number)
        outcome, after = stepper(state, cause)  # type: ignore[arg-type]  # defects pass on what they do not know
        asked, session = (cause.command, cause.session) if isinstance(cause, Asking) else (cause, None)
        seen = shown if after is state else show(after)
        yield Step(shown, asked, outcome, seen, state.truth, after.truth, answers.before(asked), session)
        answers.remember(asked, outcome)
        if isinstance(outcome, Done) and isinstance(asked, Asked):
            done.append(cause)
        state, shown = after, seen


def compared(
    scope: Scope,
    seed: int,
    stepper: Stepper = perfect_step,
    show: Show = view,
    rules: Iterable[Rule] = BOOK.rules,
) -> Compared:
    """A history up to the first step in which the first checker finds something, as both see it."""
    steps, broken, judge = list[Step](), frozenset[str](), predicates(rules)
    for step in walks(scope, seed, stepper, show):
        steps.append(step)
        broken = judge.broken(step)
        if broken:
            break
    return Compared(scope.name, seed, tuple(steps), broken, tuple(check(map(exported, steps))))


class predicates:  # noqa: N801
    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._about: dict[type, list[Rule]] = {}

    def broken(self, step: Step) -> frozenset[str]:
        kind = type(step.cause)
        if kind not in self._about:
            self._about[kind] = [rule for rule in self._rules if rule.is_about(kind)]
        return frozenset(rule.id for rule in self._about[kind] if rule.holds(step) is False)


def _promising(scope: Scope, state: State, chance: random.Random) -> Cause | Asking:
    """One kind of what may come next, then one of that kind; mostly one that can succeed and does not end it all."""
    kinds: dict[type, list[Cause | Asking]] = {}
    for cause in scope.causes(state):
        kinds.setdefault(type(cause.command if isinstance(cause, Asking) else cause), []).append(cause)
    for _ in range(_TRIES):
        kind = chance.choice(list(kinds))
        drawn = chance.choice(kinds[kind])
        is_welcome = kind not in _COMES_LATE or chance.random() < 0.25
        if is_welcome and (chance.random() < 0.15 or perfect_step(state, drawn)[1] is not state):  # type: ignore[arg-type]
            break
    return drawn


def _numbered(cause: Cause | Asking, number: int) -> Cause | Asking:
    if isinstance(cause, Asking):
        return replace(cause, command=replace(cause.command, command_id=CommandId(str(number))))
    return replace(cause, command_id=CommandId(str(number))) if isinstance(cause, Asked) else cause


_ = (Counter, Sequence, SCOPES)
