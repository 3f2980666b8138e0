"""What a worker's commands promise: the call, the body, the finding, the branch and the end, as they were asked."""

from collections.abc import Callable

from .account import Account
from .complaint import Findings
from .seen import Seen
from .words import (
    INLINE_MAX,
    RECORD_MAX,
    call_in,
    find,
    has_unresolved,
    is_storable,
    sha256,
)


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
    if (
        call is None
        or call["state"] != "open"
        or call["sends"] != 1
        or any(call[name] != cause[name] for name in names)
    ):
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
    yield from ends_as(seen, "succeeded")


def _fail(seen: Seen, account: Account) -> Findings:
    assert seen.new is not None
    yield from ends_as(seen, "failed")
    yield from loses_what_is_open(seen)
    text = seen.cause["error"]
    if text is not None and is_storable(text) and seen.new["error"] != text and len(text) <= RECORD_MAX:
        yield "HISTORY.9", "the error is not recorded as it was given"
    if (text is None) is not (seen.new["error"] is None):
        yield "HISTORY.9", "the error is not recorded"


def _stop(seen: Seen, account: Account) -> Findings:
    yield from ends_as(seen, "cancelled")


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


def ends_as(seen: Seen, end: str) -> Findings:
    assert seen.new is not None
    state, sealed_for = ("unknown", end) if has_unresolved(seen.new) else (end, None)
    if (seen.new["state"], seen.new["sealed_for"]) != (state, sealed_for):
        yield "SETTLE.9", f"{seen.name} leaves the run {seen.new['state']}, not {state}"


def loses_what_is_open(seen: Seen) -> Findings:
    """What was in flight is unknown, and nothing else is said of any call."""
    assert seen.old is not None
    assert seen.new is not None
    for call in seen.old["calls"]:
        after = call_in(seen.new, call["call"])
        due = "unknown" if call["state"] == "open" else call["state"]
        if after is not None and after["state"] != due:
            yield "EFFECT.5", f"{call['call']} was {call['state']} and is {after['state']} now"


BY_WORKERS: dict[str, Callable[[Seen, Account], Findings]] = {
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
    "ReadMaterial": _read,
    "SaveMaterial": _save,
    "Mark": _mark,
}
