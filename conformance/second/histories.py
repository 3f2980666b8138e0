"""Histories: numbered, signed, chained; what they tell adds up to what is shown; readers are given just that."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from .account import Account
from .complaint import Findings
from .seen import ALONE, Seen
from .words import ENDS, WAITING, Thing, is_sealed, open_calls, sha256

_ROWS: dict[str, tuple[str, ...]] = {
    "observe": (),
    "submit": ("admitted",),
    "continue": ("admitted",),
    "work": (
        *("granted", "released", "intended", "sent_again", "answered", "lost", "published", "saved", "marked"),
        *("waited", "spawned", "admitted", "sealed", "ended"),
    ),
    "recover": ("lost", "sealed", "ended", "granted"),
    "decide": ("decided", "assessed"),
    "deliver": ("arrived", "arrived_late"),
    "wake": ("granted",),
    "cancel": ("cancel_requested",),
    "reconcile": ("reconciled", "ended"),
}
"""What each entry point may tell."""

_PHASES: dict[str, set[str]] = {
    "admitted": {"queued"},
    "granted": {"running"},
    "released": {"queued"},
    "waited": WAITING,
    "cancel_requested": {"cancelling"},
    "sealed": {"unknown"},
    "ended": ENDS,
}
"""Where a run stands after the last event that moved it."""

_FIELDS = ("number", "type", "entry_point", "principal", "fence", "concerns", "payload_digest", "previous_digest")


def ill_told(run: Thing, account: Account) -> Findings:
    """What is wrong with a history as it stands."""
    history = run["history"]
    if [event["number"] for event in history] != list(range(1, len(history) + 1)):
        yield "HISTORY.1", f"the events of {run['run']} are not numbered 1, 2, 3"
    previous = None
    for event in history:
        if account.is_chained and (event["previous_digest"] != previous or event["digest"] != _digest(event)):
            yield "HISTORY.2", f"event {event['number']} of {run['run']} is not chained to the one before it"
            break
        previous = event["digest"]
    types = Counter(event["type"] for event in history)
    if types["ended"] > 1 or types["sealed"] > 1:
        yield "FENCE.6", f"{run['run']} was sealed or ended twice"
    yield from _order(run)


def _order(run: Thing) -> Findings:
    """Nothing is dispatched after the seal or the request to stop, and every grant is higher than those before."""
    fences = [event["fence"] for event in run["history"] if event["type"] == "granted"]
    if any(one is None or other is None or other <= one for one, other in pairwise(fences)):
        yield "FENCE.1", f"a grant of {run['run']} is not higher than the one before it"
    stopped = None
    for event in run["history"]:
        if event["type"] in {"intended", "sent_again", "spawned"} and stopped is not None:
            yield stopped, f"event {event['number']} of {run['run']} dispatches something too late"
        if event["type"] in {"sealed", "ended"}:
            stopped = "FENCE.7"
        elif event["type"] == "cancel_requested":
            stopped = stopped or "CANCEL.1"


def ill_signed(seen: Seen) -> Findings:
    """New events name the entry point and the principal of the command that wrote them, within its row."""
    for change in seen.changes:
        events = change.new["history"] if change.what == "runs +" else [change.new] * (change.what == "history +")
        for event in events:
            if (seen.is_command or seen.name == "WorkerRan") and event["entry_point"] != seen.door:
                yield "ENTRY.2", f"{seen.name} wrote an event as {event['entry_point']}"
            if event["type"] not in _ROWS.get(event["entry_point"], ()):
                yield "ENTRY.2", f"{event['entry_point']} may not write {event['type']}"
            if not event["principal"]:
                yield "ENTRY.2", f"{event['type']} names no principal"
            if seen.session is not None and event["principal"] != seen.session["principal"]:
                yield "TENANT.3", f"{event['type']} names {event['principal']}, who did not ask"


def unlike_fold(run: Thing) -> Findings:
    """State is the fold of the history: what was told, and no more, is what is shown."""
    if not run["history"] or run["history"][0]["type"] != "admitted":
        yield "HISTORY.4", f"the history of {run['run']} does not begin with its admission"
        return
    moves = [event for event in run["history"] if event["type"] in _PHASES]
    if run["state"] not in _PHASES[moves[-1]["type"]]:
        yield "HISTORY.4", f"{run['run']} is {run['state']}, and its history last says {moves[-1]['type']}"
    for part, told, shown in _parts(run):
        if Counter(told) != Counter(shown):
            yield "HISTORY.4", f"{part} of {run['run']} are not those that its history tells of"
    fences = [event["fence"] or 0 for event in run["history"] if event["type"] == "granted"]
    if run["fence"] != max(fences, default=0):
        yield "FENCE.1", f"{run['run']} shows a fence that its history did not grant"
    yield from _calls(run)


def _parts(run: Thing) -> Iterator[tuple[str, list[str], list[str]]]:
    def told(*types: str) -> list[str]:
        return [event["concerns"] for event in run["history"] if event["type"] in types]

    reads = [one["material"] for one in run["inherited"] for _ in range(one["reads"])]
    yield "calls", told("intended"), [call["call"] for call in run["calls"]]
    yield "waits", told("waited"), [wait["wait"] for wait in run["waits"]]
    yield "children", told("spawned"), [child["child"] for child in run["children"]]
    yield "markers", told("marked"), [marker["marker"] for marker in run["markers"]]
    yield "materials", told("saved"), [one["material"] for one in run["materials"]] + reads
    yield "arrivals", told("arrived"), [one["wait"] for one in run["arrivals"] if not one["is_late"]]
    yield "late arrivals", told("arrived_late"), [one["wait"] for one in run["arrivals"] if one["is_late"]]
    yield "decisions", told("decided"), [wait["wait"] for wait in run["waits"] if wait["approved"] is not None]
    yield "publications", [""] * len(told("published")), [""] * len(run["publications"])
    yield "assessments", [""] * bool(told("assessed")), [""] * (run["assessment"] is not None)


def _calls(run: Thing) -> Findings:
    """What was last told of a call is where it stands; evidence alone may say several things."""
    told: dict[str, str] = {}
    sends: Counter[str] = Counter()
    for event in run["history"]:
        if event["type"] in {"intended", "sent_again", "answered", "lost", "reconciled"}:
            told[event["concerns"]] = event["type"]
            sends[event["concerns"]] += event["type"] in {"intended", "sent_again"}
    says: dict[str, set[str]] = {
        "intended": {"open"},
        "sent_again": {"open"},
        "answered": {"confirmed"},
        "lost": {"unknown"},
    }
    for call in run["calls"]:
        if call["state"] not in says.get(told.get(call["call"], ""), {"confirmed", "unknown", "not_found"}):
            yield "HISTORY.4", f"{call['call']} is {call['state']}, which its history does not tell"
        if call["sends"] != sends[call["call"]]:
            yield "EFFECT.8", f"{call['call']} was sent {sends[call['call']]} times, and shows {call['sends']}"


Told = list[tuple[str, str | None]]
_TELLS: dict[str, Told] = {
    "Claim": [("granted", None)],
    "Release": [("released", None)],
    "Intend": [("intended", "call")],
    "SendAgain": [("sent_again", "call")],
    "RecordAnswer": [("answered", "call")],
    "MarkUnknown": [("lost", "call")],
    "Publish": [("published", None)],
    "Wait": [("waited", "wait")],
    "RequestApproval": [("waited", "wait")],
    "Decide": [("decided", "wait")],
    "Wake": [("granted", "wait")],
    "Mark": [("marked", "marker")],
    "SaveMaterial": [("saved", "material")],
    "ReadMaterial": [("saved", "material")],
    "Spawn": [("spawned", "child")],
    "Assess": [("assessed", None)],
    "Cancel": [("cancel_requested", None)],
    "Submit": [("admitted", None)],
    "Continue": [("admitted", None)],
}


def ill_recorded(seen: Seen) -> Findings:
    """What was done now is told by just the events that it takes, each about what it is about, under the fence."""
    if not seen.took_effect or seen.new is None or (not seen.changes and seen.name in _MAY_BE_READS):
        return
    told = [(event["type"], event["concerns"]) for event in seen.new_events]
    if seen.changed("runs +"):
        told = [(event["type"], event["concerns"]) for event in seen.new["history"]]
    expected = _expected(seen)
    if expected is not None and told != expected:
        rule = "SETTLE.8" if seen.name == "Recover" else "HISTORY.4"
        yield rule, f"{seen.name} was told as {told}, not as {expected}"
    for event in seen.new_events:
        fence = seen.new["fence"] if event["type"] == "granted" else seen.get("fence")
        if (seen.is_work or event["type"] == "granted") and event["fence"] != fence:
            yield "HISTORY.2", f"{event['type']} does not name the fence it was written under"


_MAY_BE_READS = {"Intend", "Spawn", "Decide", "Deliver", "Mark", "Grant", "Retire"}


def _expected(seen: Seen) -> Told | None:
    """The events of a command; None where the order or number is left to the system."""
    old, new = seen.old, seen.new
    if seen.name in _TELLS:
        return [(kind, None if about is None else seen.cause[about]) for kind, about in _TELLS[seen.name]]
    if old is None or new is None:
        return None
    lost: Told = [("lost", call["call"]) for call in open_calls(old)]
    end: tuple[str, str | None] = ("ended" if new["state"] in ENDS else "sealed", None)
    match seen.name:
        case "Fail":
            return [*lost, end]
        case "Succeed" | "Stop":
            return [end]
        case "Recover":
            return [*lost, end if is_sealed(new) else ("granted", None)]
        case "Reconcile":
            ended: Told = [("ended", None)] if old["state"] == "unknown" and new["state"] != "unknown" else []
            return [("reconciled", seen.cause["call"]), *ended]
        case "Deliver":
            arrival = [one for one in new["arrivals"] if (one["wait"], one["number"]) == _arrived(seen)]
            return [("arrived_late" if arrival and arrival[0]["is_late"] else "arrived", seen.cause["wait"])]
        case "Renew":
            return []
        case _:
            return None


def _arrived(seen: Seen) -> tuple[str, int]:
    return seen.cause["wait"], seen.cause["number"]


def ill_read(seen: Seen) -> Findings:
    """A stream gives every later event and says whether it is over; a replay decides as the history says."""
    if not seen.is_done or seen.outcome is None or seen.old is None:
        return
    if seen.name == "Stream":
        stream = seen.outcome["stream"]
        if stream is None or stream["events"] != seen.old["history"][seen.cause["after"] :]:
            yield "HISTORY.6", "the stream has a gap, a repeat or a ghost"
        elif stream["is_over"] is not (seen.old["state"] in ENDS):
            yield "HISTORY.6", "the stream does not end with the run"
    if seen.name == "Replay" and seen.outcome["decision"] != seen.old["next_decision"]:
        yield "HISTORY.5", "the same history gave another decision"


def unexplained(seen: Seen) -> Findings:
    """What changed in a run is told in that run, unless only time or a heartbeat moved it."""
    silent = {"lease_left_seconds", "waits.left_seconds", "materials.fresh_seconds", "runs +", "runs -"}
    told = {change.run for change in seen.changes if change.what == "history +"}
    for change in seen.changes:
        is_told = change.run is None or change.run in told or change.what in silent
        if not is_told and (seen.name not in ALONE or change.what != "deaths"):
            yield "HISTORY.4", f"{change.what} of {change.run} changed, and its history says nothing"


def _digest(event: Thing) -> str:
    return sha256("\n".join("" if event[name] is None else str(event[name]) for name in _FIELDS))
