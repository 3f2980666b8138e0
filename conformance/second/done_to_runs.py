"""What else is done to runs: recovered, resolved, asked to stop, spoken of, spawned, admitted, continued, woken."""

from collections.abc import Callable, Iterator

from .account import Account
from .complaint import Findings
from .done_by_workers import ends_as, loses_what_is_open
from .findings import readable
from .journal import Change
from .seen import Seen
from .words import (
    DEATHS_MAX,
    PENDING,
    Thing,
    call_in,
    find,
    has_unresolved,
    is_hopeless,
    is_sealed,
    is_unresolved,
    open_calls,
    resolved,
    run_in,
)


def _recover(seen: Seen, account: Account) -> Findings:
    """An honest end; or, under resume, a grant, unless too many have died on the same step."""
    assert seen.old is not None
    assert seen.new is not None
    yield from loses_what_is_open(seen)
    old, new = seen.old, seen.new
    if old["state"] == "cancelling":
        yield from ends_as(seen, "cancelled")
    elif is_hopeless(old) or old["contract"] == "settle" or old["deaths"] + 1 >= DEATHS_MAX:
        state = "unknown" if has_unresolved(new) else "interrupted"
        if (new["state"], new["sealed_for"]) != (state, "interrupted" if state == "unknown" else None):
            yield "SETTLE.1", f"recovery leaves the run {new['state']}, not {state}"
    elif new["state"] != "running":
        yield "SETTLE.7", f"recovery leaves a run that is to go on {new['state']}"
    for change in seen.changed("waits.state"):
        if change.new != "closed":
            yield "WAKE.7", f"recovery made {change.item} {change.new}"


def _reconcile(seen: Seen, account: Account) -> Findings:
    """Evidence changes its own call as far as it says, and ends a run that waited for nothing else."""
    assert seen.old is not None
    assert seen.new is not None
    cause = seen.cause
    before, after = call_in(seen.old, cause["call"]), call_in(seen.new, cause["call"])
    if before is None or after is None:
        return
    state = before["state"] if cause["evidence"] == "ambiguous" else cause["evidence"]
    if after["state"] != state:
        yield "EFFECT.6", f"{cause['call']} is {after['state']} after evidence of {cause['evidence']}"
    if after["cost_cents"] != cause["cost_cents"]:
        yield "COST.4", f"the amount of {cause['call']} is not the one that was confirmed"
    others = [one for one in seen.changes if one.what.startswith("calls.") and one.item != cause["call"]]
    if others:
        yield "FENCE.8", f"evidence about {cause['call']} changed {others[0].item}"
    if seen.old["state"] == "unknown":
        due = seen.old["state"] if has_unresolved(seen.new) else seen.old["sealed_for"]
        if seen.new["state"] != due:
            yield "SETTLE.6", f"after the evidence the run is {seen.new['state']}, not {due}"
    elif seen.new["state"] != seen.old["state"]:
        yield "FENCE.8", "evidence about a call moved a run that is not sealed"


def _cancel(seen: Seen, account: Account) -> Findings:
    """The run and every child below it that is not over is asked to stop, its waits are closed, its calls are told."""
    asked = set(_with_children(seen.before, seen.run))
    for run in seen.before["runs"]:
        after = run_in(seen.after, run["run"])
        if run["run"] not in asked:
            if after is not run and after != run:
                yield "CANCEL.1", f"{run['run']} is no child, and changed"
            continue
        if after is None or after["state"] != "cancelling":
            yield "WAKE.11" if run["run"] != seen.run else "CANCEL.1", f"{run['run']} was not asked to stop"
            continue
        if any(not call["told_to_stop"] for call in open_calls(after)):
            yield "CANCEL.2", f"a call of {run['run']} that is in flight was not told"
        if any(change.run == run["run"] and not _was_open(run, change.item) for change in _told(seen)):
            yield "CANCEL.2", f"a call of {run['run']} that is not in flight was told"
        if any(wait["state"] in PENDING for wait in after["waits"]):
            yield "CANCEL.5", f"a wait of {run['run']} is not closed"
        closed = [one for one in seen.changes if one.run == run["run"] and one.what == "waits.state"]
        if any((one.old in PENDING, one.new) != (True, "closed") for one in closed):
            yield "CANCEL.5", f"cancelling made a wait of {run['run']} something else than closed"
        new = [event["type"] for event in after["history"][len(run["history"]) :]]
        if new != ["cancel_requested"]:
            yield "CANCEL.1", f"the history of {run['run']} tells {new} of the request to stop"


def _told(seen: Seen) -> list[Change]:
    return [change for change in seen.changes if change.what == "calls.told_to_stop"]


def _was_open(run: Thing, call: str) -> bool:
    found = call_in(run, call)
    return found is not None and found["state"] == "open"


def _with_children(observation: Thing, name: str | None) -> Iterator[str]:
    run = run_in(observation, name)
    if run is not None:
        yield run["run"]
        for child in run["children"]:
            born = run_in(observation, child["child"])
            if born is not None and not is_sealed(born) and born["state"] != "cancelling":
                yield from _with_children(observation, child["child"])


def _assess(seen: Seen, account: Account) -> Findings:
    assert seen.new is not None
    if seen.new["assessment"] is not seen.cause["good"]:
        yield "EFFECT.10", "what was said of the result is not what is shown"


def _spawn(seen: Seen, account: Account) -> Findings:
    """One child for one spawn id, admitted with the budget it is given and all else of its parent."""
    assert seen.old is not None
    if find(seen.old["children"], "spawn", seen.cause["spawn"]) is not None:
        if seen.changes:
            yield "EFFECT.12", "the same spawn again is a read, and it changed something"
        return
    child, link = run_in(seen.after, seen.cause["child"]), seen.changed("children +")
    if [(one.item, one.new["child"]) for one in link] != [(seen.cause["spawn"], seen.cause["child"])]:
        yield "EFFECT.12", "the parent does not name the child that it spawned"
    born = [one.run for one in seen.changes if one.what == "runs +"]
    if born != [seen.cause["child"]] or child is None:
        yield "EFFECT.12", f"a spawn gave birth to {born}"
        return
    yield from _is_new(child, seen.cause["budget_cents"], "EFFECT.12")
    inherited = ("contract", "tenant", "bundle")
    if child["parent"] != seen.run or any(child[name] != seen.old[name] for name in inherited):
        yield "EFFECT.12", "a child is not its parent's"


def _submit(seen: Seen, account: Account) -> Findings:
    assert seen.new is not None
    new, cause = seen.new, seen.cause
    yield from _is_new(new, cause["budget_cents"], "CONTINUE.2" if seen.name == "Continue" else "ENTRY.4")
    if new["contract"] != cause["contract"] or new["request"] != cause["request"]:
        yield "CONTINUE.10", "a run is not admitted under the contract and the request that were given"
    if new["bundle"] != resolved(seen.before, cause.get("bundle", "latest")):
        yield "VERSION.1", f"the run is pinned to {new['bundle']}"
    if seen.session is not None and new["tenant"] != seen.session["tenant"]:
        yield "TENANT.1", "the run is of another tenant than the one who asked"
    if new["parent"] is not None:
        yield "ENTRY.2", "a run that nobody spawned has a parent"
    if seen.name == "Submit" and (new["continues"] is not None or new["inherited"] or new["open_calls"]):
        yield "CONTINUE.2", "a new run inherits something"


def _is_new(run: Thing, budget: int, rule: str) -> Findings:
    """In the queue, with a budget of its own and nothing else."""
    lists = ("calls", "publications", "children", "waits", "arrivals", "markers", "materials")
    is_bare = not any(run[name] for name in lists) and run["deaths"] == 0 and run["assessment"] is None
    if not is_bare or (run["state"], run["fence"], run["worker"]) != ("queued", 0, None) or run["error"] is not None:
        yield rule, f"{run['run']} begins with more than its admission"
    if (run["budget_cents"], run["known_cents"], run["held_cents"]) != (budget, 0, 0):
        yield rule, f"{run['run']} does not begin with the budget that it was given"


def _continue(seen: Seen, account: Account) -> Findings:
    """Material as far as its user may read all of it, labelled; the open calls to see; and nothing else."""
    assert seen.new is not None
    yield from _submit(seen, account)
    source = run_in(seen.before, seen.cause["source"])
    if source is None:
        return
    if seen.new["continues"] != source["run"]:
        yield "CONTINUE.1", "a continuation does not name what it continues"
    if list(seen.new["open_calls"]) != [call["call"] for call in source["calls"] if is_unresolved(call)]:
        yield "CONTINUE.8", "a continuation is not shown the unresolved calls"
    saved = [(one["run"], one["material"]) for one in source["inherited"]]
    saved += [(source["run"], one["material"]) for one in source["materials"]]
    handed = {(one["run"], one["material"]): one for one in seen.new["inherited"]}
    for run, material in saved:
        yield from _handed(seen, run, material, handed.pop((run, material), None))
    if handed:
        yield "CONTINUE.3", "a continuation was handed what its source never had"


def _handed(seen: Seen, run: str, name: str, view: Thing | None) -> Findings:
    origin = run_in(seen.before, run)
    material = None if origin is None else find(origin["materials"], "material", name)
    may = origin is not None and material is not None and readable(seen.before, origin, material, seen.cause["user"])
    if view is None:
        if may:
            yield "CONTINUE.3", f"{name} may be read and was not handed over"
        return
    if not may or origin is None or material is None:
        rule = "CONTINUE.5" if material is not None and material["derived_from"] else "CONTINUE.3"
        yield rule, f"{name} was handed to somebody who may not read it"
        return
    is_replaced = any(one["replaces"] == name for one in origin["materials"])
    fresh = "judgement" if material["judgement"] else "current"
    label = "superseded" if is_replaced else fresh if material["fresh_seconds"] else "stale"
    if view["label"] != label:
        yield "CONTINUE.6" if label == "judgement" else "CONTINUE.4", f"{name} is handed over as {view['label']}"
    if view["reads"]:
        yield "CONTINUE.7", f"{name} was read before it was handed over"


def _wake(seen: Seen, account: Account) -> Findings:
    consumed = [(one.item, one.new) for one in seen.changed("waits.state")]
    if consumed != [(seen.cause["wait"], "consumed")]:
        yield "WAKE.5", f"a wake consumed {consumed}"


TO_RUNS: dict[str, Callable[[Seen, Account], Findings]] = {
    "Recover": _recover,
    "Reconcile": _reconcile,
    "Cancel": _cancel,
    "Assess": _assess,
    "Spawn": _spawn,
    "Submit": _submit,
    "Continue": _continue,
    "Wake": _wake,
}
