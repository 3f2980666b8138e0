"""What time, the outside and a change in force may do, and what secrets and shared stores must look like after all."""

import json

from .account import Account
from .complaint import Findings
from .seen import Seen
from .words import Thing, call_in


def ill_happened(seen: Seen) -> Findings:
    """Time runs everything down alike; an effect outside is known to nobody inside."""
    if seen.name == "Tick":
        for change in seen.changes:
            if change.what.endswith("_seconds") and change.new != max(0, change.old - seen.cause["seconds"]):
                rule = {"lease_left_seconds": "FENCE.3", "waits.left_seconds": "WAKE.9"}.get(change.what, "CONTINUE.4")
                yield rule, f"{change.what} of {change.run} went from {change.old} to {change.new}"
        yield from _unmoved(seen)


def _unmoved(seen: Seen) -> Findings:
    moved = {(one.run, one.what, one.item) for one in seen.changes}
    for run in seen.before["runs"]:
        if run["lease_left_seconds"] and (run["run"], "lease_left_seconds", None) not in moved:
            yield "FENCE.3", f"time passed, and the lease of {run['run']} did not run down"
        for wait in run["waits"]:
            if wait["left_seconds"] and (run["run"], "waits.left_seconds", wait["wait"]) not in moved:
                yield "WAKE.9", f"time passed, and {wait['wait']} did not run down"
        for one in run["materials"]:
            if one["fresh_seconds"] and (run["run"], "materials.fresh_seconds", one["material"]) not in moved:
                yield "CONTINUE.4", f"time passed, and {one['material']} is as fresh as before"


def unlike_store(seen: Seen, account: Account) -> Findings:
    """Payloads are kept once, with a version; ids are unique in their tenant; credentials are nowhere."""
    digests = [one["digest"] for one in seen.after["payloads"]]
    if len(digests) != len(set(digests)) or any(one["version"] < 1 for one in seen.after["payloads"]):
        yield "HISTORY.8", "a payload is kept twice, or without a version"
    yield from _shared_ids(seen)
    if account.credentials and seen.changes:
        text = json.dumps([seen.after, seen.outcome])
        if any(secret in text for secret in account.credentials):
            yield "HISTORY.8", "a credential is shown"


def _shared_ids(seen: Seen) -> Findings:
    runs: list[Thing] = seen.after["runs"]
    for number, run in enumerate(runs):
        for other in runs[number + 1 :]:
            if run["tenant"] == other["tenant"]:
                if any(call_in(other, call["call"]) for call in run["calls"]):
                    yield "EFFECT.2", f"{run['run']} and {other['run']} share the id of a call"
                if run["request"] is not None and run["request"] == other["request"]:
                    yield "CONTINUE.10", f"{run['run']} and {other['run']} were admitted for one request"
