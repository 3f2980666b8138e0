"""Every state of a scope, breadth first, with every rule put to every edge; the first failure found is the shortest."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import networkx as nx

from keepfact.spec.book import BOOK
from keepfact.spec.chain import chained
from keepfact.spec.chapter import Rule
from keepfact.spec.vocabulary import (
    Asked,
    Cause,
    Claim,
    Done,
    EventType,
    EventView,
    Observation,
    Outcome,
    Recover,
    Step,
    Tick,
)

from .scopes import Scope
from .state import Run, State
from .step import step as perfect_step
from .view import view
from .worlds import truth_is_possible

Stepper = Callable[[State, Cause], tuple[Outcome | None, State]]
Show = Callable[[State], Observation]

_MOVES = {EventType.ADMITTED, EventType.GRANTED, EventType.RELEASED, EventType.SEALED, EventType.ENDED}
_RECOVERY = (Claim, Tick, Recover)


@dataclass(frozen=True)
class Broken:
    """A rule that an edge broke, and the shortest way there."""

    rule: str
    path: tuple[Step, ...]


@dataclass
class Exploration:
    """What was found in a scope. `spoken` counts, for each rule, the edges on which its hypothesis was met."""

    scope: Scope
    states: int = 1
    edges: int = 0
    spoken: Counter[str] = field(default_factory=Counter)
    broken: dict[str, Broken] = field(default_factory=dict)
    unsound: list[Step] = field(default_factory=list)
    states_without_end: int = 0

    @property
    def is_clean(self) -> bool:
        return not (self.broken or self.unsound or self.states_without_end)


def explore(
    scope: Scope,
    stepper: Stepper = perfect_step,
    *,
    show: Show = view,
    rules: Iterable[Rule] = BOOK.rules,
    stop_at: Callable[[Exploration], bool] = lambda _: False,
    progress: Callable[[int], None] = lambda _: None,
) -> Exploration:
    """Exhaust the scope with this step function, shown by this view; `stop_at` may end it early."""
    found = Exploration(scope)
    start = State(lease_seconds=scope.lease_seconds)
    arrived_by: dict[State, tuple[State, Step] | None] = {start: None}
    ways: list[tuple[State, State]] = []
    queue = deque([start])
    book = tuple(rules)
    while queue and not stop_at(found):
        state = queue.popleft()
        for edge, after in _edges(scope, stepper, show, state):
            found.edges += 1
            _judge(found, book, edge, lambda: _path_to(arrived_by, state))  # noqa: B023 - called at once
            if after is not state and not truth_is_possible(after):
                found.unsound.append(edge)
            if isinstance(edge.cause, _RECOVERY):
                ways.append((state, after))
            if after not in arrived_by:
                arrived_by[after] = (state, edge)
                queue.append(after)
                found.states = len(arrived_by)
                if found.states % 1000 == 0:
                    progress(found.states)
    found.states_without_end = _without_end(arrived_by, ways) if not queue else 0
    return found


def _edges(scope: Scope, stepper: Stepper, show: Show, state: State) -> Iterator[tuple[Step, State]]:
    """Each thing that may happen next; after each command that was done, also the same command once more."""
    before = show(state)
    for cause in scope.causes(state):
        outcome, raw = stepper(state, cause)
        if raw is state:
            yield Step(before, cause, outcome, before, state.truth, state.truth), state
            continue
        edge = Step(before, cause, outcome, show(raw), state.truth, raw.truth)
        canonical = _canonical(raw)
        yield edge, canonical
        if isinstance(cause, Asked) and isinstance(outcome, Done):
            again, same = stepper(raw, cause)
            yield Step(edge.after, cause, again, show(same), raw.truth, same.truth, repeats=outcome), canonical


def _judge(found: Exploration, book: Iterable[Rule], edge: Step, path: Callable[[], tuple[Step, ...]]) -> None:
    for rule in book:
        held = rule.holds(edge)
        if held is None:
            continue
        found.spoken[rule.id] += 1
        if not held and rule.id not in found.broken:
            found.broken[rule.id] = Broken(rule.id, (*path(), edge))


def _canonical(state: State) -> State:
    """The state without what does not decide its future: answers given, and all of the history but the last move."""
    return replace(state, answers=(), runs=tuple(_with_short_history(run) for run in state.runs))


def _with_short_history(run: Run) -> Run:
    last = next((event for event in reversed(run.history) if event.type in _MOVES), None)
    return replace(run, history=() if last is None else (_first(last),))


def _first(event: EventView) -> EventView:
    return chained(replace(event, number=1, concerns=None, previous_digest=None))


def _path_to(arrived_by: dict[State, tuple[State, Step] | None], state: State) -> tuple[Step, ...]:
    path = []
    while (arrival := arrived_by[state]) is not None:
        state, edge = arrival
        path.append(edge)
    return tuple(reversed(path))


def _without_end(states: Iterable[State], ways: list[tuple[State, State]]) -> int:
    """How many states cannot come to an end, or to `unknown`, by a claim and recovery alone (SETTLE.10)."""
    graph = nx.DiGraph((after, before) for before, after in ways)
    over = [state for state in states if all(run.is_sealed for run in state.runs)]
    graph.add_nodes_from(states)
    reached = set(over)
    for layer in nx.bfs_layers(graph, over):
        reached.update(layer)
    return sum(state not in reached for state in states)
