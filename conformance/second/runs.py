"""What speaks against commands about one run, beside where the run and its asker stand."""

from collections.abc import Callable

from .account import Account
from .approvals import may_not_decide, may_not_dispatch, may_not_request
from .complaint import Objections
from .findings import knows, readable
from .seen import Seen
from .waits import may_not_deliver, may_not_wait, may_not_wake
from .words import (
    ENDS,
    PENDING,
    Thing,
    branch_of,
    call_in,
    find,
    has_unknown_operation,
    is_hopeless,
    is_open,
    is_sealed,
    is_storable,
    is_unresolved,
    last_qualified,
    left,
    open_calls,
    run_in,
)


def _claim(seen: Seen, account: Account, run: Thing) -> Objections:
    if is_sealed(run):
        yield "sealed", "FENCE.6"
    elif run["lease_left_seconds"]:
        yield "lease_live", "FENCE.4"
    elif run["state"] != "queued":
        yield "not_queued", "ENTRY.4"
    oldest, newest = seen.before["served"]
    if not oldest <= seen.cause["schema"] <= newest:
        yield "unsupported_schema", "VERSION.8"
    if run["bundle"] not in seen.cause["supports"]:
        yield "unsupported_bundle", "VERSION.2"


def _release(seen: Seen, account: Account, run: Thing) -> Objections:
    if open_calls(run):
        yield "call_open", "EFFECT.5"


def _intend(seen: Seen, account: Account, run: Thing) -> Objections:
    cause, first = seen.cause, call_in(run, seen.cause["call"])
    if first is not None:
        if (first["kind"], first["digest"]) != (cause["kind"], cause["digest"]):
            yield "call_id_conflict", "EFFECT.3"
        return
    others = [one for one in seen.before["runs"] if one["tenant"] == run["tenant"] and one is not run]
    if any(call_in(one, cause["call"]) for one in others):
        yield "call_id_conflict", "EFFECT.2"
    if run["contract"] == "resume" and has_unknown_operation(run):
        yield "unresolved", "SETTLE.7"
    if cause["supersedes"] is not None and not _is_lost(run, cause["supersedes"], cause["kind"]):
        yield "not_supersedable", "HISTORY.7"
    if cause["compensates"] is not None and not _is_compensable(run, cause):
        yield "not_compensable", "EFFECT.11"
    if cause["ceiling_cents"] > left(run):
        yield "over_budget", "COST.1"
    yield from may_not_dispatch(seen, run)


def _is_lost(run: Thing, superseded: str, kind: str) -> bool:
    call = call_in(run, superseded)
    is_attempt = call is not None and call["kind"] == kind == "attempt"
    return is_attempt and call is not None and call["state"] in {"unknown", "not_found"}


def _is_compensable(run: Thing, cause: Thing) -> bool:
    call = call_in(run, cause["compensates"])
    is_operation = call is not None and call["kind"] == cause["kind"] == "operation"
    return is_operation and call is not None and call["state"] == "confirmed" and cause["undo"] is not None


def _send_again(seen: Seen, account: Account, run: Thing) -> Objections:
    call = call_in(run, seen.cause["call"])
    if call is None:
        yield "no_such_call", "EFFECT.1"
        return
    if call["state"] != "not_found" and not (call["state"] == "unknown" and call["recognises"]):
        yield "not_sendable", "EFFECT.6" if call["state"] == "unknown" else "EFFECT.7"
    if max(call["sends"], account.sends.get((run["run"], call["call"]), 1)) >= call["sends_max"]:
        yield "sends_spent", "EFFECT.8"
    if call["state"] == "not_found" and call["ceiling_cents"] > left(run):
        yield "over_budget", "COST.1"
    yield from may_not_dispatch(seen, run)


def _answer(seen: Seen, account: Account, run: Thing) -> Objections:
    call = call_in(run, seen.cause["call"])
    if call is None:
        yield "no_such_call", "EFFECT.1"
    elif not is_open(call):
        yield "call_not_open", "EFFECT.6" if call["state"] == "unknown" else "EFFECT.9"
    if not is_storable(seen.cause.get("answer", "")):
        yield "unstorable", "HISTORY.9"


def _publish(seen: Seen, account: Account, run: Thing) -> Objections:
    if not is_storable(seen.cause["body"]):
        yield "unstorable", "HISTORY.9"


def _succeed(seen: Seen, account: Account, run: Thing) -> Objections:
    if open_calls(run):
        yield "call_open", "SETTLE.5"
    if last_qualified(run) is None:
        yield "not_qualified", "SETTLE.5"


def _stop(seen: Seen, account: Account, run: Thing) -> Objections:
    if run["state"] != "cancelling":
        yield "not_cancelling", "CANCEL.3"
    if open_calls(run):
        yield "call_open", "CANCEL.3"


def _cancel(seen: Seen, account: Account, run: Thing) -> Objections:
    if is_sealed(run):
        yield "sealed", "FENCE.6"
    if run["state"] == "cancelling":
        yield "cancelling", "CANCEL.4"


def _recover(seen: Seen, account: Account, run: Thing) -> Objections:
    if seen.cause["seen_fence"] is not None and seen.cause["seen_fence"] != run["fence"]:
        yield "stale_fence", "FENCE.5"
    if is_sealed(run):
        yield "sealed", "SETTLE.2"
    elif run["lease_left_seconds"]:
        yield "lease_live", "FENCE.4"
    elif run["state"] == "cancelling" or is_hopeless(run):
        return
    elif run["lease_left_seconds"] is None:
        yield "not_running", "ENTRY.4"
    elif run["contract"] == "resume":
        if seen.cause["worker"] is None:
            yield "no_worker", "ENTRY.4"
        if run["bundle"] not in seen.cause["supports"]:
            yield "unsupported_bundle", "VERSION.2"


def _reconcile(seen: Seen, account: Account, run: Thing) -> Objections:
    call = call_in(run, seen.cause["call"])
    if call is None:
        yield "no_such_call", "EFFECT.1"
    elif is_open(call):
        yield "call_open", "EFFECT.9"
    elif not is_unresolved(call):
        yield "already_resolved", "EFFECT.9"
    elif seen.get("sends") not in (None, call["sends"]):
        yield "stale_evidence", "EFFECT.7"
    elif call["state"] == "confirmed" and seen.cause["evidence"] == "not_found":
        yield "contradicted", "EFFECT.9"


def _look_up(seen: Seen, account: Account, run: Thing) -> Objections:
    if call_in(run, seen.cause["call"]) is None:
        yield "no_such_call", "EFFECT.1"


def _assess(seen: Seen, account: Account, run: Thing) -> Objections:
    if run["state"] not in ENDS:
        yield "not_ended", "EFFECT.10"


def _spawn(seen: Seen, account: Account, run: Thing) -> Objections:
    first = find(run["children"], "spawn", seen.cause["spawn"])
    if first is not None:
        if first["child"] != seen.cause["child"]:
            yield "spawn_conflict", "EFFECT.12"
        return
    if run_in(seen.before, seen.cause["child"]) is not None:
        yield "run_exists", "HISTORY.3"
    if run["contract"] == "resume" and has_unknown_operation(run):
        yield "unresolved", "SETTLE.7"


def _mark(seen: Seen, account: Account, run: Thing) -> Objections:
    if seen.cause["branch"] != branch_of(seen.before, run["bundle"], seen.cause["marker"]):
        has_waited = any(wait["state"] not in PENDING for wait in run["waits"])
        yield "wrong_branch", "VERSION.5" if has_waited else "VERSION.4"


def _save(seen: Seen, account: Account, run: Thing) -> Objections:
    if find(run["materials"], "material", seen.cause["material"]) is not None:
        yield "material_exists", "HISTORY.3"
    replaced = seen.cause["replaces"]
    is_strange = replaced is not None and find(run["materials"], "material", replaced) is None
    if is_strange or any(not knows(run, name) for name in seen.cause["derived_from"]):
        yield "no_such_material", "CONTINUE.3"


def _read(seen: Seen, account: Account, run: Thing) -> Objections:
    view = find(run["inherited"], "material", seen.cause["material"])
    if view is None:
        yield "no_such_material", "CONTINUE.3"
        yield "not_readable", None
        return
    origin = run_in(seen.before, view["run"])
    material = None if origin is None else find(origin["materials"], "material", view["material"])
    user = account.users.get(run["run"])
    if origin is None or material is None or not readable(seen.before, origin, material, user):
        yield "not_readable", "CONTINUE.5"


AGAINST_A_RUN: dict[str, Callable[[Seen, Account, Thing], Objections]] = {
    "Claim": _claim,
    "Release": _release,
    "Intend": _intend,
    "SendAgain": _send_again,
    "RecordAnswer": _answer,
    "MarkUnknown": _answer,
    "Publish": _publish,
    "Succeed": _succeed,
    "Stop": _stop,
    "Cancel": _cancel,
    "Recover": _recover,
    "Reconcile": _reconcile,
    "LookUp": _look_up,
    "Assess": _assess,
    "Spawn": _spawn,
    "Mark": _mark,
    "SaveMaterial": _save,
    "ReadMaterial": _read,
    "Wait": may_not_wait,
    "RequestApproval": may_not_request,
    "Decide": may_not_decide,
    "Deliver": may_not_deliver,
    "Wake": may_not_wake,
}
