"""Commands that are to meet, after a walk to where they do; and the places in a scope where some could."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, permutations
from typing import Any

from keepfact.conformance.recorder import Move, Moves
from keepfact.conformance.shorten import lengthened, relabelled
from keepfact.model.scopes import Scope
from keepfact.model.scopes.scope import FRESH
from keepfact.model.state import State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.model.walker import Walker
from keepfact.spec.vocabulary import Asking, Cause, Command, CommandId, Done, Observation, Outcome, Stream

Walk = tuple[Cause | Asking, ...]
End = tuple[tuple[Outcome | None, ...], Observation]
"""What each command was told, and how all looks in the end."""

STATES_MAX = 100
"""So many of a scope's states are looked at, nearest first: what meets far out has mostly met nearer already."""

_IDS = ("first", "second", "third")


@dataclass(frozen=True, slots=True)
class Group:
    """Two or three commands that meet after a walk. `matters` if the order in which they are done does."""

    scope: str
    walk: Walk
    commands: tuple[Command | Asking, ...]
    matters: bool

    def moves(self, racers: int, prefix: str, lease_seconds: int) -> Moves:
        """The walk and then what meets, so many times by turns, for a system with such leases, under ids of its own."""
        turns = [self.commands[place % len(self.commands)] for place in range(racers)]
        met = [numbered(asked, f"racer-{place}") for place, asked in enumerate(turns, 1)]
        return relabelled(lengthened(list(map(Move, (*self.walk, *met))), lease_seconds), "", prefix)

    @property
    def names(self) -> tuple[str, ...]:
        """What meets, in the order of the alphabet."""
        return names_of(self.commands)


@dataclass(frozen=True, slots=True)
class Place:
    """A state, the shortest walk there, the commands that would be done in it, and those that would not."""

    state: State
    walk: Walk
    able: tuple[Command | Asking, ...]
    unable: tuple[Command | Asking, ...]


@cache
def places(scope: Scope) -> tuple[Place, ...]:
    """The nearest states of a scope. Each command of a walk has an id of its own."""
    walker = Walker(scope)
    return tuple(
        Place(state, _walk_to(walker, state), *_able(scope, state)) for state in islice(_near(walker), STATES_MAX)
    )


def ends_of(state: State, commands: Sequence[Command | Asking]) -> list[End]:
    """The different ways in which it ends to do them in one order or another."""
    ends = list[End]()
    for order in permutations(range(len(commands))):
        end = _done_in_order(state, commands, order)
        if end not in ends:
            ends.append(end)
    return ends


def numbered(cause: Any, name: str) -> Any:
    """Under another command id, if it is a command."""
    if isinstance(cause, Asking):
        return replace(cause, command=replace(cause.command, command_id=CommandId(name)))
    return replace(cause, command_id=CommandId(name)) if isinstance(cause, Command) else cause


def apart(commands: Sequence[Command | Asking]) -> tuple[Command | Asking, ...]:
    """The same, each under an id of its own."""
    return tuple(numbered(asked, name) for asked, name in zip(commands, _IDS, strict=False))


def names_of(commands: Sequence[Command | Asking]) -> tuple[str, ...]:
    """What they are called, in the order of the alphabet."""
    return tuple(sorted(map(name_of, commands)))


def name_of(asked: Command | Asking) -> str:
    """The command, and that it is asked at another door or by another tenant, as sessions differ."""
    if isinstance(asked, Asking):
        return f"{type(asked.command).__name__} of {asked.session.tenant} as {asked.session.role.value}"
    return type(asked).__name__


def _done_in_order(state: State, commands: Sequence[Command | Asking], order: Sequence[int]) -> End:
    outcomes = dict[int, Outcome | None]()
    for place in order:
        outcomes[place], state = step(state, commands[place])
    return tuple(outcomes[place] for place in range(len(commands))), view(state)


def _near(walker: Walker) -> Iterator[State]:
    """Each state once, nearest first."""
    yield walker.start
    known = 1
    for _ in walker.edges():
        if len(walker.arrived_by) > known:
            known = len(walker.arrived_by)
            yield next(reversed(walker.arrived_by))


def _able(scope: Scope, state: State) -> tuple[tuple[Command | Asking, ...], tuple[Command | Asking, ...]]:
    """The commands that would be done in this state, a reading among them; and those that would not."""
    causes = [cause for cause in scope.causes(state) if isinstance(cause, Command | Asking)]
    causes += [Stream(FRESH, run.run, 0) for run in state.runs[:1]]
    able, unable = list[Command | Asking](), list[Command | Asking]()
    for cause in dict.fromkeys(causes):
        (able if isinstance(step(state, cause)[0], Done) else unable).append(cause)
    return tuple(able), tuple(unable)


def _walk_to(walker: Walker, state: State) -> Walk:
    causes: list[Cause | Asking] = []
    while (arrival := walker.arrived_by[state]) is not None:
        state, cause = arrival
        causes.append(cause)
    return tuple(numbered(cause, str(number)) for number, cause in enumerate(reversed(causes), 1))
