"""The bounded worlds that are explored to the last edge, each with its bounds said and its size pinned."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from keepfact.spec.vocabulary import (
    Act,
    CallId,
    CallKind,
    CallState,
    Cause,
    Claim,
    CommandId,
    Contract,
    Evidence,
    Fail,
    Fence,
    Intend,
    MarkUnknown,
    Observe,
    Publish,
    Reconcile,
    RecordAnswer,
    Recover,
    Release,
    Renew,
    RunId,
    RunState,
    Submit,
    Succeed,
    Tick,
    WorkerId,
)

from .state import Call, Run, State


@dataclass(frozen=True)
class Scope:
    """A bounded world: what may happen next in each of its states. One lease lasts one tick."""

    name: str
    bounds: str
    states: int
    edges: int
    causes: Callable[[State], Iterator[Cause]]
    lease_seconds: int = 1


RUN = RunId("run")
WORKER = WorkerId("worker")
ATTEMPT = CallId("attempt")
OPERATION = CallId("operation")
AGAIN = CallId("again")
DEAR = CallId("dear")
FRESH = CommandId("fresh")
"""The id of every command here: explored states forget what was answered, so each command comes as a new one."""


@dataclass(frozen=True)
class _Bounds:
    """How much there is of everything in one run."""

    grants: int
    costs: dict[CallId, tuple[int, ...]]
    publications: int
    budget_cents: int = 2
    ceiling_cents: int = 1

    def causes(self, state: State) -> Iterator[Cause]:
        """Whatever anybody may try next: sensible, late, repeated or wrong."""
        run = state.run(RUN)
        yield Observe(FRESH, RUN)
        yield Submit(FRESH, RUN, Contract.SETTLE, self.budget_cents)
        yield Recover(FRESH, RUN)
        if run is None:
            return
        yield Tick(1)
        if run.fence < self.grants or run.state is not RunState.QUEUED:
            yield Claim(FRESH, RUN, WORKER)
        for fence in range(max(1, run.fence - 1), max(1, run.fence) + 1):
            yield from self._work(run, Fence(fence))
        for call in run.calls:
            yield from self._outside(state, call)
            yield from _evidence(state, call)

    def _work(self, run: Run, fence: Fence) -> Iterator[Cause]:
        yield Renew(FRESH, RUN, fence)
        if run.fence < self.grants or fence < run.fence:
            yield Release(FRESH, RUN, fence)
        yield Intend(FRESH, RUN, fence, ATTEMPT, CallKind.ATTEMPT, "arguments", self.ceiling_cents)
        yield Intend(FRESH, RUN, fence, ATTEMPT, CallKind.ATTEMPT, "other arguments", self.ceiling_cents)
        if OPERATION in self.costs and run.calls and run.calls[0].state is not CallState.OPEN:
            yield Intend(FRESH, RUN, fence, OPERATION, CallKind.OPERATION, "arguments", self.ceiling_cents)
        if AGAIN in self.costs and len(run.calls) == 1:
            yield Intend(FRESH, RUN, fence, AGAIN, CallKind.ATTEMPT, "arguments", self.ceiling_cents, ATTEMPT)
        yield Intend(FRESH, RUN, fence, DEAR, CallKind.OPERATION, "arguments", self.budget_cents + 1)
        for call in run.calls:
            yield MarkUnknown(FRESH, RUN, fence, call.call)
        if len(run.publications) < self.publications:
            yield Publish(FRESH, RUN, fence, "body", qualified=True)
            yield Publish(FRESH, RUN, fence, "body", qualified=False)
        yield Succeed(FRESH, RUN, fence)
        yield Fail(FRESH, RUN, fence)

    def _outside(self, state: State, call: Call) -> Iterator[Cause]:
        """A call may act at any time after its intent, also long after its run ended, unless it is known never to.

        Its worker, late or not, may report what it heard.
        """
        true = state.truth.of(call.call)
        if true is None and call.state in {CallState.OPEN, CallState.UNKNOWN}:
            for cents in self.costs[call.call]:
                yield Act(RUN, call.call, cents)
        if true is not None:
            yield RecordAnswer(FRESH, RUN, call.fence, call.call, "answer", true.cost_cents)
            yield RecordAnswer(FRESH, RUN, call.fence, call.call, "answer", None)


def _evidence(state: State, call: Call) -> Iterator[Cause]:
    """Evidence is true, but need not be complete."""
    true = state.truth.of(call.call)
    yield Reconcile(FRESH, RUN, call.call, Evidence.AMBIGUOUS, None)
    if true is None:
        yield Reconcile(FRESH, RUN, call.call, Evidence.NOT_FOUND, None)
    else:
        yield Reconcile(FRESH, RUN, call.call, Evidence.CONFIRMED, true.cost_cents)
        yield Reconcile(FRESH, RUN, call.call, Evidence.CONFIRMED, None)


CORE = Scope(
    name="core",
    bounds="1 run (settle), 2 grants, 1 attempt that costs its ceiling of 1 cent, then 1 operation that costs nothing, "
    "a budget of 2 cents, 1 publication, leases of one tick",
    states=9061,
    edges=315989,
    causes=_Bounds(grants=2, costs={ATTEMPT: (1,), OPERATION: (0,)}, publications=1).causes,
)
COSTS = Scope(
    name="costs",
    bounds="1 run (settle), 1 grant, 1 attempt that costs 0, 1 or (above its ceiling of 1) 2 cents, then 1 operation "
    "that costs 1 or 2 cents, a budget of 2 cents, no publication, leases of one tick",
    states=3002,
    edges=82916,
    causes=_Bounds(grants=1, costs={ATTEMPT: (0, 1, 2), OPERATION: (1, 2)}, publications=0).causes,
)
RETRY = Scope(
    name="retry",
    bounds="1 run (settle), 1 grant, 1 attempt that costs its ceiling of 1 cent, then another that supersedes it, "
    "1 operation that never acts, a budget of 2 cents, no publication, leases of one tick",
    states=978,
    edges=25358,
    causes=_Bounds(grants=1, costs={ATTEMPT: (1,), AGAIN: (1,), OPERATION: ()}, publications=0).causes,
)
SCOPES = (CORE, COSTS, RETRY)
