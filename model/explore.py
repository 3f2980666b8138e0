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
    states: int = 0
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
    """Put the rules to every edge of the scope, for this step function shown by this view; `stop_at` ends it early."""
    found, walker = Exploration(scope), Walker(scope, stepper, show)
    predicates = [(rule.id, rule.holds) for rule in rules]
    ways: list[tuple[State, State]] = []
    for state, edge, after in walker.edges():
        found.edges += 1
        for rule_id, holds in predicates:
            held = holds(edge)
            if held is None:
                continue
            found.spoken[rule_id] += 1
            if not held and rule_id not in found.broken:
                found.broken[rule_id] = Broken(rule_id, walker.path_along(state, edge))
        if after is not state and not truth_is_possible(after):
            found.unsound.append(edge)
        if isinstance(edge.cause, _RECOVERY):
            ways.append((state, after))
        if found.edges % 10_000 == 0:
            progress(len(walker.arrived_by))
        if stop_at(found):
            return found
    found.states = len(walker.arrived_by)
    found.states_without_end = _without_end(walker.arrived_by, ways)
    return found


class Walker:
    """Goes through a scope breadth first, and remembers the shortest way to each state."""

    def __init__(self, scope: Scope, stepper: Stepper = perfect_step, show: Show = view) -> None:
        self._scope, self._stepper, self._show = scope, stepper, show
        self._start = State(lease_seconds=scope.lease_seconds)
        self._done: Step | None = None
        self.arrived_by: dict[State, tuple[State, Step] | None] = {self._start: None}

    def edges(self) -> Iterator[tuple[State, Step, State]]:
        """Every edge once, nearest states first."""
        queue = deque([self._start])
        while queue:
            state = queue.popleft()
            for edge, after in self._edges_of(state):
                if after is not state and after not in self.arrived_by:
                    self.arrived_by[after] = (state, edge)
                    queue.append(after)
                yield state, edge, after

    def path_along(self, state: State, edge: Step) -> tuple[Step, ...]:
        """The shortest way to the state, and along the edge that was yielded last; a repeat follows its first time."""
        first = (self._done,) if edge.repeats is not None and self._done is not None else ()
        return (*self._path_to(state), *first, edge)

    def _path_to(self, state: State) -> tuple[Step, ...]:
        path = []
        while (arrival := self.arrived_by[state]) is not None:
            state, edge = arrival
            path.append(edge)
        return tuple(reversed(path))

    def _edges_of(self, state: State) -> Iterator[tuple[Step, State]]:
        """Each thing that may happen next; after each command that was done, also the same command once more."""
        before = self._show(state)
        for cause in self._scope.causes(state):
            outcome, raw = self._stepper(state, cause)
            if raw is state:
                yield Step(before, cause, outcome, before, state.truth, state.truth), state
                continue
            edge = Step(before, cause, outcome, self._show(raw), state.truth, raw.truth)
            canonical = _canonical(raw)
            yield edge, canonical
            if isinstance(cause, Asked) and isinstance(outcome, Done):
                self._done = edge
                again, same = self._stepper(raw, cause)
                after = self._show(same)
                yield Step(edge.after, cause, again, after, raw.truth, same.truth, repeats=outcome), canonical


def _canonical(state: State) -> State:
    """The state without what does not decide its future: answers given, and all of the history but the last move."""
    return replace(state, answers=(), runs=tuple(_with_short_history(run) for run in state.runs))


def _with_short_history(run: Run) -> Run:
    last = next((event for event in reversed(run.history) if event.type in _MOVES), None)
    return replace(run, history=() if last is None else (_first(last),))


def _first(event: EventView) -> EventView:
    return chained(replace(event, number=1, concerns=None, previous_digest=None))


def _without_end(states: Iterable[State], ways: list[tuple[State, State]]) -> int:
    """How many states cannot come to an end, or to `unknown`, by a claim and recovery alone (SETTLE.10)."""
    graph = nx.DiGraph((after, before) for before, after in ways)
    over = [state for state in states if all(run.is_sealed for run in state.runs)]
    graph.add_nodes_from(states)
    reached = set(over)
    for layer in nx.bfs_layers(graph, over):
        reached.update(layer)
    return sum(state not in reached for state in states)
