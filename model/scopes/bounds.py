"""How much there is of everything in a scope, and whatever anybody may try next: sensible, late, repeated or wrong."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from keepfact.model.state import Call, Run, State
from keepfact.spec.vocabulary import (
    Act,
    CallId,
    CallKind,
    CallState,
    Claim,
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
    RunState,
    Submit,
    Succeed,
    Tick,
)

from .scope import AGAIN, ATTEMPT, DEAR, FRESH, OPERATION, RUN, WORKER, Causes

Subject = Callable[[State, Run], Causes]
"""What may be tried in a scope beyond the life of one run with its calls."""


@dataclass(frozen=True)
class Bounds:
    """One run, its calls with what each may cost, and the subjects that a scope adds.

    `tries_all`: also what is dear, sent under another digest, or done by a worker of the grant before.
    """

    grants: int = 1
    costs: Mapping[CallId, tuple[int, ...]] = field(default_factory=dict)
    publications: int = 0
    budget_cents: int = 2
    ceiling_cents: int = 1
    contract: Contract = Contract.SETTLE
    subjects: tuple[Subject, ...] = ()
    tries_all: bool = True
    sends_max: int = 1
    recognises: bool = False

    def causes(self, state: State) -> Causes:
        """Everything that may come next."""
        run = state.run(RUN)
        yield Observe(FRESH, RUN)
        yield Submit(FRESH, RUN, self.contract, self.budget_cents)
        yield Recover(FRESH, RUN, WORKER if self.contract is Contract.RESUME else None)
        if run is None:
            return
        yield Tick(1)
        if run.fence < self.grants or run.state is not RunState.QUEUED:
            yield Claim(FRESH, RUN, WORKER)
        for fence in self.fences(run):
            yield from self._work(run, fence)
        for call in run.calls:
            yield from self._outside(state, run, call)
            yield from _evidence(state, call)
        for subject in self.subjects:
            yield from subject(state, run)

    def fences(self, run: Run) -> list[Fence]:
        """The current one, and the one before."""
        return fences_of(run) if self.tries_all else fences_of(run)[-1:]

    def _work(self, run: Run, fence: Fence) -> Causes:
        yield Renew(FRESH, RUN, fence)
        if run.fence < self.grants or fence < run.fence:
            yield Release(FRESH, RUN, fence)
        yield from self._intents(run, fence)
        for call in run.calls:
            yield MarkUnknown(FRESH, RUN, fence, call.call)
        if len(run.publications) < self.publications:
            yield Publish(FRESH, RUN, fence, "body", qualified=True)
            yield Publish(FRESH, RUN, fence, "body", qualified=False)
        yield Succeed(FRESH, RUN, fence)
        yield Fail(FRESH, RUN, fence)

    def _intents(self, run: Run, fence: Fence) -> Causes:
        if ATTEMPT in self.costs:
            yield self._intend(fence, ATTEMPT, CallKind.ATTEMPT)
        first = run.calls[0] if run.calls else None
        if OPERATION in self.costs and (ATTEMPT not in self.costs or (first and first.state is not CallState.OPEN)):
            yield self._intend(fence, OPERATION, CallKind.OPERATION)
        if AGAIN in self.costs and len(run.calls) == 1:
            yield Intend(FRESH, RUN, fence, AGAIN, CallKind.ATTEMPT, "arguments", self.ceiling_cents, ATTEMPT)
        if self.tries_all and self.costs:
            yield Intend(FRESH, RUN, fence, ATTEMPT, CallKind.ATTEMPT, "other arguments", self.ceiling_cents)
            yield Intend(FRESH, RUN, fence, DEAR, CallKind.OPERATION, "arguments", self.budget_cents + 1)

    def _intend(self, fence: Fence, call: CallId, kind: CallKind) -> Intend:
        return Intend(
            FRESH,
            RUN,
            fence,
            call,
            kind,
            "arguments",
            self.ceiling_cents,
            recognises=self.recognises,
            sends_max=self.sends_max,
        )

    def _outside(self, state: State, run: Run, call: Call) -> Causes:
        """A call may act at any time after its intent, also long after its run ended, unless it is known never to.

        Its worker, late or not, may report what it heard.
        """
        true = state.truth.of(call.call)
        if true is None and call.state in {CallState.OPEN, CallState.UNKNOWN}:
            for cents in self.costs[call.call]:
                yield Act(RUN, call.call, cents)
        if true is not None and call.recognises and true.requests < call.sends:
            yield Act(RUN, call.call, 0)
        if true is not None:
            fence = call.fence if self.contract is Contract.SETTLE else run.fence
            yield RecordAnswer(FRESH, RUN, fence, call.call, "answer", true.cost_cents)
            yield RecordAnswer(FRESH, RUN, fence, call.call, "answer", None)


def fences_of(run: Run) -> list[Fence]:
    """The fence before the current one, if there was one, and the current one."""
    return [Fence(fence) for fence in range(max(1, run.fence - 1), max(1, run.fence) + 1)]


def _evidence(state: State, call: Call) -> Causes:
    """Evidence is true, but need not be complete."""
    true = state.truth.of(call.call)
    yield Reconcile(FRESH, RUN, call.call, Evidence.AMBIGUOUS, None)
    if true is None:
        yield Reconcile(FRESH, RUN, call.call, Evidence.NOT_FOUND, None)
    else:
        yield Reconcile(FRESH, RUN, call.call, Evidence.CONFIRMED, true.cost_cents)
        yield Reconcile(FRESH, RUN, call.call, Evidence.CONFIRMED, None)
