"""Every change needs a licence: who may change what, by the entry point's row and by what the command is about.

A change without one is laid to the rule that protects what was changed.
"""

from .account import Account
from .complaint import Findings
from .journal import Change
from .seen import ALONE, DOORS, READS, Seen
from .words import ENDS, Thing, is_sealed

_PROGRESS = {"history +", "deaths"}
_HOLD = {"state", "fence", "worker", "lease_left_seconds"}
_END = {"state", "worker", "lease_left_seconds", "sealed_for", "history +"}
_HEARD = {"calls.state", "calls.cost_cents", "calls.over_ceiling", "history +"}

_OWN: dict[str, set[str]] = {
    "Claim": {*_HOLD, "history +"},
    "Renew": {"lease_left_seconds"},
    "Release": {"state", "worker", "lease_left_seconds", "history +"},
    "Intend": {"calls +", "waits.used_by", *_PROGRESS},
    "SendAgain": {"calls.state", "calls.sends", *_PROGRESS},
    "RecordAnswer": {"calls.answer", "deaths", *_HEARD},
    "MarkUnknown": {"calls.state", "history +"},
    "Publish": {"publications +", *_PROGRESS},
    "Succeed": _END,
    "Fail": {"calls.state", "error", *_END},
    "Stop": _END,
    "Recover": {"calls.state", "waits.state", "fence", "deaths", *_END},
    "Cancel": {"state", "waits.state", "calls.told_to_stop", "history +"},
    "Spawn": {"children +", *_PROGRESS},
    "Wait": {"waits +", "state", "worker", "lease_left_seconds", *_PROGRESS},
    "RequestApproval": {"waits +", "state", "worker", "lease_left_seconds", *_PROGRESS},
    "Decide": {"waits.approved", "waits.state", "history +"},
    "Deliver": {"arrivals +", "waits.state", "history +"},
    "Wake": {"waits.state", "deaths", "history +", *_HOLD},
    "Mark": {"markers +", *_PROGRESS},
    "SaveMaterial": {"materials +", *_PROGRESS},
    "ReadMaterial": {"inherited.reads", "history +"},
    "Assess": {"assessment", "history +"},
    "Reconcile": {"state", "sealed_for", *_HEARD},
    "Submit": {"runs +"},
    "Continue": {"runs +"},
}
_OWN["LookedUp"] = _OWN["Reconcile"]

_BY_ITSELF = {
    door: set[str]().union(*(_OWN[name] for name in _OWN if DOORS.get(name, "work") == door))
    for door in ("work", "recover", "wake")
}
"""What a worker that ran by itself may have changed, by the entry point at which it wrote."""

_WIDE: dict[str, set[str]] = {
    "Tick": {"lease_left_seconds", "waits.left_seconds", "materials.fresh_seconds"},
    "Cancel": _OWN["Cancel"],  # of its children; which ones is judged with the cancellation
    "Spawn": {"runs +"},
    "Publish": {"payloads +"},
    "RecordAnswer": {"payloads +"},
    "WorkerRan": {"payloads +", "runs +"},
    "Grant": {"readers +"},
    "Revoke": {"readers -"},
    "Deploy": {"bundles +"},
    "Retire": {"bundles.is_retired"},
    "Migrate": {"served"},
    "EndMigration": {"served"},
    "Purge": {"payloads -"},
    "Drifted": {"in_force"},
}

_PROTECTED = {
    "history": "HISTORY.3",
    "history +": "ENTRY.2",
    "runs": "HISTORY.3",
    "fence": "FENCE.1",
    "worker": "ENTRY.4",
    "lease_left_seconds": "ENTRY.4",
    "state": "HISTORY.4",
    "sealed_for": "SETTLE.9",
    "bundle": "VERSION.1",
    "tenant": "TENANT.1",
    "deaths": "EFFECT.13",
    "assessment": "EFFECT.10",
    "inherited": "CONTINUE.2",
    "open_calls": "CONTINUE.8",
    "publications": "SETTLE.3",
    "materials": "SETTLE.3",
    "arrivals": "WAKE.8",
    "waits": "WAKE.3",
    "waits.checkpoint": "WAKE.2",
    "waits.shown": "APPROVAL.1",
    "waits.approved": "APPROVAL.5",
    "waits.used_by": "APPROVAL.6",
    "children": "EFFECT.12",
    "markers": "VERSION.5",
    "calls +": "EFFECT.1",
    "calls -": "HISTORY.7",
    "calls.answer": "EFFECT.9",
    "calls.cost_cents": "COST.4",
    "calls.ceiling_cents": "COST.3",
    "calls.over_ceiling": "COST.7",
    "calls.state": "EFFECT.5",
    "calls.sends": "EFFECT.7",
    "calls.told_to_stop": "CANCEL.2",
    "calls": "EFFECT.3",
    "bundles": "VERSION.1",
    "served": "VERSION.8",
    "in_force": "APPROVAL.3",
    "readers": "CONTINUE.5",
    "payloads": "HISTORY.10",
}
"""Which rule is broken when this changes under a command that has no business with it."""

_BORN = {"calls +", "publications +", "materials +", "children +", "runs +", "calls.sends"}
_AFTER_THE_END = {"history +", "assessment", "arrivals +", "materials.fresh_seconds", "waits.left_seconds"}
_AFTER_THE_SEAL = _AFTER_THE_END | _HEARD | {"state", "sealed_for"}


def unlicensed(seen: Seen, account: Account) -> Findings:
    """Every change that nobody had the right to make, or that the answer denies."""
    if not seen.changes and seen.truth == seen.truth_before:
        return
    rule = _why_nothing_may_change(seen)
    if rule is not None:
        for what in [change.what for change in seen.changes] or ["what is outside"]:
            yield rule, f"{seen.name} must change nothing, but changed {what}"
        return
    if seen.truth != seen.truth_before and seen.name not in {"Act", "ToolReleased", *ALONE}:
        yield "EFFECT.1", f"{seen.name} reached the outside"
    for change in seen.changes:
        if not _is_licensed(seen, change):
            yield _rule(seen, change), f"{seen.name} changed {change.what} of {change.run or 'the store'}"
        else:
            yield from _after_the_seal(seen, change)


def _why_nothing_may_change(seen: Seen) -> str | None:
    if seen.is_refused:
        return "ENTRY.5"
    if seen.name in {"Observe", "Stream", "Replay"}:
        return "ENTRY.1"
    if seen.is_repeat:
        return "ENTRY.6"
    return {"LookUp": "ENTRY.2", "Restarted": "WAKE.9"}.get(seen.name)


def _is_licensed(seen: Seen, change: Change) -> bool:
    if change.run is not None and change.run == seen.run:
        own = _BY_ITSELF[seen.door] if seen.name == "WorkerRan" else _OWN.get(seen.name, ())
        return change.what in own or change.what in _WIDE.get(seen.name, ())
    return change.what in _WIDE.get(seen.name, ())


def _rule(seen: Seen, change: Change) -> str:
    what = change.what
    if seen.name == "Recover" and what in _BORN:
        return "ENTRY.3"
    if seen.name in {"Continue"} and change.run == seen.get("source"):
        return "CONTINUE.1"
    if seen.name == "ToolReleased":
        return "VERSION.7"
    if seen.name in READS:
        return "ENTRY.1"
    return _PROTECTED.get(what) or _PROTECTED.get(what.replace(".", " ").split(" ")[0]) or "ENTRY.2"


def _after_the_seal(seen: Seen, change: Change) -> Findings:
    """What was sealed stays; evidence, late arrivals and an assessment are all that is still added."""
    run = next((one for one in seen.before["runs"] if one["run"] == change.run), None)
    if run is None or not is_sealed(run):
        return
    allowed = _AFTER_THE_END | _HEARD if run["state"] in ENDS else _AFTER_THE_SEAL
    if change.what not in allowed or (change.what == "state" and not _is_the_end(run, change)):
        rule = "FENCE.7" if change.what in _BORN else "FENCE.6"
        yield rule, f"{change.what} of {change.run} changed after its seal"


def _is_the_end(run: Thing, change: Change) -> bool:
    return bool(change.new == run["sealed_for"])
