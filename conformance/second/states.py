"""What is true of every run in every state: its ledger adds up, its lease fits, its end is one that it may have."""

from itertools import pairwise

from .complaint import Findings
from .journal import KEYED, is_unique
from .words import (
    DEATHS_MAX,
    ENDS,
    RECORD_MAX,
    Thing,
    has_unresolved,
    held,
    is_open,
    is_sealed,
    is_storable,
    is_unresolved,
    known,
    last_qualified,
    left,
)


def unlike_ledger(run: Thing) -> Findings:
    """Each call has a hold of its own until evidence ends it, and the ledger is the sum over the calls."""
    if run["known_cents"] != known(run):
        yield "COST.8", f"{run['run']} shows {run['known_cents']} known cents, its calls add up to {known(run)}"
    if run["held_cents"] != held(run):
        yield "COST.6", f"{run['run']} shows {run['held_cents']} held cents, its calls hold {held(run)}"
    if run["unresolved"] != sum(map(is_unresolved, run["calls"])):
        yield "COST.8", f"{run['run']} does not show how many items are unresolved"
    has_broken_ceiling = any(call["over_ceiling"] for call in run["calls"])
    if left(run) < 0 and not has_broken_ceiling:
        yield "COST.1", f"{run['run']} has promised more than its budget"
    for call in run["calls"]:
        if call["over_ceiling"] is not ((call["cost_cents"] or 0) > call["ceiling_cents"]):
            yield "COST.7", f"{call['call']} is not flagged as what it cost"
        if call["cost_cents"] is not None and call["state"] != "confirmed":
            yield "COST.4", f"{call['call']} has an amount without a confirmation"
        if call["answer"] is not None and call["state"] != "confirmed":
            yield "EFFECT.5", f"{call['call']} has an answer and is {call['state']}"
        if not 1 <= call["sends"] <= call["sends_max"]:
            yield "EFFECT.8", f"{call['call']} was sent {call['sends']} times"
        if call["state"] == "failed" or call["fence"] > run["fence"] or call["fence"] < 1:
            yield "EFFECT.1", f"{call['call']} was intended under no fence of its run"


def unlike_lease(run: Thing) -> Findings:
    """Who holds a run has a name, a lease and a fence; a call is in flight only while somebody holds its run."""
    is_held = run["lease_left_seconds"] is not None
    if is_held != (run["worker"] is not None):
        yield "ENTRY.4", f"{run['run']} has a worker without a lease or a lease without a worker"
    if is_held and run["fence"] < 1:
        yield "ENTRY.4", f"{run['run']} is held without a grant"
    if run["state"] == "running" and not is_held:
        yield "ENTRY.4", f"{run['run']} runs and nobody holds it"
    if run["state"] == "queued" and is_held:
        yield "ENTRY.4", f"{run['run']} is in the queue and held"
    if is_sealed(run) and is_held:
        yield "FENCE.7", f"{run['run']} is sealed and held"
    if not is_held and any(map(is_open, run["calls"])):
        yield "EFFECT.5", f"a call of {run['run']} is open, and nobody will hear of it"
    if run["lease_left_seconds"] is not None and run["lease_left_seconds"] < 0:
        yield "FENCE.3", f"the lease of {run['run']} is negative"


def unlike_end(run: Thing) -> Findings:
    """What is unresolved keeps a run from its end; what it ends with is what it may deliver."""
    state, qualified = run["state"], last_qualified(run)
    if (run["sealed_for"] is not None) != (state == "unknown") or run["sealed_for"] not in {None, *ENDS}:
        yield "SETTLE.6", f"{run['run']} is {state} and sealed for {run['sealed_for']}"
    if state == "unknown" and not has_unresolved(run):
        yield "SETTLE.6", f"{run['run']} is unknown, and nothing is"
    if state in ENDS and has_unresolved(run):
        rule = {"succeeded": "SETTLE.5", "cancelled": "CANCEL.3"}.get(state, "SETTLE.1")
        yield rule, f"{run['run']} is {state} with something unresolved"
    if "succeeded" in {state, run["sealed_for"]} and qualified is None:
        yield "SETTLE.5", f"{run['run']} succeeded without a qualified publication"
    due = {"version": qualified, "partial": state != "succeeded"} if is_sealed(run) and qualified else None
    if run["delivered"] != due:
        yield "SETTLE.4", f"{run['run']} delivers {run['delivered']}, not {due}"
    if run["deaths"] >= DEATHS_MAX and not is_sealed(run):
        yield "EFFECT.13", f"{run['deaths']} workers of {run['run']} died on one step, and it goes on"
    if is_sealed(run) and run["next_decision"] is not None:
        yield "HISTORY.5", f"{run['run']} is over and would still decide"


def unlike_lists(run: Thing) -> Findings:
    """Ids are given once, versions are counted, and every text is one that can be stored."""
    rules = {
        "calls": "EFFECT.3",
        "children": "EFFECT.12",
        "waits": "WAKE.3",
        "arrivals": "WAKE.3",
        "markers": "VERSION.5",
    }
    for part in KEYED:
        if not is_unique(run, part):
            yield rules.get(part, "HISTORY.3"), f"{part} of {run['run']} has an id twice"
    if [one["version"] for one in run["publications"]] != list(range(1, len(run["publications"]) + 1)):
        yield "SETTLE.3", f"the publications of {run['run']} are not versions 1, 2, 3"
    if len({child["child"] for child in run["children"]}) != len(run["children"]):
        yield "EFFECT.12", f"{run['run']} has a child twice"
    numbers = [(one["wait"], one["number"]) for one in run["arrivals"]]
    if any(one[0] == other[0] and one > other for one, other in pairwise(numbers)):
        yield "WAKE.8", f"what arrived for {run['run']} is not in the order of its numbers"
    used = [wait["used_by"] for wait in run["waits"] if wait["used_by"] is not None]
    if len(used) != len(set(used)):
        yield "APPROVAL.6", f"an operation of {run['run']} used two approvals"
    texts = [one["body"] for one in run["publications"]] + [call["answer"] or "" for call in run["calls"]]
    if not all(map(is_storable, texts)):
        yield "HISTORY.9", f"{run['run']} shows a text that cannot be stored"
    if run["error"] is not None and not (is_storable(run["error"]) and len(run["error"]) <= RECORD_MAX):
        yield "HISTORY.9", f"the failure record of {run['run']} is not of constant size"
    if run["bundle"] == "latest":
        yield "VERSION.1", f"{run['run']} is pinned to a selector"
    if run["contract"] == "settle" and run["deaths"]:
        yield "SETTLE.1", f"{run['run']} counts deaths under settle"
