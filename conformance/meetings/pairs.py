"""Which commands are worth having meet, and where: the model knows what each pair could do to one another."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations_with_replacement, islice, product
from typing import Any

from keepfact.conformance.recorder import Move, Moves
from keepfact.conformance.shorten import lengthened, relabelled
from keepfact.model.scopes import Scope
from keepfact.model.state import State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.model.walker import Walker
from keepfact.spec.vocabulary import Asking, Cause, Command, CommandId, Done, Stream

Walk = tuple[Cause | Asking, ...]
FRESH = CommandId("fresh")

STATES_MAX, TRIES_MAX = 100, 10
"""So many of a scope's states are looked at, nearest first, and each pair is tried in so many of them: what meets far
out has mostly met nearer already.
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two commands that meet after a walk. `matters` if the order in which they are done makes a difference."""

    scope: str
    walk: Walk
    first: Command | Asking
    second: Command | Asking
    matters: bool

    def moves(self, racers: int, prefix: str, lease_seconds: int) -> Moves:
        """The walk and then what meets, so many times by turns, for a system with such leases, under ids of its own."""
        met = [_numbered((self.first, self.second)[place % 2], f"racer-{place + 1}") for place in range(racers)]
        return relabelled(lengthened(list(map(Move, (*self.walk, *met))), lease_seconds), "", prefix)

    @property
    def names(self) -> tuple[str, str]:
        """What meets, in the order of the alphabet."""
        return _names(self.first, self.second)


@cache
def pairs_of(scopes: tuple[Scope, ...]) -> tuple[Pair, ...]:
    """One for each pair of commands that can meet under a contract: where their order matters, if it does anywhere.

    Nearest first; command ids are unique within one pair.
    """
    found: dict[tuple[str, str, str], Pair] = {}
    for scope in scopes:
        for pair in _of_scope(scope):
            place = (scope.contract.value, *pair.names)
            known = found.get(place)
            if known is None or (pair.matters and not known.matters):
                found[place] = pair
    return tuple(found.values())


def _of_scope(scope: Scope) -> Iterator[Pair]:
    walker, met, tries = Walker(scope), dict[tuple[str, str], bool](), Counter[tuple[str, str]]()
    for state in islice(_near(walker), STATES_MAX):
        able, unable = _able(scope, state)
        for a, b in (*combinations_with_replacement(able, 2), *product(able, unable)):
            names = _names(a, b)
            tries[names] += 1
            if met.get(names) or tries[names] > TRIES_MAX:
                continue
            first, second = _numbered(a, "first"), _numbered(b, "second")
            matters = _order_matters(state, first, second)
            if matters or (names not in met and b in able):
                met[names] = matters
                yield Pair(scope.name, _walk_to(walker, state), first, second, matters)


def _near(walker: Walker) -> Iterator[State]:
    """Each state once, nearest first."""
    yield walker.start
    known = 1
    for _ in walker.edges():
        if len(walker.arrived_by) > known:
            known = len(walker.arrived_by)
            yield next(reversed(walker.arrived_by))


def _able(scope: Scope, state: State) -> tuple[list[Command | Asking], list[Command | Asking]]:
    """The commands that would be done in this state, a reading among them; and those that would not."""
    causes = [cause for cause in scope.causes(state) if isinstance(cause, Command | Asking)]
    causes += [Stream(FRESH, run.run, 0) for run in state.runs[:1]]
    able, unable = list[Command | Asking](), list[Command | Asking]()
    for cause in dict.fromkeys(causes):
        (able if isinstance(step(state, cause)[0], Done) else unable).append(cause)
    return able, unable


def _order_matters(state: State, first: Command | Asking, second: Command | Asking) -> bool:
    """Whether somebody is told otherwise, or something comes to look otherwise, in one order than in the other."""
    outcome_a, after_a = step(state, first)
    outcome_b, after_ab = step(after_a, second)
    other_b, after_b = step(state, second)
    other_a, after_ba = step(after_b, first)
    return (outcome_a, outcome_b) != (other_a, other_b) or view(after_ab) != view(after_ba)


def _walk_to(walker: Walker, state: State) -> Walk:
    """The shortest way there, each command under an id of its own."""
    causes: list[Cause | Asking] = []
    while (arrival := walker.arrived_by[state]) is not None:
        state, cause = arrival
        causes.append(cause)
    return tuple(_numbered(cause, str(number)) for number, cause in enumerate(reversed(causes), 1))


def _numbered(cause: Any, name: str) -> Any:
    if isinstance(cause, Asking):
        return replace(cause, command=replace(cause.command, command_id=CommandId(name)))
    return replace(cause, command_id=CommandId(name)) if isinstance(cause, Command) else cause


def _names(first: Command | Asking, second: Command | Asking) -> tuple[str, str]:
    one, other = sorted((_name(first), _name(second)))
    return one, other


def _name(asked: Command | Asking) -> str:
    """The command, and that it is asked at another door or by another tenant, as sessions differ."""
    if isinstance(asked, Asking):
        return f"{type(asked.command).__name__} of {asked.session.tenant} as {asked.session.role.value}"
    return type(asked).__name__
