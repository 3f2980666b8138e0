"""What speaks against commands about more than one run: admissions, readers, bundles, tables, payloads."""

from collections.abc import Callable

from .account import Account
from .complaint import Objections
from .seen import Seen
from .words import ENDS, INLINE_MAX, Thing, find, has_unresolved, is_sealed, resolved, run_in, sha256


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
        yield "no_such_grant", None


def _deploy(seen: Seen, account: Account) -> Objections:
    if find(seen.before["bundles"], "bundle", seen.cause["bundle"]):
        yield "bundle_exists", "VERSION.1"
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
    oldest, newest = seen.before["served"]
    if oldest < newest:
        yield "migrating", "VERSION.8"


def _end_migration(seen: Seen, account: Account) -> Objections:
    oldest, newest = seen.before["served"]
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


def _nothing(seen: Seen, account: Account) -> Objections:
    return iter(())


AGAINST_THE_STORE: dict[str, Callable[[Seen, Account], Objections]] = {
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
