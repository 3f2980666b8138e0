"""What a system shows of itself between two commands: the state of each run, its ledger and its history."""

from dataclasses import dataclass, fields, replace

from .kept import InheritedView, MarkerView, MaterialView
from .terms import (
    FIRST_BUNDLE,
    TENANT,
    BundleId,
    CallId,
    CallKind,
    CallState,
    Contract,
    EntryPoint,
    EventType,
    Fence,
    RequestId,
    RunId,
    RunState,
    SourceId,
    SpawnId,
    TenantId,
    Undo,
    UserId,
    WorkerId,
)
from .waiting import UNCHANGED, ArrivalView, InForce, WaitView


@dataclass(frozen=True, slots=True)
class CallView:
    """An attempt or an operation, as the system records it.

    `sends` counts how often its sending was committed, of at most `sends_max`. `told_to_stop`: a cancellation found it
    in flight.
    """

    call: CallId
    kind: CallKind
    digest: str
    ceiling_cents: int
    fence: Fence
    state: CallState
    answer: str | None = None
    cost_cents: int | None = None
    supersedes: CallId | None = None
    over_ceiling: bool = False
    compensates: CallId | None = None
    undo: Undo | None = None
    recognises: bool = False
    sends: int = 1
    sends_max: int = 1
    told_to_stop: bool = False

    def is_kept_in(self, later: "CallView | None") -> bool:
        """A later view says the same of this call; only an amount that its answer lacked may have been added."""
        if later == self:
            return True
        lacked = self.state is CallState.CONFIRMED and self.cost_cents is None
        return lacked and later is not None and replace(later, cost_cents=None, over_ceiling=False) == self


@dataclass(frozen=True, slots=True)
class PublicationView:
    """One version of the body shown to the user; versions count from 1."""

    version: int
    body: str
    qualified: bool


@dataclass(frozen=True, slots=True)
class Delivered:
    """What an ended run hands to its user: a qualified version, marked partial unless the run succeeded."""

    version: int
    partial: bool


@dataclass(frozen=True, slots=True)
class EventView:
    """One event of a history. `concerns` is the id of the call, wait, child, marker or material it is about, if any.

    A system that chains its events also gives three digests. `digest` is SHA-256, in hex, over UTF-8: number, type,
    entry point, principal, fence, concerns, payload digest and previous digest, one a line, a missing one as an empty
    line, without a newline at the end. `previous_digest` is that of the event before it, and missing in the first.
    """

    number: int
    type: EventType
    entry_point: EntryPoint
    principal: str
    fence: Fence | None = None
    concerns: str | None = None
    payload_digest: str | None = None
    digest: str | None = None
    previous_digest: str | None = None


@dataclass(frozen=True, slots=True)
class ChildView:
    """A run that was started for a spawn id."""

    spawn: SpawnId
    child: RunId


@dataclass(frozen=True, slots=True)
class BundleView:
    """A bundle that workers support, or did until it was retired."""

    bundle: BundleId
    markers: tuple[str, ...] = ()
    is_retired: bool = False


@dataclass(frozen=True, slots=True)
class ReaderView:
    """A user who may read a source now."""

    source: SourceId
    user: UserId


@dataclass(frozen=True, slots=True)
class PayloadView:
    """A large text that is kept once, by its digest, in a format that has a version."""

    digest: str
    version: int
    characters: int


@dataclass(frozen=True, slots=True)
class RunView:
    """One run. The true cost lies in [`known_cents`, `known_cents + held_cents`].

    `fence` is the highest granted so far, 0 before the first. `lease_left_seconds` is None without a lease, and never
    below 0: 0 is lapsed. `sealed_for` is the end that evidence will turn `unknown` into.

    `waits` are in the order they were sealed in, `arrivals` in the order of their numbers, `materials` in the order
    they were saved in. `deaths` counts the workers lost since the last progress. `inherited` and `open_calls` are what
    a continuation was handed: materials, and the unresolved calls of the run it continues. `assessment` is what
    somebody said of the result, `error` why it failed. `next_decision` is what the decider would do next.
    """

    run: RunId
    contract: Contract
    state: RunState
    fence: Fence
    budget_cents: int
    known_cents: int = 0
    held_cents: int = 0
    unresolved: int = 0
    worker: WorkerId | None = None
    lease_left_seconds: int | None = None
    sealed_for: RunState | None = None
    delivered: Delivered | None = None
    calls: tuple[CallView, ...] = ()
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
    next_decision: str | None = None

    def call(self, call: CallId) -> CallView | None:
        """The call of that id, if the system records one."""
        for view in self.calls:
            if view.call == call:
                return view
        return None

    def wait(self, wait: str) -> WaitView | None:
        """The wait of that id, if the run ever sealed one."""
        for view in self.waits:
            if view.wait == wait:
                return view
        return None

    def material(self, material: str) -> MaterialView | None:
        """The material of that id, if the run saved one."""
        return next((view for view in self.materials if view.material == material), None)


@dataclass(frozen=True, slots=True)
class Observation:
    """Every run of interest, in order of admission, and what is kept beyond one run.

    `bundles` are in order of deployment. `served` is the oldest and the newest version of tables that are served.
    """

    runs: tuple[RunView, ...] = ()
    bundles: tuple[BundleView, ...] = (BundleView(FIRST_BUNDLE),)
    served: tuple[int, int] = (1, 1)
    in_force: InForce = UNCHANGED
    readers: tuple[ReaderView, ...] = ()
    payloads: tuple[PayloadView, ...] = ()

    def run(self, run: RunId) -> RunView | None:
        """The run of that id, if the system has admitted it."""
        for view in self.runs:
            if view.run == run:
                return view
        return None


BESIDE_RUNS = tuple(field.name for field in fields(Observation) if field.name != "runs")
"""What an observation holds beside its runs."""
