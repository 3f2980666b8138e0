"""How each reason for which the store refuses a command is told in HTTP: its class, its status, its rule."""

from dataclasses import dataclass
from enum import Enum

from ..outcomes import Refused
from .problems import Problem


class Class(Enum):
    """One status a class: what was expected, and what whoever asked can do now."""

    FORBIDDEN = (403, "to be allowed to do this", "Ask whoever can allow it, or ask for something else.")
    ABSENT = (404, "what the command names to exist", "Check the ids, and ask again.")
    CONFLICT = (409, "a state in which this can be done", "Read the run, and ask again when its state allows it.")
    OVER = (410, "the chance for this not to be over", "Read the run: asking again will not bring the chance back.")
    UNACCEPTABLE = (422, "fields that the store can take", "Correct the fields, and ask again.")

    def __init__(self, status: int, expected: str, next_step: str) -> None:
        self.status = status
        self.expected = expected
        self.next_step = next_step


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a reason means: its class, the rule of the book behind it, and what was seen."""

    kind: Class
    rule: str
    seen: str


def problem_of(refused: Refused) -> Problem:
    """The answer to a refused command."""
    refusal = REFUSALS.get(refused.reason, UNLISTED)
    return Problem(
        refusal.kind.status,
        refused.reason,
        expected=refusal.kind.expected,
        seen=refusal.seen,
        next_step=refusal.kind.next_step,
        rule=refusal.rule,
        runs=list(refused.runs),
    )


UNLISTED = Refusal(Class.CONFLICT, "", "the store refused it for the reason given")
"""A reason of a later release: its functions are exchanged below a gateway that goes on serving."""

REFUSALS = {
    "run_exists": Refusal(Class.CONFLICT, "HISTORY.3", "there is a run of this id"),
    "no_such_run": Refusal(Class.ABSENT, "ENTRY.4", "there is no run of this id"),
    "command_id_conflict": Refusal(Class.CONFLICT, "ENTRY.6", "another command was done under this Idempotency-Key"),
    "not_queued": Refusal(Class.CONFLICT, "ENTRY.4", "no such run is in the queue"),
    "lease_live": Refusal(Class.CONFLICT, "FENCE.4", "a worker holds a live lease on the run"),
    "stale_fence": Refusal(Class.OVER, "FENCE.2", "the fence is not that of the last grant"),
    "lease_lapsed": Refusal(Class.OVER, "FENCE.3", "the lease has lapsed"),
    "not_running": Refusal(Class.CONFLICT, "ENTRY.4", "the run is not being executed"),
    "sealed": Refusal(Class.OVER, "FENCE.6", "the run is sealed"),
    "call_open": Refusal(Class.CONFLICT, "SETTLE.5", "a call is still in flight"),
    "call_not_open": Refusal(Class.OVER, "EFFECT.9", "the call is not in flight any more"),
    "no_such_call": Refusal(Class.ABSENT, "EFFECT.1", "the run has no call of this id"),
    "call_id_conflict": Refusal(Class.CONFLICT, "EFFECT.3", "the call of this id is another one"),
    "not_supersedable": Refusal(Class.CONFLICT, "HISTORY.7", "the attempt to supersede is not one that was lost"),
    "over_budget": Refusal(Class.CONFLICT, "COST.1", "known and held costs with this ceiling exceed the budget"),
    "not_qualified": Refusal(Class.CONFLICT, "SETTLE.5", "the run has no qualified publication"),
    "already_resolved": Refusal(Class.OVER, "EFFECT.9", "the call is resolved"),
    "stale_evidence": Refusal(Class.CONFLICT, "EFFECT.7", "the call was sent once more since this was found out"),
    "contradicted": Refusal(Class.CONFLICT, "EFFECT.9", "the evidence contradicts the answer that is recorded"),
    "malformed": Refusal(Class.UNACCEPTABLE, "ENTRY.5", "a field that cannot be stored, or fields that do not fit"),
    "unstorable": Refusal(Class.UNACCEPTABLE, "HISTORY.9", "a text that cannot be stored"),
    "request_taken": Refusal(Class.CONFLICT, "CONTINUE.10", "this request has admitted a run"),
    "not_allowed": Refusal(Class.FORBIDDEN, "TENANT.2", "the entry point may not do this"),
    "no_such_bundle": Refusal(Class.ABSENT, "VERSION.1", "there is no bundle of this id"),
    "bundle_exists": Refusal(Class.CONFLICT, "VERSION.1", "there is a bundle of this id"),
    "unsupported_bundle": Refusal(Class.CONFLICT, "VERSION.2", "the run's bundle is none of those supported"),
    "unsupported_schema": Refusal(Class.CONFLICT, "VERSION.8", "this version of the tables is not served"),
    "not_replayed": Refusal(Class.CONFLICT, "VERSION.3", "no stored history was replayed"),
    "diverged": Refusal(Class.CONFLICT, "VERSION.3", "a replayed history diverged"),
    "bundle_needed": Refusal(Class.CONFLICT, "VERSION.6", "runs that have not ended need the bundle"),
    "migrating": Refusal(Class.CONFLICT, "VERSION.8", "a migration is under way"),
    "not_migrating": Refusal(Class.CONFLICT, "VERSION.8", "no migration is under way"),
    "old_worker_live": Refusal(Class.CONFLICT, "VERSION.8", "a worker of the old version holds a lease"),
    "wrong_branch": Refusal(Class.CONFLICT, "VERSION.4", "the run takes the other branch"),
    "cancelling": Refusal(Class.CONFLICT, "CANCEL.1", "the run was asked to stop"),
    "not_cancelling": Refusal(Class.CONFLICT, "CANCEL.3", "nobody asked the run to stop"),
    "no_worker": Refusal(Class.CONFLICT, "SETTLE.7", "no worker was named to go on with the run"),
    "unresolved": Refusal(Class.CONFLICT, "SETTLE.7", "an operation is unresolved"),
    "not_sendable": Refusal(Class.CONFLICT, "EFFECT.7", "nothing permits to send the call again"),
    "sends_spent": Refusal(Class.OVER, "EFFECT.8", "the call was sent as often as it may be"),
    "not_compensable": Refusal(Class.CONFLICT, "EFFECT.11", "what it should compensate cannot be compensated so"),
    "spawn_conflict": Refusal(Class.CONFLICT, "EFFECT.12", "this spawn id started another child"),
    "not_a_child": Refusal(Class.CONFLICT, "WAKE.11", "the run waited for is no child of this one"),
    "not_ended": Refusal(Class.CONFLICT, "CONTINUE.9", "the run has not ended"),
    "no_such_wait": Refusal(Class.ABSENT, "WAKE.3", "the run has no wait of this id"),
    "wait_exists": Refusal(Class.CONFLICT, "WAKE.3", "the run has a wait of this id"),
    "wait_closed": Refusal(Class.OVER, "WAKE.6", "the wait is closed"),
    "expired": Refusal(Class.OVER, "WAKE.6", "the wait has expired"),
    "not_due": Refusal(Class.CONFLICT, "WAKE.9", "the timer is not due"),
    "not_awaited": Refusal(Class.CONFLICT, "WAKE.8", "the wait is for something else"),
    "arrival_conflict": Refusal(Class.CONFLICT, "WAKE.3", "another arrival has this number"),
    "not_accepted": Refusal(Class.CONFLICT, "WAKE.4", "nothing was accepted yet that wakes the run"),
    "wake_consumed": Refusal(Class.OVER, "WAKE.5", "the wake was consumed"),
    "unsupported_format": Refusal(Class.CONFLICT, "WAKE.6", "the checkpoint is of another format"),
    "digest_differs": Refusal(Class.CONFLICT, "WAKE.6", "the digest differs from that of the checkpoint"),
    "budget_spent": Refusal(Class.OVER, "WAKE.6", "the budget is spent"),
    "shown_differs": Refusal(Class.CONFLICT, "APPROVAL.1", "what was shown is not what is asked for"),
    "already_decided": Refusal(Class.OVER, "APPROVAL.5", "the request was decided otherwise"),
    "already_approved": Refusal(Class.CONFLICT, "WAKE.10", "the operation is approved"),
    "not_approved": Refusal(Class.FORBIDDEN, "APPROVAL.2", "nobody approved this operation"),
    "approval_used": Refusal(Class.OVER, "APPROVAL.6", "the approval was used"),
    "denied": Refusal(Class.FORBIDDEN, "APPROVAL.7", "the operation was denied"),
    "drifted": Refusal(Class.CONFLICT, "APPROVAL.3", "what the approval is bound to has changed"),
    "not_permitted": Refusal(Class.FORBIDDEN, "APPROVAL.4", "the permission is not there any more"),
    "material_exists": Refusal(Class.CONFLICT, "HISTORY.3", "there is a material of this id"),
    "no_such_material": Refusal(Class.ABSENT, "CONTINUE.3", "there is no such material for the run"),
    "not_readable": Refusal(Class.FORBIDDEN, "CONTINUE.3", "the user may not read a source of the material"),
    "no_such_grant": Refusal(Class.ABSENT, "CONTINUE.5", "the user has no grant for the source"),
    "no_such_payload": Refusal(Class.ABSENT, "HISTORY.10", "no text of this digest is kept"),
    "payload_needed": Refusal(Class.CONFLICT, "HISTORY.10", "the text is still needed"),
}
