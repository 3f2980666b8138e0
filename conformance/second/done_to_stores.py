"""What is done beyond one run: readers, bundles, tables, payloads."""

from collections.abc import Callable

from .account import Account
from .complaint import Findings
from .seen import Seen
from .words import (
    find,
)


def _grant_reader(seen: Seen, account: Account) -> Findings:
    reader = {"source": seen.cause["source"], "user": seen.cause["user"]}
    if (seen.name == "Revoke" and reader in seen.after["readers"]) or any(
        one.item != tuple(reader.values()) for one in seen.changes
    ):
        yield "CONTINUE.5", f"after {seen.name} who may read is not who should"


def _deploy(seen: Seen, account: Account) -> Findings:
    last = seen.after["bundles"][-1] if seen.after["bundles"] else None
    due = {"bundle": seen.cause["bundle"], "markers": list(seen.cause["markers"]), "is_retired": False}
    if last != due or len(seen.changes) != 1:
        yield "VERSION.1", "what was deployed is not what is served"


def _retire(seen: Seen, account: Account) -> Findings:
    bundle = find(seen.after["bundles"], "bundle", seen.cause["bundle"])
    if bundle is None or not bundle["is_retired"] or len(seen.changes) > 1:
        yield "VERSION.6", "what was retired is still served, or something else is not"


def _migrate(seen: Seen, account: Account) -> Findings:
    oldest, newest = seen.before["served"]
    due = [oldest, newest + 1] if seen.name == "Migrate" else [newest, newest]
    if list(seen.after["served"]) != due:
        yield "VERSION.8", f"tables of versions {seen.after['served']} are served, not of {due}"


def _purge(seen: Seen, account: Account) -> Findings:
    if [(one.what, one.item) for one in seen.changes] != [("payloads -", seen.cause["payload"])]:
        yield "HISTORY.10", "a purge forgot something else than it was asked to"


TO_STORES: dict[str, Callable[[Seen, Account], Findings]] = {
    "Grant": _grant_reader,
    "Revoke": _grant_reader,
    "Deploy": _deploy,
    "Retire": _retire,
    "Migrate": _migrate,
    "EndMigration": _migrate,
    "Purge": _purge,
}
