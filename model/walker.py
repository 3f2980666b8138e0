"""Goes through a scope breadth first, and knows the shortest way to each state."""

from collections import deque
from collections.abc import Callable, Iterator

from keepfact.spec.vocabulary import (
    MOVES,
    Asking,
    Cause,
    Command,
    Done,
    EventView,
    Observation,
    Outcome,
    Step,
)

from .scopes import LEASE_SECONDS, Scope
from .state import Run, State, chained_event, changed
from .step import step as perfect_step
from .view import view

Stepper = Callable[[State, Cause], tuple[Outcome | None, State]]
Show = Callable[[State], Observation]
Edge = tuple[State, Step, State]
"""The state before, the step, and the state after, as far as it decides the future."""


class Walker:
    """Every edge of a scope, for this step function shown by this view."""

    def __init__(self, scope: Scope, stepper: Stepper = perfect_step, show: Show = view) -> None:
        self._scope, self._stepper, self._show = scope, stepper, show
        self.start = State(LEASE_SECONDS)
        self._runs: dict[Run, Run] = {}
        self.arrived_by: dict[State, tuple[State, Cause | Asking] | None] = {self.start: None}

    def edges(self) -> Iterator[Edge]:
        """Every edge once, nearest states first."""
        queue = deque([self.start])
        while queue:
            state = queue.popleft()
            for cause, edge in self.edges_from(state):
                after = edge[2]
                if after is not state and after not in self.arrived_by:
                    self.arrived_by[after] = (state, cause)
                    queue.append(after)
                yield edge

    def edges_from(self, state: State) -> Iterator[tuple[Cause | Asking, Edge]]:
        """Every edge that begins at one state, beside what was tried."""
        before = self._show(state)
        for cause in self._scope.causes(state):
            for edge in self._edges_of(state, before, cause):
                yield cause, edge

    def successors(self, state: State) -> Iterator[tuple[Cause | Asking, State]]:
        """Where each cause leads from one state, with nothing made for rules to look at."""
        for cause in self._scope.causes(state):
            raw = self._stepper(state, cause)[1]  # type: ignore[arg-type]  # defects pass on what they do not know
            yield cause, state if raw is state else self._canonical(state, raw)

    def path_along(self, state: State, edge: Step) -> tuple[Step, ...]:
        """The shortest way to the state, and along one of its edges; a repeat follows its first time."""
        causes: list[Cause | Asking] = [edge.cause if edge.session is None else _asking(edge)]
        while (arrival := self.arrived_by[state]) is not None:
            state, cause = arrival
            causes.append(cause)
        return self._gone(tuple(reversed(causes)), repeats=edge.repeats is not None)

    def _gone(self, causes: tuple[Cause | Asking, ...], *, repeats: bool) -> tuple[Step, ...]:
        """The steps along these causes, with whole histories, each command under an id that counts as new."""
        steps, state = [], self.start
        for cause in causes:
            made, after = self._step(changed(state, answers=()), self._show(state), cause)
            steps.append(made)
            if cause is causes[-1] and repeats:
                steps.append(self._again(made, after, cause))
            state = after
        return tuple(steps)

    def _edges_of(self, state: State, before: Observation, cause: Cause | Asking) -> Iterator[Edge]:
        """What comes of it; if it is a command that was done, also of the same command once more."""
        made, raw = self._step(state, before, cause)
        if raw is state:
            yield state, made, state
            return
        after = self._canonical(state, raw)
        yield state, made, after
        if isinstance(cause, (Command, Asking)) and isinstance(made.outcome, Done):
            yield state, self._again(made, raw, cause), after

    def _step(
        self, state: State, before: Observation, cause: Cause | Asking, repeats: Outcome | None = None
    ) -> tuple[Step, State]:
        outcome, raw = self._stepper(state, cause)  # type: ignore[arg-type]  # defects pass on what they do not know
        after = before if raw is state else self._show(raw)
        asked, session = (cause.command, cause.session) if isinstance(cause, Asking) else (cause, None)
        return Step(before, asked, outcome, after, state.truth, raw.truth, repeats, session), raw

    def _again(self, made: Step, raw: State, cause: Cause | Asking) -> Step:
        return self._step(raw, made.after, cause, made.outcome)[0]

    def _canonical(self, before: State, after: State) -> State:
        """The state without what does not decide its future: answers given, and of the history all but the last move.

        Equal runs become the same object, so that comparing states is cheap.
        """
        old = before.runs
        runs = tuple(run if run in old else self._known(_with_short_history(run)) for run in after.runs)
        return changed(after, answers=(), runs=runs)

    def _known(self, run: Run) -> Run:
        return self._runs.setdefault(run, run)


def _asking(edge: Step) -> Asking:
    if edge.session is None or not isinstance(edge.cause, Command):
        raise AssertionError(f"expected a command asked in a session, but got {edge.cause}")
    return Asking(edge.session, edge.cause)


def _with_short_history(run: Run) -> Run:
    last = next((event for event in reversed(run.history) if event.type in MOVES), None)
    return changed(run, history=() if last is None else (_first(last),))


def _first(event: EventView) -> EventView:
    return chained_event(1, event.type, event.entry_point, event.principal, event.fence, None, None)
