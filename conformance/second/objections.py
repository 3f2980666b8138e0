"""Reasons that speak against a command where its run stands: with one it must not be done, without one not refused."""

from .account import Account
from .complaint import Findings, Objections
from .runs import AGAINST_A_RUN
from .seen import Seen
from .stores import AGAINST_THE_STORE
from .words import Thing, call_in, is_sealed, run_in

_WINDS_UP = {"Renew", "RecordAnswer", "MarkUnknown", "Stop"}
_DISPATCHES = {"Intend", "SendAgain", "Spawn"}
_COUNTED = ("sends_max", "arrivals", "number")
_AMOUNTS = ("budget_cents", "ceiling_cents", "cost_cents", "seconds", "fresh_seconds", "replayed", "diverged", "after")


def wrongly_answered(seen: Seen, account: Account) -> Findings:
    """It was done although something speaks against it, or refused although nothing does, or not for that reason."""
    if not seen.is_command or seen.is_unheard or (seen.is_repeat and not seen.is_refused):
        return
    door, standing, own = (list(part) for part in (_at_the_door(seen), _standing(seen, account), _own(seen, account)))
    if account.is_conflict(seen):
        return
    if seen.is_refused:
        is_stale = seen.is_work and seen.old is not None and seen.cause["fence"] < account.fence_of(seen.old)
        yield from _wrongly_refused(seen, dict(door), dict(standing), dict(own), is_stale=is_stale)
        return
    for reason, rule in door + standing + own:
        if rule is not None:
            yield rule, f"{seen.name} was done, but must be refused: {reason}"


def _wrongly_refused(
    seen: Seen,
    door: dict[str, str | None],
    standing: dict[str, str | None],
    own: dict[str, str | None],
    *,
    is_stale: bool,
) -> Findings:
    """A worker that was overtaken, or comes after the seal, is told that, and not what else is wrong with its work."""
    assert seen.outcome is not None
    reason = seen.outcome["reason"]
    if seen.is_repeat:
        if reason not in door:
            yield "ENTRY.6", f"{seen.name} was done before, and refused now ({reason})"
    elif not {**door, **standing, **own}:
        yield _liveness(seen), f"{seen.name} was refused ({reason}), but nothing speaks against it"
    elif door.get("no_such_run") and reason not in {*door, *_of_its_own(seen, own)}:
        yield "TENANT.1", f"a stranger was told {reason} of a run that must look as if it did not exist"
    elif door.get("not_allowed") and reason not in door:
        yield "TENANT.2", f"{seen.name} at the wrong door was refused as {reason}"
    elif is_stale and reason not in {*door, "malformed", "stale_fence", *({"sealed"} & standing.keys())}:
        yield "FENCE.2", f"{seen.name} of an older grant was refused as {reason}, not for its fence"
    elif "sealed" in standing and reason not in {*door, *standing, "malformed"}:
        yield "FENCE.8", f"{seen.name} came after the seal and was refused as {reason}"
    elif reason not in {**door, **standing, **own}:
        yield "ENTRY.5", f"{seen.name} was refused as {reason}, which is not so"


def _of_its_own(seen: Seen, own: dict[str, str | None]) -> set[str]:
    """What is so of the asker's own runs may be told, also to who names another's run as source."""
    assert seen.session is not None
    is_anothers = seen.old is not None and seen.old["tenant"] != seen.session["tenant"]
    return set() if seen.name != "Continue" or is_anothers else {"run_exists", "request_taken"} & own.keys()


def _liveness(seen: Seen) -> str:
    """The rule that promises that this is not refused."""
    if seen.name == "Reconcile" and seen.old is not None:
        call = call_in(seen.old, seen.get("call"))
        return "FENCE.8" if call is not None and call["fence"] < seen.old["fence"] else "SETTLE.6"
    promised = {
        "Wake": "WAKE.12",
        "Deliver": "WAKE.8",
        "Decide": "APPROVAL.5",
        "Fail": "HISTORY.9",
        "LookUp": "VERSION.7",
        "Stream": "HISTORY.6",
    }
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


def _standing(seen: Seen, account: Account) -> Objections:
    """Only the holder of the highest fence ever granted, with a live lease, works on a run that is not over."""
    if not seen.is_work or seen.old is None:
        return
    run = seen.old
    if seen.cause["fence"] != account.fence_of(run):
        yield "stale_fence", "FENCE.2"
    if is_sealed(run):
        yield "sealed", "FENCE.7" if seen.name in _DISPATCHES else "FENCE.6"
        return
    if not run["lease_left_seconds"]:
        is_lapsed = run["lease_left_seconds"] == 0
        yield ("lease_lapsed", "FENCE.3") if is_lapsed else ("not_running", "ENTRY.4")
    if run["state"] == "cancelling" and seen.name not in _WINDS_UP:
        yield "cancelling", "CANCEL.1"


def _own(seen: Seen, account: Account) -> Objections:
    """What speaks against just this command."""
    if _is_malformed(seen.cause):
        yield "malformed", "ENTRY.5"
    if seen.name in AGAINST_THE_STORE:
        yield from AGAINST_THE_STORE[seen.name](seen, account)
    elif seen.run is not None and seen.old is None:
        yield "no_such_run", "ENTRY.4"
    elif seen.old is not None and seen.name in AGAINST_A_RUN:
        yield from AGAINST_A_RUN[seen.name](seen, account, seen.old)


def _is_malformed(cause: Thing) -> bool:
    """Nothing is negative that counts; only a confirmation names an amount; only a compensation undoes; only callbacks
    come several times.
    """
    if any((cause.get(name) or 0) < 0 for name in _AMOUNTS) or any(cause.get(name, 1) < 1 for name in _COUNTED):
        return True
    if cause.get("undo") is not None and cause["compensates"] is None:
        return True
    if cause["is"] == "Wait" and cause["kind"] != "callback" and (cause["kind"] == "approval" or cause["arrivals"] > 1):
        return True
    if (cause["is"], cause.get("bundle")) == ("Deploy", "latest"):
        return True
    return cause["is"] == "Reconcile" and cause["evidence"] != "confirmed" and cause["cost_cents"] is not None
