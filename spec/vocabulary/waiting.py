"""What a system shows of a run that waits: the checkpoint, what was shown to a person, what arrived."""

from dataclasses import dataclass

from .terms import BundleId, CallId, RunId, WaitId, WaitKind, WaitState


@dataclass(frozen=True, slots=True)
class InForce:
    """What approvals are bound to, as it is now: counted versions, and whether approving is permitted."""

    resource: int = 1
    plan: int = 1
    policy: int = 1
    permitted: bool = True


UNCHANGED = InForce()


@dataclass(frozen=True, slots=True)
class Shown:
    """What a person was asked to approve, and what held then. `differs` names what has changed since an earlier request
    for the same operation.
    """

    call: CallId
    digest: str
    risk: str
    basis: str
    in_force: InForce
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The sealed safe point: what must be the same when the run goes on."""

    format: int
    bundle: BundleId
    digest: str
    history_number: int
    budget_left_cents: int


@dataclass(frozen=True, slots=True)
class WaitView:
    """One wait. `left_seconds` counts down to 0: then a timer is due and anything else expired.

    `approved` is the decision, `used_by` the operation that has used it.
    """

    wait: WaitId
    kind: WaitKind
    checkpoint: Checkpoint
    left_seconds: int
    state: WaitState = WaitState.WAITING
    arrivals: int = 1
    child: RunId | None = None
    shown: Shown | None = None
    approved: bool | None = None
    used_by: CallId | None = None


@dataclass(frozen=True, slots=True)
class ArrivalView:
    """Something that came for a wait, before it or in time; `is_late` came when it could not wake any more."""

    wait: WaitId
    number: int
    digest: str
    is_late: bool = False
