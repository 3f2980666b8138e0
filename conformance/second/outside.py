"""Truth outside beside what is known: every effect was intended, happened at most once, and lies within the ledger."""

from .complaint import Findings
from .seen import Seen
from .words import Thing, call_in, is_unresolved


def unlike_truth(seen: Seen) -> Findings:
    """What servers saw fits what the system shows."""
    for true in seen.truth["calls"]:
        owners = [run for run in seen.after["runs"] if call_in(run, true["call"])]
        if not owners:
            yield "EFFECT.1", f"{true['call']} arrived outside, and no intent of it is stored"
        if true["acts"] > 1:
            yield "EFFECT.4", f"{true['call']} took effect {true['acts']} times"
        if true["requests"] < true["acts"]:
            yield "EFFECT.8", f"{true['call']} acted more often than it arrived"
        if len(owners) == 1:
            yield from _call(owners[0], true)
    if len(seen.truth["calls"]) > len({true["call"] for true in seen.truth["calls"]}):
        yield "EFFECT.2", "one call came under several keys"


def _call(run: Thing, true: Thing) -> Findings:
    call = call_in(run, true["call"])
    assert call is not None
    if set(true["keys"]) - {call["call"]}:
        yield "EFFECT.2", f"{call['call']} came under another key"
    if true["fence"] is not None and true["fence"] != call["fence"]:
        yield "EFFECT.2", f"{call['call']} travelled under fence {true['fence']}, intended under {call['fence']}"
    if true["requests"] > call["sends"]:
        yield (
            "EFFECT.8",
            f"{call['call']} arrived {true['requests']} times, its sending was committed {call['sends']} times",
        )
    if call["state"] == "not_found" and true["acts"]:
        yield "EFFECT.6", f"{call['call']} took effect and is shown as not found"
    if not is_unresolved(call) and (call["cost_cents"] or 0) != true["cost_cents"]:
        yield "COST.2", f"{call['call']} cost {true['cost_cents']}, and {call['cost_cents']} is taken for known"
    if call["state"] == "confirmed" and not true["acts"]:
        yield "EFFECT.5", f"{call['call']} is confirmed and never took effect"


def never_acted(seen: Seen) -> Findings:
    """A confirmation is of something that happened."""
    arrived = {true["call"] for true in seen.truth["calls"]}
    for run in seen.after["runs"]:
        for call in run["calls"]:
            if call["state"] == "confirmed" and call["call"] not in arrived:
                yield "EFFECT.5", f"{call['call']} is confirmed and never arrived outside"


def interval(seen: Seen) -> Findings:
    """The true cost of a run lies in what it shows, as long as every ceiling was honest."""
    true = {one["call"]: one["cost_cents"] for one in seen.truth["calls"]}
    for run in seen.after["runs"]:
        costs = [(true.get(call["call"], 0), call["ceiling_cents"]) for call in run["calls"]]
        if all(cost <= ceiling for cost, ceiling in costs):
            total = sum(cost for cost, _ in costs)
            if not run["known_cents"] <= total <= run["known_cents"] + run["held_cents"]:
                yield "COST.2", f"{run['run']} cost {total}, which is not in what it shows"


def ill_answered(seen: Seen) -> Findings:
    """A lookup says what is so: confirmed where it acted, not found only where that is known already."""
    if seen.name != "LookUp" or not seen.is_done or seen.old is None or seen.outcome is None:
        return
    call = call_in(seen.old, seen.cause["call"])
    true = next((one for one in seen.truth["calls"] if one["call"] == seen.cause["call"]), None)
    if call is None:
        return
    has_acted = true is not None and true["acts"] > 0
    if has_acted != (seen.outcome["evidence"] == "confirmed"):
        rule = "VERSION.7" if seen.truth["tool_release"] > 1 else "EFFECT.6"
        yield rule, f"{call['call']} was looked up as {seen.outcome['evidence']}"
    if seen.outcome["evidence"] == "not_found" and call["state"] != "not_found":
        yield "EFFECT.7", f"{call['call']} may still arrive, and was called not found"
