"""What must be true after all of it, whatever was killed: each check gives complaints, and none is what is wanted."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from keepfact.impl.store import Store

from .asking import Asker, Reader
from .outside import Truth

ENDS = frozenset({"succeeded", "failed", "cancelled", "interrupted"})
EVENTS = """
  select run, number, type, entry_point, principal, fence, concerns, payload_digest, previous_digest, digest,
    payload::text from keepfact.events order by run, number
"""


@dataclass(frozen=True)
class Aftermath:
    """All that is left: the runs as they are shown, their events as they are stored, and what is true outside."""

    runs: dict[str, dict[str, Any]]
    events: dict[str, list[tuple[Any, ...]]]
    truths: dict[str, Truth]


def aftermath(store: Store, admin: psycopg.Connection, truths: dict[str, Truth]) -> Aftermath:
    """Read everything there is."""
    runs = [run for (run,) in admin.execute("select run from keepfact.runs order by admitted")]
    shown = store.observe(runs, payloads=True)
    events = defaultdict(list)
    for run, *event in admin.execute(EVENTS):
        events[run].append(tuple(event))
    return Aftermath({run["run"]: run for run in shown}, events, truths)


def complaints(left: Aftermath, asker: Asker, reader: Reader) -> list[str]:
    """Everything that is not as it must be."""
    return [
        *_about_answers(left, asker),
        *_about_readings(left, reader),
        *(f"{run}: {said}" for run, shown in left.runs.items() for said in _about_run(left, shown)),
        *(f"{call}: {said}" for call, truth in left.truths.items() for said in _about_call(left, call, truth)),
    ]


TOLD = {"submit": "admitted", "cancel": "cancel_requested", "decide": "decided", "deliver": "arrived"}
"""The event that tells of a command; of a delivery that came late, one with a longer name."""


def _about_answers(left: Aftermath, asker: Asker) -> Iterator[str]:
    """What was acknowledged is there, and is answered as it was the first time."""
    for asked in asker.acknowledged():
        run, concerns = asked.fields["run"], asked.fields.get("wait")
        told = [
            event for event in left.events[run] if event[1].startswith(TOLD[asked.command]) and event[5] == concerns
        ]
        if not told:
            yield f"{asked.command_id} was acknowledged and is not in the history of {run}"
        again = asker.hear(asker.store, asked.command, asked.command_id, **asked.fields)
        if again != asked.outcome:
            yield f"{asked.command_id} was answered {asked.outcome}, and now {again}"


def _about_readings(left: Aftermath, reader: Reader) -> Iterator[str]:
    """What somebody has read is still so."""
    for run, (number, digest) in reader.seen.items():
        if len(left.events[run]) < number or left.events[run][number - 1][8] != digest:
            yield f"event {number} of {run} was read and is not there any more"


def _about_run(left: Aftermath, shown: dict[str, Any]) -> Iterator[str]:
    if shown["state"] not in ENDS | {"unknown"}:
        yield f"it is {shown['state']}"
    if shown["worker"] is not None or shown["lease_left_seconds"] is not None:
        yield "somebody still holds it"
    yield from _about_history(left.events[shown["run"]], shown)
    yield from _about_costs(left, shown)
    yield from _about_children(left, shown)
    if shown["state"] == "succeeded":
        yield from _about_success(left, shown)


def _about_history(events: Sequence[tuple[Any, ...]], shown: dict[str, Any]) -> Iterator[str]:
    """Gapless, chained, with one end, and nobody works after it; every grant has a higher fence."""
    if [event[0] for event in events] != list(range(1, len(events) + 1)):
        yield "its numbers have gaps"
    previous: str | None = None
    for event in events:
        number, *said, payload_digest, previous_digest, digest, payload = event
        lines = [str(number), *("" if word is None else str(word) for word in said), payload_digest, previous or ""]
        if payload_digest != _digest(payload) or previous_digest != previous or digest != _digest("\n".join(lines)):
            yield f"event {number} does not belong to its chain"
        previous = digest
    fences = [event[4] for event in events if event[1] == "granted"]
    if fences != sorted(set(fences)):
        yield f"fences were handed out as {fences}"
    kinds = [event[1] for event in events]
    over = min((kinds.index(kind) for kind in ("ended", "sealed") if kind in kinds), default=len(kinds))
    if kinds.count("ended") != (shown["state"] in ENDS) or kinds.count("sealed") > 1:
        yield f"its ends are {kinds[over:]}"
    if late := [event for event in events[over + 1 :] if event[2] not in ("reconcile", "deliver")]:
        yield f"after its end came {[event[1] for event in late]}"
    yield from _about_wakes(events, shown)


def _about_wakes(events: Sequence[tuple[Any, ...]], shown: dict[str, Any]) -> Iterator[str]:
    """Each wait was woken from once, everything arrived once, and without approval nothing was sent."""
    woken = Counter(event[5] for event in events if event[1:3] == ("granted", "wake"))
    arrived = Counter((event[5], json.loads(event[9])["number"]) for event in events if event[1] == "arrived")
    for what, count in [*woken.items(), *arrived.items()]:
        if count > 1:
            yield f"{what} was used {count} times"
    approvals = [wait for wait in shown["waits"] if wait["kind"] == "approval"]
    if approvals and not any(wait["approved"] for wait in approvals):
        for call in shown["calls"]:
            if call["kind"] == "operation":
                yield f"{call['call']} was intended, and nobody approved"


def _about_children(left: Aftermath, shown: dict[str, Any]) -> Iterator[str]:
    """One child for one spawn, known to both."""
    born = [run for run, other in left.runs.items() if other["parent"] == shown["run"]]
    if sorted(born) != sorted(child["child"] for child in shown["children"]):
        yield f"its children are {shown['children']}, and {born} say so"


def _about_costs(left: Aftermath, shown: dict[str, Any]) -> Iterator[str]:
    """The true cost lies between what is known and that with what is held; once nothing is unresolved it is known."""
    true = sum(left.truths.get(call["call"], Truth()).cost_cents for call in shown["calls"])
    known, held = shown["known_cents"], shown["held_cents"]
    if not known <= true <= known + held:
        yield f"it cost {true}, and between {known} and {known + held} was said"
    if (shown["state"] == "unknown" and not shown["unresolved"]) or (shown["state"] in ENDS and shown["unresolved"]):
        yield f"it is {shown['state']} with {shown['unresolved']} unresolved"
    for call in shown["calls"]:
        truth = left.truths.get(call["call"], Truth())
        if call["answer"] is not None and _digest(call["answer"]) not in truth.answers:
            yield f"the answer to {call['call']} was never given"
        if truth.requests > call["sends"]:
            yield f"{call['call']} was to be sent {call['sends']} times, and {truth.requests} requests came"
        if call["kind"] == "operation" and call["state"] == "not_found" and truth.acts:
            yield f"{call['call']} was not found, and acted"
        if call["state"] == "confirmed" and not truth.acts and truth.requests == 0:
            yield f"{call['call']} is confirmed, and nobody was asked"


def _about_success(left: Aftermath, shown: dict[str, Any]) -> Iterator[str]:
    """A run that succeeded has what it should: its operation acted, and the last of two versions was delivered."""
    operations = [call for call in shown["calls"] if call["kind"] == "operation"]
    if [left.truths[call["call"]].acts for call in operations] != [1]:
        yield "it succeeded, and its operation did not act once"
    if shown["delivered"] != {"version": 2, "partial": False}:
        yield f"it succeeded, and delivered {shown['delivered']}"


def _about_call(left: Aftermath, call: str, truth: Truth) -> Iterator[str]:
    """Whatever came to be known outside was intended here, and acted once."""
    run = left.runs.get(call.rsplit(":", 2)[0])
    if run is None or not any(known["call"] == call for known in run["calls"]):
        yield "it was asked outside, and never intended"
    if truth.acts > 1:
        yield f"it acted {truth.acts} times"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
