"""Reasons that speak against a command where its run stands: with one it must not be done, without one not refused.

An objection is (reason, rule). A rule of None is an objection that a system may raise and need not.
"""

from collections.abc import Callable

from .account import Account, readable
from .approvals import may_not_decide, may_not_dispatch, may_not_request
from .complaint import Findings, Objections
from .seen import Seen
from .words import (
    ENDS,
    INLINE_MAX,
    PENDING,
    Thing,
    branch_of,
    call_in,
    find,
    has_unknown_operation,
    has_unresolved,
    is_hopeless,
    is_open,
    is_sealed,
    is_storable,
    is_unresolved,
    last_qualified,
    left,
    open_calls,
    resolved,
    run_in,
    sha256,
)
from .waits import may_not_deliver, may_not_wait, may_not_wake

_WINDS_UP = {"Renew", "RecordAnswer", "MarkUnknown", "Stop"}
_DISPATCHES = {"Intend", "SendAgain", "Spawn"}


def wrongly_answered(seen: Seen, account: Account) -> Findings:
    """It was done although something speaks against it, or refused although nothing does, or not for that reason."""
    if not seen.is_command or seen.is_unheard or (seen.is_repeat and not seen.is_refused):
        return
    objections = list(_at_the_door(seen)) + list(_against(seen, account))
    if not seen.is_refused:
        for reason, rule in objections:
            if rule is not None:
                yield rule, f"{seen.name} was done, but must be refused: {reason}"
        return
    assert seen.outcome is not None
    reason = seen.outcome["reason"]
    if seen.is_repeat and reason not in {"not_allowed", "no_such_run"}:
        yield "ENTRY.6", f"{seen.name} was done before, and refused now ({reason})"
    elif not seen.is_repeat and not objections and reason != "command_id_conflict":
        yield _liveness(seen), f"{seen.name} was refused ({reason}), but nothing speaks against it"
    elif not seen.is_repeat and objections and reason not in {name for name, _ in objections}:
        yield "ENTRY.5", f"{seen.name} was refused as {reason}, which is not so"


def _liveness(seen: Seen) -> str:
    """The rule that promises that this is not refused."""
    if seen.name == "Reconcile" and seen.old is not None:
        call = call_in(seen.old, seen.get("call"))
        return "FENCE.8" if call is not None and call["fence"] < seen.old["fence"] else "SETTLE.6"
    promised = {"Wake": "WAKE.12", "Deliver": "WAKE.8", "Fail": "HISTORY.9", "LookUp": "VERSION.7", "Stream": "HISTORY.6"}
    return promised.get(seen.name, "SETTLE.10")


def _at_the_door(seen: Seen) -> Objections:
    """To a stranger a run looks as if it did not exist; to the usual session one of another tenant may."""
    runs = [run for name in (seen.run, seen.get("source")) if (run := run_in(seen.before, name)) is not None]
    if seen.session is None:
        if any(run["tenant"] != "tenant" for run in runs):
            yield "no_such_run", None
        return
    if seen.session["role"] != seen.door:
        yield "not_allowed", "TENANT.2"
    if any(run["tenant"] != seen.session["tenant"] for run in runs):
        yield "no_such_run", "TENANT.1"


def _against(seen: Seen, account: Account) -> Objections:
    if _is_malformed(seen.cause):
        yield "malformed", "ENTRY.5"
    if seen.name in _STORE:
        yield from _STORE[seen.name](seen, account)
        return
    run = seen.old
    if run is None:
        yield "no_such_run", "ENTRY.4"
        return
    if seen.is_work:
        yield from _not_the_holder(seen, account, run)
    if seen.name in _RUN:
        yield from _RUN[seen.name](seen, account, run)


def _not_the_holder(seen: Seen, account: Account, run: Thing) -> Objections:
    """Only the holder of the highest fence ever granted, with a live lease, works on a run that is not over."""
    if seen.cause["fence"] != account.fence_of(run):
        yield "stale_fence", "FENCE.2"
    if is_sealed(run):
        yield "sealed", "FENCE.7" if seen.name in _DISPATCHES else "FENCE.6"
    elif run["lease_left_seconds"] is None:
        yield "not_running", "ENTRY.4"
    elif run["lease_left_seconds"] == 0:
        yield "lease_lapsed", "FENCE.3"
    elif run["state"] == "cancelling" and seen.name not in _WINDS_UP:
        yield "cancelling", "CANCEL.1"


def _is_malformed(cause: Thing) -> bool:
    """Nothing is negative that counts; only a confirmation names an amount; only a compensation undoes."""
    amounts = ("budget_cents", "ceiling_cents", "cost_cents", "seconds", "fresh_seconds", "replayed", "diverged", "after")
    if any((cause.get(name) or 0) < 0 for name in amounts) or any(cause.get(name, 1) < 1 for name in _COUNTED):
        return True
    if cause.get("undo") is not None and cause["compensates"] is None:
        return True
    if cause["is"] == "Wait" and cause["kind"] == "approval":
        return True
    return cause["is"] == "Reconcile" and cause["evidence"] != "confirmed" and cause["cost_cents"] is not None


_COUNTED = ("sends_max", "arrivals", "number")


def _submit(seen: Seen, account: Account) -> Objections:
    if seen.old is not None:
        yield "run_exists", "HISTORY.3"
    tenant = seen.session["tenant"] if seen.session else "tenant"
    request = seen.get("request")
    if request is not None and any((run["request"], run["tenant"]) == (request, tenant) for run in seen.before["runs"]):
        yield "request_taken", "CONTINUE.10"
    if resolved(seen.before, seen.cause.get("bundle", "latest")) is None:
        yield "no_such_bundle", "VERSION.1"


def _continue(seen: Seen, account: Account) -> Objections:
    yield from _submit(seen, account)
    source = run_in(seen.before, seen.cause["source"])
    if source is None:
        yield "no_such_run", "ENTRY.4"
    elif not is_sealed(source):
        yield "not_ended", "CONTINUE.9"


def _revoke(seen: Seen, account: Account) -> Objections:
    reader = {"source": seen.cause["source"], "user": seen.cause["user"]}
    if reader not in seen.before["readers"]:
        yield "no_such_grant", "CONTINUE.5"


def _deploy(seen: Seen, account: Account) -> Objections:
    if seen.cause["bundle"] == "latest" or find(seen.before["bundles"], "bundle", seen.cause["bundle"]):
        yield "malformed", "VERSION.1"
    if seen.cause["diverged"] > 0:
        yield "diverged", "VERSION.3"
    if seen.cause["replayed"] < 1:
        yield "not_replayed", "VERSION.3"


def _retire(seen: Seen, account: Account) -> Objections:
    bundle = find(seen.before["bundles"], "bundle", seen.cause["bundle"])
    if bundle is None:
        yield "no_such_bundle", "VERSION.1"
    elif not bundle["is_retired"] and needing_bundle(seen):
        yield "bundle_needed", "VERSION.6"


def needing_bundle(seen: Seen) -> list[str]:
    """The runs not yet ended that are pinned to the bundle at hand."""
    bundle = seen.cause["bundle"]
    return [run["run"] for run in seen.before["runs"] if run["bundle"] == bundle and run["state"] not in ENDS]


def _migrate(seen: Seen, account: Account) -> Objections:
    oldest, newest = seen.before["schema"]
    if oldest < newest:
        yield "migrating", "VERSION.8"


def _end_migration(seen: Seen, account: Account) -> Objections:
    oldest, newest = seen.before["schema"]
    if oldest == newest:
        yield "not_migrating", "VERSION.8"
    elif any(run["lease_left_seconds"] and account.schemas.get(run["run"], 1) == oldest for run in seen.before["runs"]):
        yield "old_worker_live", "VERSION.8"


def _purge(seen: Seen, account: Account) -> Objections:
    digest = seen.cause["payload"]
    if find(seen.before["payloads"], "digest", digest) is None:
        yield "no_such_payload", "HISTORY.10"
    elif any(_needs(run, digest) for run in seen.before["runs"]):
        yield "payload_needed", "HISTORY.10"


def _needs(run: Thing, digest: str) -> bool:
    texts = [one["body"] for one in run["publications"]] + [call["answer"] or "" for call in run["calls"]]
    is_live = run["state"] not in ENDS or has_unresolved(run)
    in_use = is_live and any(len(text) > INLINE_MAX and sha256(text) == digest for text in texts)
    return in_use or any(one["digest"] == digest for one in run["materials"])


def _claim(seen: Seen, account: Account, run: Thing) -> Objections:
    if is_sealed(run):
        yield "sealed", "FENCE.6"
    elif run["lease_left_seconds"]:
        yield "lease_live", "FENCE.4"
    elif run["state"] != "queued":
        yield "not_queued", "ENTRY.4"
    oldest, newest = seen.before["schema"]
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
            yield "malformed", "ENTRY.4"
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
    names = {one["material"] for one in run["materials"]}
    if seen.cause["material"] in names:
        yield "material_exists", "HISTORY.3"
    if not {*seen.cause["derived_from"], *filter(None, [seen.cause["replaces"]])} <= names:
        yield "no_such_material", "CONTINUE.3"


def _read(seen: Seen, account: Account, run: Thing) -> Objections:
    view = find(run["inherited"], "material", seen.cause["material"])
    if view is None:
        yield "no_such_material", "CONTINUE.3"
        return
    origin = run_in(seen.before, view["run"])
    material = None if origin is None else find(origin["materials"], "material", view["material"])
    user = account.users.get(run["run"])
    if origin is None or material is None or not readable(seen.before, origin, material, user):
        yield "not_readable", "CONTINUE.5"


def _nothing(seen: Seen, account: Account) -> Objections:
    return iter(())


_STORE: dict[str, Callable[[Seen, Account], Objections]] = {
    "Submit": _submit,
    "Continue": _continue,
    "Grant": _nothing,
    "Revoke": _revoke,
    "Deploy": _deploy,
    "Retire": _retire,
    "Migrate": _migrate,
    "EndMigration": _end_migration,
    "Purge": _purge,
}
_RUN: dict[str, Callable[[Seen, Account, Thing], Objections]] = {
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
