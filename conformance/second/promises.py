"""What must be there after a command was done: the grant, the count of deaths, and what each kind of command promises.

What each kind promises stands by subject in `done_by_workers`, `done_to_runs` and `done_to_stores`.
"""

from .account import Account
from .complaint import Findings
from .done_by_workers import BY_WORKERS
from .done_to_runs import TO_RUNS
from .done_to_stores import TO_STORES
from .seen import Seen
from .stores import needing_bundle

_PROMISES = BY_WORKERS | TO_RUNS | TO_STORES
_PROGRESS = {
    *("Intend", "SendAgain", "RecordAnswer", "Publish", "Mark", "SaveMaterial", "Spawn", "Wait", "RequestApproval"),
    "Wake",
}


def unkept(seen: Seen, account: Account) -> Findings:
    """Promises that a command which took effect did not keep."""
    outcome, first = seen.outcome or {}, seen.repeats or {}
    if seen.is_repeat and seen.is_done and first.get("is") == "Done" and outcome != first:
        yield "ENTRY.6", f"{seen.name} is given another answer than the first time"
    is_needed = seen.name == "Retire" and outcome.get("reason") == "bundle_needed"
    if is_needed and sorted(outcome["runs"]) != sorted(needing_bundle(seen)):
        yield "VERSION.6", "the refusal to retire does not list the runs that need the bundle"
    if not seen.took_effect:
        return
    yield from _grant(seen, account)
    yield from _deaths(seen)
    if seen.name in _PROMISES and (seen.new is not None or seen.run is None):
        yield from _PROMISES[seen.name](seen, account)


def _grant(seen: Seen, account: Account) -> Findings:
    """A grant is higher than every one before, and what is handed out is what is shown."""
    if seen.name not in {"Claim", "Wake", "Recover"} or seen.new is None or seen.old is None:
        return
    new, handed = seen.new, seen.outcome["grant"] if seen.outcome and seen.is_done else None
    is_granted = bool(seen.changed("fence")) or seen.name in {"Claim", "Wake"}
    if is_granted and new["fence"] <= account.fence_of(seen.old):
        yield "FENCE.1", f"fence {new['fence']} was granted again"
    if is_granted and (new["state"], new["worker"]) != ("running", seen.cause["worker"]):
        yield "ENTRY.4", "the run was granted, and is not held by the one who asked"
    if is_granted and not new["lease_left_seconds"]:
        yield "FENCE.4", "the run was granted without a live lease"
    if seen.is_done and (handed is not None) is not is_granted:
        yield "FENCE.1", "what was handed out is not what was granted"
    if handed is not None and (handed["fence"], handed["lease_seconds"]) != (new["fence"], new["lease_left_seconds"]):
        yield "FENCE.1", "the grant that was handed out is not the one that is shown"


def _deaths(seen: Seen) -> Findings:
    """Deaths on one step are counted; only progress ends the count."""
    if seen.old is None or seen.new is None or not seen.changes:
        return
    resumed = seen.name == "Recover" and seen.old["contract"] == "resume" and seen.old["lease_left_seconds"] == 0
    due = seen.old["deaths"]
    if resumed and seen.old["state"] == "running":
        due += 1
    elif seen.name in _PROGRESS:
        due = 0
    if seen.new["deaths"] != due:
        yield "EFFECT.13", f"{seen.new['deaths']} deaths are counted on a step, not {due}"
