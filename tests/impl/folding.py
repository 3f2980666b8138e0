"""A run as the payloads of its history tell it, by rules of its own: nothing else is looked at.

What stands here is what anybody could do who had only the events: the tables hold nothing beside them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Said = Mapping[str, Any]
"""The payload of an event."""

Told = dict[str, Any]
"""What is known of the run so far, under the names by which a reading shows it."""


def folded(history: Sequence[Mapping[str, Any]]) -> Told:
    """The run after these events, which must be all of them, from the first."""
    told: Told = {
        "state": None, "fence": 0, "worker": None, "sealed_for": None, "deaths": 0, "assessment": None, "error": None,
        "calls": [], "publications": [], "waits": [], "arrivals": [], "children": [], "markers": [], "materials": [],
    }  # fmt: skip
    for event in history:
        RULES[event["type"]](told, event, event["payload"])
    return told


def _admitted(told: Told, _: Said, said: Said) -> None:
    told.update(state="queued", contract=said["contract"], budget_cents=said["budget_cents"], bundle=said["bundle"])
    told.update({name: said.get(name) for name in ("request", "parent", "continues")})
    told.update({name: said.get(name, []) for name in ("open_calls", "inherited")})


def _granted(told: Told, event: Said, said: Said) -> None:
    told.update(state="running", fence=event["fence"], worker=said["worker"])
    if event["entry_point"] == "recover":
        told["deaths"] += 1
    if event["entry_point"] == "wake":
        told["deaths"] = 0
        _wait(told, event["concerns"])["state"] = "consumed"


def _released(told: Told, event: Said, said: Said) -> None:
    told.update(state="queued", worker=None)


def _intended(told: Told, event: Said, said: Said) -> None:
    optional = ("supersedes", "compensates", "undo")
    given = {name: said[name] for name in ("call", "kind", "digest", "ceiling_cents", "recognises", "sends_max")}
    told["calls"].append(
        {
            **given,
            **{name: said.get(name) for name in optional},
            "fence": event["fence"],
            "state": "open",
            "answer": None,
            "cost_cents": None,
            "over_ceiling": False,
            "sends": 1,
            "told_to_stop": False,
        }
    )
    if "approval" in said:
        _wait(told, said["approval"])["used_by"] = said["call"]
    told["deaths"] = 0


def _sent_again(told: Told, event: Said, said: Said) -> None:
    call = _call(told, said)
    call.update(state="open", sends=call["sends"] + 1)
    told["deaths"] = 0


def _answered(told: Told, event: Said, said: Said) -> None:
    call = _call(told, said)
    call.update(state="confirmed", answer=said["answer"])
    _costs(call, said["cost_cents"])
    told["deaths"] = 0


def _lost(told: Told, event: Said, said: Said) -> None:
    _call(told, said)["state"] = "unknown"


def _reconciled(told: Told, event: Said, said: Said) -> None:
    call = _call(told, said)
    if said["evidence"] != "ambiguous":
        call["state"] = said["evidence"]
    if said["evidence"] == "confirmed":
        _costs(call, said["cost_cents"])


def _published(told: Told, event: Said, said: Said) -> None:
    told["publications"].append({name: said[name] for name in ("version", "body", "qualified")})
    told["deaths"] = 0


def _waited(told: Told, event: Said, said: Said) -> None:
    told["waits"].append(
        {
            "wait": said["wait"],
            "kind": said["kind"],
            "checkpoint": said["checkpoint"],
            "state": "waiting",
            "arrivals": said.get("arrivals", 1),
            "child": said.get("child"),
            "shown": said.get("shown"),
            "approved": None,
            "used_by": None,
        }
    )
    told.update(state=said["state"], worker=None, deaths=0)
    _accepts(told, said["wait"])


def _decided(told: Told, event: Said, said: Said) -> None:
    _wait(told, said["wait"]).update(approved=said["approved"], state="accepted")


def _arrived(told: Told, event: Said, said: Said) -> None:
    is_late = event["type"] == "arrived_late"
    told["arrivals"].append({**{name: said[name] for name in ("wait", "number", "digest")}, "is_late": is_late})
    told["arrivals"].sort(key=lambda one: (one["wait"], one["number"]))
    if not is_late:
        _accepts(told, said["wait"])


def _cancel_requested(told: Told, event: Said, said: Said) -> None:
    told["state"] = "cancelling"
    for call in told["calls"]:
        call["told_to_stop"] |= call["state"] == "open"
    _close_waits(told)


def _spawned(told: Told, event: Said, said: Said) -> None:
    told["children"].append({"spawn": said["spawn"], "child": said["child"]})
    told["deaths"] = 0


def _marked(told: Told, event: Said, said: Said) -> None:
    told["markers"].append({"marker": said["marker"], "branch": said["branch"]})
    told["deaths"] = 0


def _saved(told: Told, event: Said, said: Said) -> None:
    if "origin" in said:
        used = next(one for one in told["inherited"] if one["material"] == said["material"])
        used["reads"] += 1
        return
    given = {name: said[name] for name in ("material", "source", "digest", "derived_from", "judgement")}
    told["materials"].append(
        {**given, **{name: said.get(name) for name in ("as_of", "replaces")}, "fence": event["fence"]}
    )
    told["deaths"] = 0


def _ended(told: Told, event: Said, said: Said) -> None:
    """Recovery of a run that was at work, under the contract that goes on, was one death too many."""
    if (event["entry_point"], told["contract"], told["state"]) == ("recover", "resume", "running"):
        told["deaths"] += 1
    if told["state"].startswith("waiting"):
        _close_waits(told)
    is_sealed = event["type"] == "sealed"
    told.update(state="unknown" if is_sealed else said["end"], sealed_for=said["end"] if is_sealed else None)
    told.update(worker=None, error=said.get("error", told["error"]))


def _assessed(told: Told, event: Said, said: Said) -> None:
    told["assessment"] = said["good"]


RULES: dict[str, Callable[[Told, Said, Said], None]] = {
    "admitted": _admitted,
    "granted": _granted,
    "released": _released,
    "intended": _intended,
    "sent_again": _sent_again,
    "answered": _answered,
    "lost": _lost,
    "reconciled": _reconciled,
    "published": _published,
    "waited": _waited,
    "decided": _decided,
    "arrived": _arrived,
    "arrived_late": _arrived,
    "cancel_requested": _cancel_requested,
    "spawned": _spawned,
    "marked": _marked,
    "saved": _saved,
    "sealed": _ended,
    "ended": _ended,
    "assessed": _assessed,
}
"""What each type of event does to what is known."""


def _call(told: Told, said: Said) -> Told:
    found: Told = next(call for call in told["calls"] if call["call"] == said["call"])
    return found


def _wait(told: Told, name: str) -> Told:
    found: Told = next(wait for wait in told["waits"] if wait["wait"] == name)
    return found


def _costs(call: Told, cost_cents: int | None) -> None:
    call.update(cost_cents=cost_cents, over_ceiling=cost_cents is not None and cost_cents > call["ceiling_cents"])


def _accepts(told: Told, name: str) -> None:
    """With the last of its arrivals a wait is accepted."""
    for wait in (wait for wait in told["waits"] if wait["wait"] == name):
        here = {one["number"] for one in told["arrivals"] if one["wait"] == name and not one["is_late"]}
        if here >= set(range(1, wait["arrivals"] + 1)):
            wait["state"] = "accepted"


def _close_waits(told: Told) -> None:
    for wait in told["waits"]:
        if wait["state"] in ("waiting", "accepted"):
            wait["state"] = "closed"
