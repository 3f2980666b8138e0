"""The three possible outcomes of a command for its caller, and the closed list of reasons to refuse one."""

from dataclasses import dataclass
from enum import StrEnum

from .terms import Fence


@dataclass(frozen=True, slots=True)
class LeaseGrant:
    """What a claim hands out."""

    fence: Fence
    lease_seconds: int


class Reason(StrEnum):
    """Why a command certainly did not happen. `keepfact.spec.entry_points.RULE_OF` names the rule behind each."""

    RUN_EXISTS = "run_exists"
    NO_SUCH_RUN = "no_such_run"
    COMMAND_ID_CONFLICT = "command_id_conflict"
    NOT_QUEUED = "not_queued"
    LEASE_LIVE = "lease_live"
    STALE_FENCE = "stale_fence"
    LEASE_LAPSED = "lease_lapsed"
    NOT_RUNNING = "not_running"
    SEALED = "sealed"
    CALL_OPEN = "call_open"
    CALL_NOT_OPEN = "call_not_open"
    NO_SUCH_CALL = "no_such_call"
    CALL_ID_CONFLICT = "call_id_conflict"
    NOT_SUPERSEDABLE = "not_supersedable"
    OVER_BUDGET = "over_budget"
    NOT_QUALIFIED = "not_qualified"
    ALREADY_RESOLVED = "already_resolved"
    CONTRADICTED = "contradicted"
    MALFORMED = "malformed"


@dataclass(frozen=True, slots=True)
class Done:
    """It happened and is durable. `grant` is what a claim was given."""

    grant: LeaseGrant | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """It certainly did not happen."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class Lost:
    """Nobody knows: a timeout, a cut connection, a COMMIT without an answer."""


Outcome = Done | Refused | Lost
