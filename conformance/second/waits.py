"""Waits: what stands in the way of waiting, arriving and waking, and how each wait must look once it is there."""

from .account import Account
from .complaint import Findings, Objections
from .seen import Seen
from .words import (
    ENDS,
    FORMAT,
    PENDING,
    WAITING,
    Thing,
    has_arrived,
    is_expired,
    is_sealed,
    left,
    open_calls,
    run_in,
    wait_in,
)


def may_not_wait(seen: Seen, account: Account, run: Thing) -> Objections:
    """Nothing may be in flight, something of the budget must be left, and the wait must be a new one."""
    cause = seen.cause
    yield from nowhere_to_wait(run, cause["wait"])
    if cause["kind"] != "callback" and any(one["wait"] == cause["wait"] for one in run["arrivals"]):
        yield "wait_exists", None
    if cause["kind"] == "child" and cause["child"] not in {one["child"] for one in run["children"]}:
        yield "not_a_child", "WAKE.11"


def nowhere_to_wait(run: Thing, wait: str) -> Objections:
    if wait_in(run, wait) is not None:
        yield "wait_exists", "WAKE.3"
    if open_calls(run):
        yield "call_open", "EFFECT.5"
    if left(run) <= 0:
        yield "budget_spent", "WAKE.6"


def may_not_deliver(seen: Seen, account: Account, run: Thing) -> Objections:
    """What was delivered before is the same or a conflict; what is over takes anything, late; else it must be due."""
    cause, wait = seen.cause, wait_in(run, seen.cause["wait"])
    first = _arrival(run, cause["wait"], cause["number"])
    if wait is not None and wait["kind"] != cause["kind"]:
        yield "no_such_wait", "WAKE.3"
    if first is not None and first["digest"] != cause["digest"]:
        yield "arrival_conflict", "WAKE.3"
    if first is not None:
        return
    if is_over(run, wait):
        if wait is None and cause["kind"] != "callback":  # tells nobody anything
            yield "no_such_wait", None
        return
    if wait is None:
        if cause["kind"] != "callback":
            yield "no_such_wait", "WAKE.8"
        return
    if wait["kind"] == "timer" and wait["left_seconds"] > 0:
        yield "not_due", "WAKE.9"
    child = run_in(seen.before, wait["child"])
    if wait["kind"] == "child" and (child is None or child["state"] not in ENDS):
        yield "not_due", "WAKE.4"
    if cause["number"] > wait["arrivals"]:
        yield "not_awaited", "WAKE.8"


def is_over(run: Thing, wait: Thing | None) -> bool:
    """What comes now comes too late."""
    return is_sealed(run) or (wait is not None and (wait["state"] not in PENDING or is_expired(wait)))


def may_not_wake(seen: Seen, account: Account, run: Thing) -> Objections:
    """Everything that the checkpoint sealed is the same, and the wake is accepted and not used."""
    cause, wait = seen.cause, wait_in(run, seen.cause["wait"])
    if is_sealed(run):
        yield "sealed", "WAKE.6"
    if wait is None:
        yield "no_such_wait", "WAKE.3"
        return
    if wait["state"] == "consumed":
        yield "wake_consumed", "WAKE.5"
    if wait["state"] == "closed":
        yield "wait_closed", "CANCEL.5" if run["state"] == "cancelling" else "WAKE.6"
    if cause["format"] != wait["checkpoint"]["format"]:
        yield "unsupported_format", "WAKE.6"
    if run["bundle"] not in cause["supports"]:
        yield "unsupported_bundle", "VERSION.2"
    if cause["digest"] != wait["checkpoint"]["digest"]:
        yield "digest_differs", "WAKE.6"
    if is_expired(wait):
        yield "expired", "WAKE.6"
    if wait["state"] == "waiting":
        yield "not_accepted", "WAKE.4"
    if left(run) <= 0:
        yield "budget_spent", "WAKE.6"


def ill_sealed(seen: Seen) -> Findings:
    """A new wait says in its checkpoint where the run stood, and in the wait what was asked."""
    if seen.name not in {"Wait", "RequestApproval"} or seen.old is None or seen.new is None or not seen.took_effect:
        return
    run, cause, wait = seen.old, seen.cause, wait_in(seen.new, seen.cause["wait"])
    if wait is None:
        yield "WAKE.2", "the run waits, and no wait is there"
        return
    sealed = (FORMAT, run["bundle"], cause["digest"], len(run["history"]), left(run))
    if tuple(wait["checkpoint"].values()) != sealed:
        yield "WAKE.2", f"the checkpoint of {wait['wait']} does not say where the run stood"
    asked = (cause.get("kind", "approval"), cause["seconds"], cause.get("arrivals", 1), cause.get("child"))
    if (wait["kind"], wait["left_seconds"], wait["arrivals"], wait["child"]) != asked:
        yield "WAKE.3", f"{wait['wait']} is not the wait that was asked for"
    state = "waiting_approval" if seen.name == "RequestApproval" else "waiting_external"
    if seen.new["state"] != state:
        yield "WAKE.1", f"the run is {seen.new['state']} where it should wait"


def unlike_waits(run: Thing) -> Findings:
    """In every state: who waits holds nothing, a wake has its cause, and as many grants as it was consumed."""
    if run["state"] in WAITING:
        if run["worker"] is not None or run["lease_left_seconds"] is not None:
            yield "WAKE.1", f"{run['run']} waits and is held"
        if sum(wait["state"] in PENDING for wait in run["waits"]) != 1:
            yield "WAKE.7", f"{run['run']} waits, but not at exactly one wait"
    elif any(wait["state"] in PENDING for wait in run["waits"]):
        rule = "CANCEL.5" if run["state"] in {"cancelling", "cancelled"} else "WAKE.7"
        yield rule, f"{run['run']} does not wait, and has a wait that is open"
    for wait in run["waits"]:
        yield from _unlike(run, wait)


def _unlike(run: Thing, wait: Thing) -> Findings:
    name, state = wait["wait"], wait["state"]
    has_cause = wait["approved"] is not None if wait["kind"] == "approval" else has_arrived(run, wait)
    if state in {"accepted", "consumed"} and not has_cause:
        yield "WAKE.4", f"the wake of {name} was accepted without its cause"
    if state == "waiting" and has_cause:
        yield "WAKE.4", f"what {name} waits for is there, and its wake is not"
    told = [event for event in run["history"] if event["type"] == "granted" and event["entry_point"] == "wake"]
    grants = sum(event["concerns"] == name for event in told)
    if grants != (state == "consumed"):
        yield "WAKE.5", f"the wake of {name} is {state} and led to {grants} grants"


def ill_delivered(seen: Seen) -> Findings:
    """An arrival is kept: in time, or late where it wakes nobody. The same again is a read."""
    if seen.name != "Deliver" or seen.old is None or seen.new is None or not seen.took_effect:
        return
    cause, wait = seen.cause, wait_in(seen.old, seen.cause["wait"])
    if _arrival(seen.old, cause["wait"], cause["number"]) is not None:
        if seen.changes:
            yield "WAKE.3", "the same arrival again is a read, and it changed something"
        return
    is_late = is_over(seen.old, wait)
    kept = _arrival(seen.new, cause["wait"], cause["number"])
    if kept is None or kept["digest"] != cause["digest"]:
        yield "WAKE.8", f"what arrived for {cause['wait']} was not kept"
    elif kept["is_late"] is not is_late:
        yield "WAKE.8", f"what arrived for {cause['wait']} is kept as {'in time' if is_late else 'late'}"
    if is_late and seen.changed("waits.state"):
        yield "WAKE.8", f"what came too late for {cause['wait']} woke it"


def _arrival(run: Thing, wait: str, number: int) -> Thing | None:
    return next((one for one in run["arrivals"] if (one["wait"], one["number"]) == (wait, number)), None)
