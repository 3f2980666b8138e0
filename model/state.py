"""What the perfect system knows, and beside it, hidden from every command, what is true outside."""

from dataclasses import dataclass, replace

from keepfact.spec.chain import chained
from keepfact.spec.vocabulary import (
    ENDS,
    NO_FENCE,
    NOTHING,
    CallId,
    CallKind,
    CallState,
    Command,
    Contract,
    Delivered,
    Done,
    EntryPoint,
    EventType,
    EventView,
    Fence,
    PublicationView,
    Refused,
    RunId,
    RunState,
    Truth,
    WorkerId,
)


@dataclass(frozen=True, slots=True)
class Call:
    """An attempt or an operation. Its amount is unknown until `cost_cents` is a number."""

    call: CallId
    kind: CallKind
    digest: str
    ceiling_cents: int
    fence: Fence
    supersedes: CallId | None
    state: CallState = CallState.OPEN
    answer: str | None = None
    cost_cents: int | None = None

    @property
    def is_unresolved(self) -> bool:
        """Something about it is still unknown, so its ceiling stays held."""
        if self.state is CallState.CONFIRMED:
            return self.cost_cents is None
        return self.state is not CallState.NOT_FOUND

    @property
    def is_over_ceiling(self) -> bool:
        return self.cost_cents is not None and self.cost_cents > self.ceiling_cents


@dataclass(frozen=True, slots=True)
class Run:
    """One run. `lease_left_seconds` is None without a lease and 0 when it lapsed."""

    run: RunId
    contract: Contract
    budget_cents: int
    state: RunState = RunState.QUEUED
    fence: Fence = NO_FENCE
    worker: WorkerId | None = None
    lease_left_seconds: int | None = None
    sealed_for: RunState | None = None
    calls: tuple[Call, ...] = ()
    publications: tuple[PublicationView, ...] = ()
    history: tuple[EventView, ...] = ()

    @property
    def known_cents(self) -> int:
        return sum(call.cost_cents or 0 for call in self.calls)

    @property
    def held_cents(self) -> int:
        return sum(call.ceiling_cents for call in self.calls if call.is_unresolved)

    @property
    def unresolved(self) -> int:
        return sum(call.is_unresolved for call in self.calls)

    @property
    def is_sealed(self) -> bool:
        return self.state in ENDS or self.state is RunState.UNKNOWN

    @property
    def has_open_call(self) -> bool:
        return any(call.state is CallState.OPEN for call in self.calls)

    @property
    def delivered(self) -> Delivered | None:
        """What its user gets: nothing before the seal, then the last qualified version."""
        qualified = [publication.version for publication in self.publications if publication.qualified]
        if not (self.is_sealed and qualified):
            return None
        return Delivered(qualified[-1], partial=self.state is not RunState.SUCCEEDED)

    def call(self, call_id: CallId) -> Call | None:
        return next((call for call in self.calls if call.call == call_id), None)

    def with_call(self, changed: Call) -> "Run":
        """The same run with one call exchanged."""
        return replace(self, calls=tuple(changed if call.call == changed.call else call for call in self.calls))

    def tells(
        self, type_: EventType, by: EntryPoint, fence: Fence | None = None, concerns: CallId | None = None
    ) -> "Run":
        """The same run with one more event in its history."""
        before = self.history[-1].digest if self.history else None
        event = EventView(len(self.history) + 1, type_, by, "model", fence, concerns, previous_digest=before)
        return replace(self, history=(*self.history, chained(event)))


@dataclass(frozen=True, slots=True)
class State:
    """All runs, the answers given under command ids, and the truth outside. Only the outside may look at `truth`."""

    lease_seconds: int
    runs: tuple[Run, ...] = ()
    answers: tuple[tuple[Command, Done], ...] = ()
    truth: Truth = NOTHING

    def run(self, run_id: RunId) -> Run | None:
        return next((run for run in self.runs if run.run == run_id), None)

    def with_run(self, changed: Run) -> "State":
        """The same state with one run exchanged, or added behind the others."""
        if self.run(changed.run) is None:
            return replace(self, runs=(*self.runs, changed))
        return replace(self, runs=tuple(changed if run.run == changed.run else run for run in self.runs))


Change = Run | Refused
"""What a command makes of its run: the run changed, or why it is refused."""
