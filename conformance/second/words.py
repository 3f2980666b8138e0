"""What can be read off one exported thing: a run, a call, a wait, a text. Everything here is a plain dict."""

import hashlib
from typing import Any

Thing = dict[str, Any]

ENDS = {"succeeded", "failed", "cancelled", "interrupted"}
WAITING = {"waiting_approval", "waiting_external"}
PENDING = {"waiting", "accepted"}

FORMAT = 1
DEATHS_MAX = 2
INLINE_MAX, TEXT_MAX, RECORD_MAX = 1_000, 100_000, 200


def find(things: list[Thing], key: str, value: Any) -> Thing | None:
    """The one thing whose key has that value."""
    return next((thing for thing in things if thing[key] == value), None)


def run_in(observation: Thing, run: str | None) -> Thing | None:
    return find(observation["runs"], "run", run)


def call_in(run: Thing, call: str | None) -> Thing | None:
    return find(run["calls"], "call", call)


def wait_in(run: Thing, wait: str | None) -> Thing | None:
    return find(run["waits"], "wait", wait)


def is_sealed(run: Thing) -> bool:
    return run["state"] in ENDS or run["state"] == "unknown"


def is_open(call: Thing) -> bool:
    return bool(call["state"] == "open")


def is_unresolved(call: Thing) -> bool:
    """Whether it acted, or what it cost, is not known."""
    return call["state"] in {"open", "unknown"} or (call["state"] == "confirmed" and call["cost_cents"] is None)


def known(run: Thing) -> int:
    return sum(call["cost_cents"] or 0 for call in run["calls"])


def held(run: Thing) -> int:
    return sum(call["ceiling_cents"] for call in run["calls"] if is_unresolved(call))


def left(run: Thing) -> int:
    """What of the budget is neither spent nor promised, by the run's calls and not by the ledger that it shows."""
    return int(run["budget_cents"]) - known(run) - held(run)


def open_calls(run: Thing) -> list[Thing]:
    return [call for call in run["calls"] if is_open(call)]


def has_unresolved(run: Thing) -> bool:
    return any(map(is_unresolved, run["calls"]))


def has_unknown_operation(run: Thing) -> bool:
    return any(call["kind"] == "operation" and call["state"] == "unknown" for call in run["calls"])


def is_expired(wait: Thing) -> bool:
    """A timer does not expire: its time being over is what it waits for."""
    return bool(wait["left_seconds"] == 0 and wait["kind"] != "timer")


def is_hopeless(run: Thing) -> bool:
    """It waits, and nothing can wake it any more."""
    pending = [wait for wait in run["waits"] if wait["state"] in PENDING]
    return run["state"] in WAITING and bool(pending) and (is_expired(pending[0]) or left(run) <= 0)


def has_arrived(run: Thing, wait: Thing) -> bool:
    """Everything that completes the wait has come in time."""
    here = {one["number"] for one in run["arrivals"] if one["wait"] == wait["wait"] and not one["is_late"]}
    return here >= set(range(1, wait["arrivals"] + 1))


def requests_about(run: Thing, call: str) -> list[Thing]:
    """The requests for approval of one operation, the latest last."""
    return [wait for wait in run["waits"] if wait["shown"] is not None and wait["shown"]["call"] == call]


def last_qualified(run: Thing) -> int | None:
    versions = [one["version"] for one in run["publications"] if one["qualified"]]
    return versions[-1] if versions else None


def is_storable(text: str) -> bool:
    return len(text) <= TEXT_MAX and "\0" not in text and not any("\ud800" <= one <= "\udfff" for one in text)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def resolved(observation: Thing, bundle: str) -> str | None:
    """What a name or a selector stands for; None if nothing of that name is served."""
    served = [one["bundle"] for one in observation["bundles"] if not one["is_retired"]]
    if bundle == "latest":
        return served[-1] if served else None
    return bundle if bundle in served else None


def branch_of(observation: Thing, bundle: str, marker: str) -> str:
    known_bundle = find(observation["bundles"], "bundle", bundle)
    return "new" if known_bundle is not None and marker in known_bundle["markers"] else "old"
