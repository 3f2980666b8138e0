"""Approvals: asked for one operation, decided once, checked again at dispatch, used once."""

from .account import Account
from .complaint import Findings, Objections
from .seen import Seen
from .waits import nowhere_to_wait
from .words import Thing, call_in, requests_about, wait_in

_VERSIONS = {"resource": "the resource", "plan": "the plan", "policy": "the policy"}


def may_not_request(seen: Seen, account: Account, run: Thing) -> Objections:
    """Asked anew only when the earlier answer is void; never after a denial."""
    yield from nowhere_to_wait(run, seen.cause["wait"])
    if call_in(run, seen.cause["call"]) is not None:
        yield "call_id_conflict", "EFFECT.3"
    earlier = requests_about(run, seen.cause["call"])
    if earlier and earlier[-1]["approved"] is False:
        yield "denied", "APPROVAL.7"
    if earlier and earlier[-1]["approved"] and _is_valid(earlier[-1], seen.before["in_force"]):
        yield "already_approved", "WAKE.10"


def may_not_decide(seen: Seen, account: Account, run: Thing) -> Objections:
    """Once, in time, on what was shown, and only with permission."""
    cause, wait = seen.cause, wait_in(run, seen.cause["wait"])
    if wait is None or wait["shown"] is None:
        yield "no_such_wait", "WAKE.3"
        return
    decided = account.verdicts.get((run["run"], wait["wait"]), wait["approved"])
    if decided is not None:
        if (decided, wait["shown"]["digest"]) != (cause["approved"], cause["digest"]):
            yield "already_decided", "APPROVAL.5"
        return
    if wait["state"] == "closed":
        yield "wait_closed", "CANCEL.5"
    if run["state"] in {"succeeded", "failed", "cancelled", "interrupted", "unknown"}:
        yield "sealed", "FENCE.6"
    if wait["left_seconds"] == 0:
        yield "expired", "APPROVAL.4"
    if cause["digest"] != wait["shown"]["digest"]:
        yield "shown_differs", "APPROVAL.1"
    if cause["approved"] and not seen.before["in_force"]["permitted"]:
        yield "not_permitted", "APPROVAL.4"


def may_not_dispatch(seen: Seen, run: Thing) -> Objections:
    """What was ever asked about an operation binds it: the latest request must be approved, unused and as shown."""
    cause, now = seen.cause, seen.before["in_force"]
    requests, is_first = requests_about(run, cause["call"]), seen.name == "Intend"
    if any(request["approved"] is False for request in requests):
        yield "denied", "APPROVAL.7"
    if not requests:
        if cause.get("approval") is not None:
            yield "not_approved", "APPROVAL.2"
        return
    latest = requests[-1]
    if latest["approved"] is None or (is_first and cause["approval"] != latest["wait"]):
        yield "not_approved", "APPROVAL.2"
    if is_first and latest["used_by"] is not None:
        yield "approval_used", "APPROVAL.6"
    if latest["left_seconds"] == 0:
        yield "expired", "APPROVAL.4"
    if not now["permitted"]:
        yield "not_permitted", "APPROVAL.4"
    digest = cause["digest"] if is_first else latest["shown"]["digest"]
    if digest != latest["shown"]["digest"] or _versions(now) != _versions(latest["shown"]["in_force"]):
        yield "drifted", "APPROVAL.3"


def ill_shown(seen: Seen) -> Findings:
    """A request binds what it shows to what is in force, and names what is not as it was the last time."""
    if seen.name != "RequestApproval" or not seen.took_effect or seen.old is None or seen.new is None:
        return
    wait, now = wait_in(seen.new, seen.cause["wait"]), seen.before["in_force"]
    if wait is None or wait["shown"] is None:
        yield "APPROVAL.1", "a request shows nothing"
        return
    shown = wait["shown"]
    if any(shown[name] != seen.cause[name] for name in ("call", "digest", "risk", "basis")) or shown["in_force"] != now:
        yield "APPROVAL.1", f"what {wait['wait']} shows is not what was asked and what is in force"
    earlier = requests_about(seen.old, seen.cause["call"])
    if sorted(shown["differs"]) != (sorted(_differing(earlier[-1]["shown"], seen.cause, now)) if earlier else []):
        yield "APPROVAL.3", f"{wait['wait']} does not name what is different from the earlier request"


def ill_decided(seen: Seen) -> Findings:
    """The decision and the wake are one commit; the same decision again is a read."""
    if seen.name != "Decide" or not seen.took_effect or seen.old is None or seen.new is None:
        return
    before, after = wait_in(seen.old, seen.cause["wait"]), wait_in(seen.new, seen.cause["wait"])
    if before is None or after is None:
        return
    if before["approved"] is not None:
        if seen.changes:
            yield "APPROVAL.5", "the same decision again is a read, and it changed something"
    elif (after["approved"], after["state"]) != (seen.cause["approved"], "accepted"):
        yield "WAKE.4", f"the decision on {after['wait']} and its wake are not both there"


def ill_used(seen: Seen) -> Findings:
    """An approval is used by the operation that it was shown for, in the commit of the intent, and by no other."""
    if seen.new is None:
        return
    used = [wait for wait in seen.new["waits"] if wait["used_by"] is not None]
    for wait in used:
        if wait["shown"] is None or wait["used_by"] != wait["shown"]["call"]:
            yield "APPROVAL.2", f"{wait['wait']} was used by an operation that it was not about"
    if seen.name == "Intend" and seen.took_effect and seen.changed("calls +"):
        named = wait_in(seen.new, seen.cause["approval"])
        if named is not None and named["used_by"] != seen.cause["call"]:
            yield "APPROVAL.6", f"{named['wait']} is not used up"
        for change in seen.changed("waits.used_by"):
            if change.item != seen.cause["approval"] or change.old is not None:
                yield "APPROVAL.6", f"{change.item} was used again, or by an intent that does not name it"


def _is_valid(request: Thing, now: Thing) -> bool:
    is_same = request["shown"]["in_force"] == now and now["permitted"]
    return bool(is_same and request["used_by"] is None and request["left_seconds"] > 0)


def _versions(in_force: Thing) -> list[int]:
    return [in_force[name] for name in _VERSIONS]


def _differing(then: Thing, cause: Thing, now: Thing) -> list[str]:
    texts = [name for name in ("digest", "risk", "basis") if then[name] != cause[name]]
    return texts + [name for name, value in now.items() if then["in_force"][name] != value]
