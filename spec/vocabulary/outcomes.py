"""The three possible outcomes of a command for its caller, and the closed list of reasons to refuse one."""

from dataclasses import dataclass
from enum import StrEnum

from .observation import EventView
from .terms import Evidence, Fence, RunId


@dataclass(frozen=True, slots=True)
class LeaseGrant:
    """What a claim, a wake or, under `resume`, a recovery hands out."""

    fence: Fence
    lease_seconds: int


@dataclass(frozen=True, slots=True)
class Streamed:
    """What a reader was given: events in order, and whether that was the last of them."""

    events: tuple[EventView, ...]
    is_over: bool


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
    UNSTORABLE = "unstorable"
    REQUEST_TAKEN = "request_taken"
    NOT_ALLOWED = "not_allowed"
    NO_SUCH_BUNDLE = "no_such_bundle"
    BUNDLE_EXISTS = "bundle_exists"
    UNSUPPORTED_BUNDLE = "unsupported_bundle"
    UNSUPPORTED_SCHEMA = "unsupported_schema"
    NOT_REPLAYED = "not_replayed"
    DIVERGED = "diverged"
    BUNDLE_NEEDED = "bundle_needed"
    MIGRATING = "migrating"
    NOT_MIGRATING = "not_migrating"
    OLD_WORKER_LIVE = "old_worker_live"
    WRONG_BRANCH = "wrong_branch"
    CANCELLING = "cancelling"
    NOT_CANCELLING = "not_cancelling"
    NO_WORKER = "no_worker"
    UNRESOLVED = "unresolved"
    NOT_SENDABLE = "not_sendable"
    SENDS_SPENT = "sends_spent"
    STALE_EVIDENCE = "stale_evidence"
    NOT_COMPENSABLE = "not_compensable"
    SPAWN_CONFLICT = "spawn_conflict"
    NOT_A_CHILD = "not_a_child"
    NOT_ENDED = "not_ended"
    NO_SUCH_WAIT = "no_such_wait"
    WAIT_EXISTS = "wait_exists"
    WAIT_CLOSED = "wait_closed"
    EXPIRED = "expired"
    NOT_DUE = "not_due"
    NOT_AWAITED = "not_awaited"
    ARRIVAL_CONFLICT = "arrival_conflict"
    NOT_ACCEPTED = "not_accepted"
    WAKE_CONSUMED = "wake_consumed"
    UNSUPPORTED_FORMAT = "unsupported_format"
    DIGEST_DIFFERS = "digest_differs"
    BUDGET_SPENT = "budget_spent"
    SHOWN_DIFFERS = "shown_differs"
    ALREADY_DECIDED = "already_decided"
    ALREADY_APPROVED = "already_approved"
    NOT_APPROVED = "not_approved"
    APPROVAL_USED = "approval_used"
    DENIED = "denied"
    DRIFTED = "drifted"
    NOT_PERMITTED = "not_permitted"
    MATERIAL_EXISTS = "material_exists"
    NO_SUCH_MATERIAL = "no_such_material"
    NOT_READABLE = "not_readable"
    NO_SUCH_GRANT = "no_such_grant"
    NO_SUCH_PAYLOAD = "no_such_payload"
    PAYLOAD_NEEDED = "payload_needed"


@dataclass(frozen=True, slots=True)
class Done:
    """It happened and is durable, or is read. `grant` is what a claim, a wake or a recovery (resume) was given.

    `evidence` is what a lookup was told, `decision` what a replay came to, `stream` what a reader was given.
    """

    grant: LeaseGrant | None = None
    evidence: Evidence | None = None
    decision: str | None = None
    stream: Streamed | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """It certainly did not happen. `runs` are those that stand in its way, if any."""

    reason: Reason
    runs: tuple[RunId, ...] = ()


@dataclass(frozen=True, slots=True)
class Lost:
    """Nobody knows: a timeout, a cut connection, a COMMIT without an answer."""


Outcome = Done | Refused | Lost
