"""What must be there after a command was done: the grant, the call, the body, the end, the wake, the new run."""

from collections.abc import Callable, Iterator

from .account import Account, readable
from .complaint import Findings
from .seen import Seen
from .stores import needing_bundle
from .words import (
    DEATHS_MAX,
    ENDS,
    INLINE_MAX,
    PENDING,
    RECORD_MAX,
    Thing,
    call_in,
    find,
    has_unresolved,
    is_hopeless,
    is_sealed,
    is_storable,
    is_unresolved,
    open_calls,
    resolved,
    run_in,
    sha256,
    wait_in,
)

_PROGRESS = {
    *("Intend", "SendAgain", "RecordAnswer", "Publish", "Mark", "SaveMaterial", "Spawn", "Wait", "RequestApproval"),
    "Wake",
}


def unkept(seen: Seen, account: Account) -> Findings:
    """Promises that a command which took effect did not keep."""
    if seen.is_repeat and seen.is_done and seen.outcome != seen.repeats and seen.repeats is not None:
        if seen.repeats["is"] == "Done":
            yield "ENTRY.6", f"{seen.name} is given another answer than the first time"
    if seen.is_refused and seen.name == "Retire" and seen.outcome is not None:
        if seen.outcome["reason"] == "bundle_needed" and sorted(seen.outcome["runs"]) != sorted(needing_bundle(seen)):
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


def _renew(seen: Seen, account: Account) -> Findings:
    assert seen.new is not None
    if not seen.new["lease_left_seconds"]:
        yield "FENCE.2", "a renewed lease is not live"


def _release(seen: Seen, account: Account) -> Findings:
    assert seen.new is not None
    if seen.new["state"] != "queued":
        yield "HISTORY.4", "a released run is not in the queue"


def _intend(seen: Seen, account: Account) -> Findings:
    assert seen.new is not None
    cause, call = seen.cause, call_in(seen.new, seen.cause["call"])
    if seen.old is not None and call_in(seen.old, cause["call"]) is not None:
        if seen.changes:
            yield "EFFECT.3", f"{cause['call']} was intended before: that gives the first result, and nothing changes"
        return
    names = ("kind", "digest", "ceiling_cents", "fence", "supersedes", "compensates", "undo", "recognises", "sends_max")
    if call is None or call["state"] != "open" or call["sends"] != 1 or any(call[name] != cause[name] for name in names):
        yield "EFFECT.1", f"the intent of {cause['call']} is not stored as it was asked"
    if call is not None and call["told_to_stop"]:
        yield "CANCEL.2", f"{cause['call']} is told to stop as it begins"


def _send_again(seen: Seen, account: Account) -> Findings:
    assert seen.new is not None
    call = call_in(seen.new, seen.cause["call"])
    if call is None or call["state"] != "open":
        yield "EFFECT.7", f"{seen.cause['call']} is sent again and not in flight"


def _record(seen: Seen, account: Account) -> Findings:
    assert seen.new is not None
    call = call_in(seen.new, seen.cause["call"])
    if call is None or (call["state"], call["answer"]) != ("confirmed", seen.cause["answer"]):
        yield "EFFECT.9", f"the answer of {seen.cause['call']} is not recorded as it came"
    elif call["cost_cents"] != seen.cause["cost_cents"]:
        rule = "COST.7" if seen.cause["cost_cents"] else "COST.5"
        yield rule, f"the amount of {seen.cause['call']} is not recorded as it came"
    yield from _kept_apart(seen, seen.cause["answer"])


def _mark_unknown(seen: Seen, account: Account) -> Findings:
    assert seen.new is not None
    call = call_in(seen.new, seen.cause["call"])
    if call is None or call["state"] != "unknown":
        yield "EFFECT.5", f"the answer of {seen.cause['call']} was lost, which makes it unknown"


def _publish(seen: Seen, account: Account) -> Findings:
    assert seen.new is not None
    last = seen.new["publications"][-1] if seen.changed("publications +") else None
    if last is None or (last["body"], last["qualified"]) != (seen.cause["body"], seen.cause["qualified"]):
        yield "SETTLE.3", "what was published is not there as it was given"
    yield from _kept_apart(seen, seen.cause["body"])


def _kept_apart(seen: Seen, text: str) -> Findings:
    """A large text is kept once, by its digest."""
    kept = [one for one in seen.after["payloads"] if one["digest"] == sha256(text)]
    if len(text) > INLINE_MAX and [one["characters"] for one in kept] != [len(text)]:
        yield "HISTORY.8", "a large text is not kept once by its digest"
    if seen.old is not None and len(seen.after["payloads"]) - len(seen.before["payloads"]) > (len(text) > INLINE_MAX):
        yield "HISTORY.8", "a small text is kept apart"


def _succeed(seen: Seen, account: Account) -> Findings:
    yield from _ends_as(seen, "succeeded")


def _fail(seen: Seen, account: Account) -> Findings:
    assert seen.new is not None
    yield from _ends_as(seen, "failed")
    yield from _loses_what_is_open(seen)
    text = seen.cause["error"]
    if text is not None and is_storable(text) and seen.new["error"] != text and len(text) <= RECORD_MAX:
        yield "HISTORY.9", "the error is not recorded as it was given"
    if (text is None) is not (seen.new["error"] is None):
        yield "HISTORY.9", "the error is not recorded"


def _stop(seen: Seen, account: Account) -> Findings:
    yield from _ends_as(seen, "cancelled")


def _ends_as(seen: Seen, end: str) -> Findings:
    assert seen.new is not None
    state, sealed_for = ("unknown", end) if has_unresolved(seen.new) else (end, None)
    if (seen.new["state"], seen.new["sealed_for"]) != (state, sealed_for):
        yield "SETTLE.9", f"{seen.name} leaves the run {seen.new['state']}, not {state}"


def _loses_what_is_open(seen: Seen) -> Findings:
    """What was in flight is unknown, and nothing else is said of any call."""
    assert seen.old is not None
    assert seen.new is not None
    for call in seen.old["calls"]:
        after = call_in(seen.new, call["call"])
        due = "unknown" if call["state"] == "open" else call["state"]
        if after is not None and after["state"] != due:
            yield "EFFECT.5", f"{call['call']} was {call['state']} and is {after['state']} now"


def _recover(seen: Seen, account: Account) -> Findings:
    """An honest end; or, under resume, a grant, unless too many have died on the same step."""
    assert seen.old is not None
    assert seen.new is not None
    yield from _loses_what_is_open(seen)
    old, new = seen.old, seen.new
    if old["state"] == "cancelling":
        yield from _ends_as(seen, "cancelled")
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


def _told(seen: Seen) -> list:  # type: ignore[type-arg]  # of changes
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


def _read(seen: Seen, account: Account) -> Findings:
    reads = [(one.item[1], one.new - one.old) for one in seen.changed("inherited.reads")]
    if reads != [(seen.cause["material"], 1)]:
        yield "CONTINUE.7", f"reading {seen.cause['material']} was counted as {reads}"


def _save(seen: Seen, account: Account) -> Findings:
    assert seen.new is not None
    material = find(seen.new["materials"], "material", seen.cause["material"])
    if material is None or any(seen.cause[name] != value for name, value in material.items()):
        yield "CONTINUE.3", f"{seen.cause['material']} is not saved with the lineage that was given"


def _mark(seen: Seen, account: Account) -> Findings:
    assert seen.new is not None
    marker = find(seen.new["markers"], "marker", seen.cause["marker"])
    if marker is None or marker["branch"] != seen.cause["branch"]:
        yield "VERSION.4", "the branch that was taken is not recorded"


def _wake(seen: Seen, account: Account) -> Findings:
    consumed = [(one.item, one.new) for one in seen.changed("waits.state")]
    if consumed != [(seen.cause["wait"], "consumed")]:
        yield "WAKE.5", f"a wake consumed {consumed}"


def _grant_reader(seen: Seen, account: Account) -> Findings:
    reader = {"source": seen.cause["source"], "user": seen.cause["user"]}
    if (seen.name == "Revoke" and reader in seen.after["readers"]) or any(one.item != tuple(reader.values()) for one in seen.changes):
        yield "CONTINUE.5", f"after {seen.name} who may read is not who should"


def _deploy(seen: Seen, account: Account) -> Findings:
    last = seen.after["bundles"][-1] if seen.after["bundles"] else None
    due = {"bundle": seen.cause["bundle"], "markers": list(seen.cause["markers"]), "is_retired": False}
    if last != due or len(seen.changes) != 1:
        yield "VERSION.1", "what was deployed is not what is served"


def _retire(seen: Seen, account: Account) -> Findings:
    bundle = find(seen.after["bundles"], "bundle", seen.cause["bundle"])
    if bundle is None or not bundle["is_retired"] or len(seen.changes) > 1:
        yield "VERSION.6", "what was retired is still served, or something else is not"


def _migrate(seen: Seen, account: Account) -> Findings:
    oldest, newest = seen.before["schema"]
    due = [oldest, newest + 1] if seen.name == "Migrate" else [newest, newest]
    if list(seen.after["schema"]) != due:
        yield "VERSION.8", f"tables of versions {seen.after['schema']} are served, not of {due}"


def _purge(seen: Seen, account: Account) -> Findings:
    if [(one.what, one.item) for one in seen.changes] != [("payloads -", seen.cause["payload"])]:
        yield "HISTORY.10", "a purge forgot something else than it was asked to"


_PROMISES: dict[str, Callable[[Seen, Account], Findings]] = {
    "Renew": _renew,
    "Release": _release,
    "Intend": _intend,
    "SendAgain": _send_again,
    "RecordAnswer": _record,
    "MarkUnknown": _mark_unknown,
    "Publish": _publish,
    "Succeed": _succeed,
    "Fail": _fail,
    "Stop": _stop,
    "Recover": _recover,
    "Reconcile": _reconcile,
    "Cancel": _cancel,
    "Assess": _assess,
    "Spawn": _spawn,
    "Submit": _submit,
    "Continue": _continue,
    "ReadMaterial": _read,
    "SaveMaterial": _save,
    "Mark": _mark,
    "Wake": _wake,
    "Grant": _grant_reader,
    "Revoke": _grant_reader,
    "Deploy": _deploy,
    "Retire": _retire,
    "Migrate": _migrate,
    "EndMigration": _migrate,
    "Purge": _purge,
}

__all__ = ["unkept"]
_ = (ENDS, wait_in)
