"""What a system shows of itself between two commands: the state of each run, its ledger and its history."""

from dataclasses import dataclass, replace

from .terms import CallId, CallKind, CallState, Contract, EntryPoint, EventType, Fence, RunId, RunState, WorkerId


@dataclass(frozen=True, slots=True)
class CallView:
    """An attempt or an operation, as the system records it."""

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
    """One event of a history. `concerns` is the call it is about, if any.

    A system that chains its events also gives three digests; the recipe is `keepfact.spec.chain.event_digest`.
    """

    number: int
    type: EventType
    entry_point: EntryPoint
    principal: str
    fence: Fence | None = None
    concerns: CallId | None = None
    payload_digest: str | None = None
    digest: str | None = None
    previous_digest: str | None = None


@dataclass(frozen=True, slots=True)
class RunView:
    """One run. The true cost lies in [`known_cents`, `known_cents + held_cents`].

    `fence` is the highest granted so far, 0 before the first. `lease_left_seconds` is None without a lease, and never
    below 0: 0 is lapsed. `sealed_for` is the end that evidence will turn `unknown` into.
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

    def call(self, call: CallId) -> CallView | None:
        """The call of that id, if the system records one."""
        return next((view for view in self.calls if view.call == call), None)


@dataclass(frozen=True, slots=True)
class Observation:
    """Every run of interest, in order of admission."""

    runs: tuple[RunView, ...] = ()

    def run(self, run: RunId) -> RunView | None:
        """The run of that id, if the system has admitted it."""
        return next((view for view in self.runs if view.run == run), None)
