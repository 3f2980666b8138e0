"""The graph of a scope, small enough to look at: classes of states, and what leads from one to another."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from keepfact.model.scopes import Scope
from keepfact.model.scopes.scope import RUN
from keepfact.model.state import Run
from keepfact.model.walker import Walker
from keepfact.spec.vocabulary import Asked, CallState, Refused, RunState

from .names import name_of

Counts = tuple[tuple[str, int], ...]
"""Names of commands and happenings, each with the number of edges, most first."""


class StateClass(StrEnum):
    """Where the main run of a scope stands; what a worker has to look after is told apart while its lease is live."""

    ABSENT = "absent"
    QUEUED = "queued"
    WAITING_APPROVAL = "waiting approval"
    WAITING_EXTERNAL = "waiting external"
    RUNNING = "running"
    CALL_OPEN = "running, call open"
    CALL_UNKNOWN = "running, call unknown"
    CANCELLING = "cancelling"
    LAPSED = "lapsed"
    UNKNOWN = "unknown"
    CANCELLED = "cancelled"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class ClassNode:
    """A class, with its states, the commands that were refused in it, and what was done without leaving it."""

    state_class: StateClass
    states: int
    refused: int
    stays: Counts


@dataclass(frozen=True)
class ClassEdge:
    """Everything that led from one class to another. `is_asked`: a command did, and not only time or the outside."""

    source: StateClass
    target: StateClass
    causes: Counts
    is_asked: bool


@dataclass(frozen=True)
class ClassGraph:
    """A scope by its classes, in the order of a run's life."""

    name: str
    bounds: str
    nodes: tuple[ClassNode, ...]
    edges: tuple[ClassEdge, ...]

    @property
    def states(self) -> int:
        return sum(node.states for node in self.nodes)


def class_graph(scope: Scope, progress: Callable[[int], None] = lambda _: None) -> ClassGraph:
    """Walk the scope to its last edge. Repeats of a command are left out, since they have no effect."""
    walker, refused = Walker(scope), Counter[StateClass]()
    done: dict[tuple[StateClass, StateClass], Counter[str]] = {}
    asked: set[tuple[StateClass, StateClass]] = set()
    for number, (state, edge, after) in enumerate(walker.edges(), 1):
        if number % 10_000 == 0:
            progress(len(walker.arrived_by))
        pair = state_class(state.run(RUN)), state_class(after.run(RUN))
        if isinstance(edge.outcome, Refused):
            refused[pair[0]] += 1
        elif edge.repeats is None:
            done.setdefault(pair, Counter())[name_of(edge.cause)] += 1
            if isinstance(edge.cause, Asked):
                asked.add(pair)
    states = Counter(state_class(state.run(RUN)) for state in walker.arrived_by)
    order = list(StateClass)
    return ClassGraph(
        scope.name,
        scope.bounds,
        tuple(
            ClassNode(one, states[one], refused[one], _counts(done.get((one, one), Counter())))
            for one in order
            if states[one]
        ),
        tuple(
            ClassEdge(*pair, _counts(done[pair]), pair in asked)
            for pair in sorted(done, key=lambda pair: (order.index(pair[0]), order.index(pair[1])))
            if pair[0] is not pair[1]
        ),
    )


def state_class(run: Run | None) -> StateClass:
    """The class of a state in which the main run is this one."""
    if run is None:
        return StateClass.ABSENT
    if run.state is not RunState.RUNNING:
        return StateClass(run.state.replace("_", " "))
    if run.lease_left_seconds == 0:
        return StateClass.LAPSED
    if run.has_open_call:
        return StateClass.CALL_OPEN
    is_unknown = any(call.state is CallState.UNKNOWN for call in run.calls)
    return StateClass.CALL_UNKNOWN if is_unknown else StateClass.RUNNING


def told(counts: Counts) -> str:
    """The names with how often, as `fail ×564, succeed ×188`."""
    return ", ".join(f"{name} ×{count:,}" for name, count in counts)


def title_of(graph: ClassGraph) -> str:
    return f"Scope {graph.name}: {graph.states:,} states in {len(graph.nodes)} classes"


def told_of(node: ClassNode) -> list[str]:
    """What there is to say of a class: its states, what was done without leaving it, what was refused."""
    stays = ", ".join(name for name, _ in node.stays)
    said = (
        f"{node.states:,} state{'s' * (node.states != 1)}",
        f"stays at: {stays}" if stays else "",
        f"refused here ×{node.refused:,}" if node.refused else "",
    )
    return [line for line in said if line]


def _counts(counter: Counter[str]) -> Counts:
    return tuple(sorted(counter.items(), key=lambda item: (-item[1], item[0])))
