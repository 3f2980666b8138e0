"""Two checkers that share nothing look at the same histories: where they differ, one of them is wrong."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from keepfact.conformance.answers import Answers
from keepfact.model.scopes import SCOPES, Scope
from keepfact.model.state import State, changed
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
    LookUp,
    Observe,
    Recover,
    Release,
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

STEPS_MAX = 25
_READS = (Observe, Stream, Replay, LookUp)
"""Given again these read what is there by then: nothing is kept under their ids, since looking writes nothing."""
_LATE: dict[type, float] = {Tick: 1, Release: 1, Recover: 1, Succeed: 1, Stop: 1, Fail: 3, Cancel: 3}
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
    done, used = list[Cause | Asking](), Counter[type]()
    shown = show(state)
    for number in range(1, steps_max + 1):
        if done and chance.random() < 0.08:
            cause = chance.choice(done)
        else:
            cause = _numbered(_promising(scope, state, chance, used), number)
        outcome, after = stepper(state, cause)  # type: ignore[arg-type]  # defects pass on what they do not know
        asked, session = (cause.command, cause.session) if isinstance(cause, Asking) else (cause, None)
        seen = shown if after is state else show(after)
        yield Step(shown, asked, outcome, seen, state.truth, after.truth, answers.before(asked), session)
        answers.remember(asked, outcome)
        if isinstance(outcome, Done) and isinstance(asked, Asked) and not isinstance(asked, _READS):
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


def _promising(scope: Scope, state: State, chance: random.Random, used: Counter[type]) -> Cause | Asking:
    """Now and then anything that may come next; mostly something that moves on, of a kind that came least often yet."""
    kinds: dict[type, list[Cause | Asking]] = {}
    for cause in scope.causes(state):
        kinds.setdefault(type(cause.command if isinstance(cause, Asking) else cause), []).append(cause)
    if chance.random() > 0.2:
        for kind in sorted(kinds, key=lambda kind: used[kind] + 2 * chance.random() + _LATE.get(kind, 0)):
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


_ = (Counter, Sequence, SCOPES)
