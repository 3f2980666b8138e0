"""The two stages of a migration, and between them workers of two versions of the tables.

    begin    the tables are expanded; from its commit on the next version's workers are served beside the old ones'
    finish   the old version's workers are served no more; then the tables are contracted

Each stage has two commits. Whoever is interrupted between them begins again, and it goes on from there.
"""

from dataclasses import dataclass

from ..errors import BadSettingsError
from ..operating import ask
from ..outcomes import Refused
from ..store import Store
from .applying import Database, Migrations, version_of


@dataclass(frozen=True)
class Migration:
    """The revisions of this release for one database; `store` has the doors deploy and observe."""

    database: Database
    store: Store
    migrations: Migrations

    def begin(self) -> str | Refused:
        """Renew the functions, and expand the tables if there is a next version of them. Raises a SetupError.

        What became true, or why it did not.
        """
        current = self.migrations.current(self.database)
        following = self._after(current)
        if current.endswith("_expand") and self._served[1] == version_of(current):
            raise BadSettingsError(
                expected=f"that no migration is under way, to begin one to version {version_of(following or current)}",
                seen=f"that to version {version_of(current)} is not finished",
                next_step="Replace the workers that are left of the old release, then `keepfact migrate --finish`.",
            )
        if current.endswith("_expand"):
            return self._serve_both(current)
        if following is None:
            self.migrations.apply(self.database, current)
            return f"the functions are those of this release; the tables stay at version {version_of(current)}"
        return self._serve_both(following)

    def finish(self) -> str | Refused:
        """Have the old version served no more, and contract the tables. What became true, or what stands in the way."""
        current = self.migrations.current(self.database)
        following = self._after(current)
        if not current.endswith("_expand") or following is None:
            raise BadSettingsError(
                expected="a migration that was begun",
                seen=f"the tables are at version {version_of(current)}, and none is under way",
                next_step="Begin one with `keepfact migrate`.",
            )
        if self._served[0] < version_of(current):
            outcome = ask(self.store, "end_migration")
            if isinstance(outcome, Refused):
                return outcome
        self.migrations.apply(self.database, following)
        return f"the tables are at version {version_of(following)}; older workers are served no more"

    def _serve_both(self, expanded: str) -> str | Refused:
        self.migrations.apply(self.database, expanded)
        outcome = ask(self.store, "migrate")
        if isinstance(outcome, Refused):
            return outcome
        version = version_of(expanded)
        return f"the tables are expanded; workers of version {version - 1} and of version {version} are served"

    def _after(self, revision: str) -> str | None:
        revisions = self.migrations.revisions
        return next(iter(revisions[revisions.index(revision) + 1 :]), None)

    @property
    def _served(self) -> tuple[int, int]:
        oldest, newest = self.store.survey([])["served"]
        return oldest, newest
