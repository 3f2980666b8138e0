"""How a run comes to be, is looked at, is recovered, is cancelled, and is spoken of afterwards."""

from dataclasses import dataclass

from keepfact.spec.vocabulary.terms import (
    FIRST_BUNDLE,
    LATEST,
    BundleId,
    CallId,
    Contract,
    EntryPoint,
    Evidence,
    Fence,
    RequestId,
    RunId,
    UserId,
    WorkerId,
)

from .asked import AskedOfRun, Worked


@dataclass(frozen=True, slots=True)
class Observe(AskedOfRun):
    """Read a run. Writes nothing at all."""

    entry_point = EntryPoint.OBSERVE


@dataclass(frozen=True, slots=True)
class Stream(AskedOfRun):
    """Read the events after number `after`; done, it carries them, and whether any can still come."""

    entry_point = EntryPoint.OBSERVE

    after: int


@dataclass(frozen=True, slots=True)
class Replay(AskedOfRun):
    """Decide again from the stored history, on whatever host; done, it carries the next decision."""

    entry_point = EntryPoint.OBSERVE

    host: str


@dataclass(frozen=True, slots=True)
class Submit(AskedOfRun):
    """Admit a new run, pinned to its contract and its resolved bundle, with a budget."""

    entry_point = EntryPoint.SUBMIT

    contract: Contract
    budget_cents: int
    bundle: BundleId = LATEST
    request: RequestId | None = None


@dataclass(frozen=True, slots=True)
class Continue(AskedOfRun):
    """Admit a new run that may read what `source` left, as far as `user` may read it. `source` gains nothing."""

    entry_point = EntryPoint.CONTINUE

    source: RunId
    user: UserId
    contract: Contract
    budget_cents: int
    request: RequestId | None = None


@dataclass(frozen=True, slots=True)
class Claim(AskedOfRun):
    """Ask for a lease on a queued run; done, it carries the grant.

    `supports` are the bundles that the worker's release can run, `schema` the version of tables it is written for.
    """

    entry_point = EntryPoint.WORK

    worker: WorkerId
    supports: tuple[BundleId, ...] = (FIRST_BUNDLE,)
    schema: int = 1


@dataclass(frozen=True, slots=True)
class Recover(AskedOfRun):
    """Bring a run whose worker was lost to an honest end (settle), or grant it to `worker` to go on (resume).

    `seen_fence` is what a sweep saw when it listed the run, before it came to write.
    """

    entry_point = EntryPoint.RECOVER

    worker: WorkerId | None = None
    supports: tuple[BundleId, ...] = (FIRST_BUNDLE,)
    seen_fence: Fence | None = None


@dataclass(frozen=True, slots=True)
class Cancel(AskedOfRun):
    """Ask a run and its children to stop; nothing new is dispatched from its commit on."""

    entry_point = EntryPoint.CANCEL


@dataclass(frozen=True, slots=True)
class Stop(Worked):
    """End a run that was asked to stop, as cancelled; sealed as unknown instead while anything is unresolved."""


@dataclass(frozen=True, slots=True)
class LookUp(AskedOfRun):
    """Ask the tool what became of a call; done, it carries what the tool said. Nothing is written or sent again."""

    entry_point = EntryPoint.RECONCILE

    call: CallId


@dataclass(frozen=True, slots=True)
class Reconcile(AskedOfRun):
    """Bring evidence on an unresolved call; `cost_cents` is an amount only with `confirmed`, else None.

    `sends` is how often the call had been sent when somebody was asked about it, where that is known.
    """

    entry_point = EntryPoint.RECONCILE

    call: CallId
    evidence: Evidence
    cost_cents: int | None
    sends: int | None = None


@dataclass(frozen=True, slots=True)
class Assess(AskedOfRun):
    """A person or an evaluator says whether the result of an ended run is good (EFFECT.10)."""

    entry_point = EntryPoint.DECIDE

    good: bool
