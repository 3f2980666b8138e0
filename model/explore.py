"""Every state of a scope, with every rule put to every edge; the first failure found is the shortest."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from keepfact.spec.book import BOOK
from keepfact.spec.chapter import Predicate, Rule
from keepfact.spec.vocabulary import Claim, Deliver, Recover, Step, Tick, Wake

from .scopes import Scope
from .state import State
from .step import step as perfect_step
from .view import view
from .walker import Show, Stepper, Walker
from .worlds import truth_is_possible

_RECOVERY = (Claim, Tick, Recover, Deliver, Wake)
"""What brings a run on without any work: grants, time, recovery, and the wakes of waits that are complete."""


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
    rules: Iterable[Rule] | None = None,
    stop_at: Callable[[Exploration], bool] = lambda _: False,
    progress: Callable[[int], None] = lambda _: None,
) -> Exploration:
    """Put rules to every edge of the scope, for this step function shown by this view; `stop_at` ends it early.

    Without `rules` they are those of the book that can apply to what happens in the scope.
    """
    found, walker = Exploration(scope), Walker(scope, stepper, show)
    rules = applicable(scope) if rules is None else tuple(rules)
    predicates, ways, spoken = _Predicates(rules), list[tuple[State, State]](), found.spoken
    idle = _Predicates(rule for rule in rules if not rule.of_changes)
    for state, edge, after in walker.edges():
        found.edges += 1
        asked = idle if edge.changed_nothing and edge.truth is edge.truth_before else predicates
        for rule_id, holds in asked[type(edge.cause)]:
            held = holds(edge)
            if held is None:
                continue
            spoken[rule_id] += 1
            if not held and rule_id not in found.broken:
                found.broken[rule_id] = Broken(rule_id, walker.path_along(state, edge))
        if after is not state:
            if _learns(state, after) and not truth_is_possible(after):
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


def applicable(scope: Scope) -> list[Rule]:
    """The rules of the book that can apply to a system which offers what happens in the scope."""
    return [rule for rule in BOOK.rules if rule.applies_to(frozenset({scope.contract}), scope.needs)]


class _Predicates(dict[type, list[tuple[str, Predicate]]]):
    """The rules that can speak of a class of causes, found once for each class."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)

    def __missing__(self, cause: type) -> list[tuple[str, Predicate]]:
        self[cause] = [(rule.id, rule.holds) for rule in self._rules if rule.is_about(cause)]
        return self[cause]


def _learns(before: State, after: State) -> bool:
    """Whether anything about calls changed, in what is known or in what is true: soundness is about nothing else."""
    if before.truth is not after.truth or len(before.runs) != len(after.runs):
        return True
    return any(old.calls is not new.calls for old, new in zip(before.runs, after.runs, strict=True))


def _without_end(states: Iterable[State], ways: list[tuple[State, State]]) -> int:
    """How many states cannot come to an end, or to `unknown`, without any work (SETTLE.10): backwards from the ends."""
    befores: dict[State, list[State]] = {}
    for before, after in ways:
        befores.setdefault(after, []).append(before)
    reached = {state for state in states if all(run.is_sealed for run in state.runs)}
    waiting = list(reached)
    while waiting:
        news = [state for state in befores.get(waiting.pop(), ()) if state not in reached]
        reached.update(news)
        waiting += news
    return sum(state not in reached for state in states)
