"""What the perfect system knows, and beside it, hidden from every command, what is true outside."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from keepfact.spec.chain import chained
from keepfact.spec.vocabulary import (
    ENDS,
    FIRST_BUNDLE,
    NO_FENCE,
    NOTHING,
    TENANT,
    UNCHANGED,
    WAITS,
    ArrivalView,
    BundleId,
    BundleView,
    CallId,
    CallKind,
    CallState,
    ChildView,
    Command,
    Contract,
    Delivered,
    Done,
    EntryPoint,
    EventType,
    EventView,
    Fence,
    InForce,
    InheritedView,
    MarkerView,
    MaterialView,
    PayloadView,
    PublicationView,
    ReaderView,
    Refused,
    RequestId,
    RunId,
    RunState,
    TenantId,
    Truth,
    Undo,
    UserId,
    WaitState,
    WaitView,
    WorkerId,
)

MODEL = "model"
"""The principal that events name unless a session says who asked."""

T = TypeVar("T", "Call", "Run", "State")


def changed(thing: T, **fields: Any) -> T:
    """The same thing with these fields exchanged: dataclasses.replace, at a fraction of its time."""
    other = object.__new__(type(thing))
    other.__dict__.update(thing.__dict__)
    other.__dict__.pop("_hash", None)
    other.__dict__.pop("_view", None)
    other.__dict__.update(fields)
    return other


@lru_cache(maxsize=100_000)
def chained_event(
    number: int,
    type_: EventType,
    by: EntryPoint,
    principal: str,
    fence: Fence | None,
    concerns: str | None,
    previous_digest: str | None,
) -> EventView:
    """One event with its digest; the explorer meets the same ones again and again."""
    event = EventView(number, type_, by, principal, fence, concerns, previous_digest=previous_digest)
    return chained(event)


@dataclass(frozen=True)
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
    compensates: CallId | None = None
    undo: Undo | None = None
    recognises: bool = False
    sends: int = 1
    sends_max: int = 1
    told_to_stop: bool = False

    @property
    def is_unresolved(self) -> bool:
        """Something about it is still unknown, so its ceiling stays held."""
        if self.state is CallState.CONFIRMED:
            return self.cost_cents is None
        return self.state is not CallState.NOT_FOUND

    @property
    def is_over_ceiling(self) -> bool:
        return self.cost_cents is not None and self.cost_cents > self.ceiling_cents


@dataclass(frozen=True)
class Run:
    """One run. `lease_left_seconds` is None without a lease and 0 when it lapsed.

    `worker_schema` is the version of tables that the holder is written for, `user` the one who continued another run.
    """

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
    tenant: TenantId = TENANT
    bundle: BundleId = FIRST_BUNDLE
    request: RequestId | None = None
    parent: RunId | None = None
    children: tuple[ChildView, ...] = ()
    waits: tuple[WaitView, ...] = ()
    arrivals: tuple[ArrivalView, ...] = ()
    markers: tuple[MarkerView, ...] = ()
    materials: tuple[MaterialView, ...] = ()
    continues: RunId | None = None
    inherited: tuple[InheritedView, ...] = ()
    open_calls: tuple[CallId, ...] = ()
    deaths: int = 0
    assessment: bool | None = None
    error: str | None = None
    worker_schema: int = 1
    user: UserId | None = None

    def __hash__(self) -> int:
        # Computed once: the explorer looks up every run many times.
        known: int | None = self.__dict__.get("_hash")
        if known is None:
            held = (self.state, self.fence, self.lease_left_seconds, self.calls, self.publications, self.waits)
            kept = (self.arrivals, self.materials, self.inherited, self.children, self.markers, self.deaths)
            known = hash((held, kept))
            self.__dict__["_hash"] = known
        return known

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
    def budget_left_cents(self) -> int:
        """What may still be promised to anybody; below 0 after an amount above its ceiling."""
        return self.budget_cents - self.known_cents - self.held_cents

    @property
    def is_sealed(self) -> bool:
        return self.state in ENDS or self.state is RunState.UNKNOWN

    @property
    def is_waiting(self) -> bool:
        return self.state in WAITS

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
        for call in self.calls:
            if call.call == call_id:
                return call
        return None

    def wait(self, wait_id: str) -> WaitView | None:
        return next((wait for wait in self.waits if wait.wait == wait_id), None)

    @property
    def pending(self) -> WaitView | None:
        """The wait that the run stands at, whether or not its wake was accepted."""
        open_ = (wait for wait in self.waits if wait.state in {WaitState.WAITING, WaitState.ACCEPTED})
        return next(open_, None) if self.is_waiting else None

    def with_call(self, other: Call) -> "Run":
        """The same run with one call exchanged."""
        return changed(self, calls=tuple(other if call.call == other.call else call for call in self.calls))

    def with_wait(self, other: WaitView) -> "Run":
        """The same run with one wait exchanged, or added behind the others."""
        if self.wait(other.wait) is None:
            return changed(self, waits=(*self.waits, other))
        return changed(self, waits=tuple(other if wait.wait == other.wait else wait for wait in self.waits))

    def tells(self, type_: EventType, by: EntryPoint, fence: Fence | None = None, concerns: str | None = None) -> "Run":
        """The same run with one more event in its history."""
        before = self.history[-1].digest if self.history else None
        event = chained_event(len(self.history) + 1, type_, by, MODEL, fence, concerns, before)
        return changed(self, history=(*self.history, event))


@dataclass(frozen=True)
class State:
    """All runs, what is kept beside them, the answers given to each tenant's commands, and the truth outside.

    Only the outside may look at `truth`.
    """

    lease_seconds: int
    runs: tuple[Run, ...] = ()
    answers: tuple[tuple[TenantId, Command, Done], ...] = ()
    truth: Truth = NOTHING
    bundles: tuple[BundleView, ...] = (BundleView(FIRST_BUNDLE),)
    served: tuple[int, int] = (1, 1)
    in_force: InForce = UNCHANGED
    readers: tuple[ReaderView, ...] = ()
    payloads: tuple[PayloadView, ...] = ()

    def __hash__(self) -> int:
        known: int | None = self.__dict__.get("_hash")
        if known is None:
            kept = (self.bundles, self.served, self.in_force, self.readers, self.payloads)
            known = hash((self.runs, self.answers, self.truth, kept))
            self.__dict__["_hash"] = known
        return known

    def run(self, run_id: RunId) -> Run | None:
        for run in self.runs:
            if run.run == run_id:
                return run
        return None

    def bundle(self, bundle_id: BundleId) -> BundleView | None:
        return next((bundle for bundle in self.bundles if bundle.bundle == bundle_id), None)

    def with_run(self, other: Run) -> "State":
        """The same state with one run exchanged, or added behind the others."""
        if self.run(other.run) is None:
            return changed(self, runs=(*self.runs, other))
        return changed(self, runs=tuple(other if run.run == other.run else run for run in self.runs))


Change = Run | Refused
"""What a command makes of its run: the run changed, or why it is refused."""

WideChange = State | Refused
"""What a command makes of everything, where it is about more than one run."""
