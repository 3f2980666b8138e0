"""What the harness does to an installation behind the scenes: it moves the clock, founds tenants, changes what is in
force. Each of its writes says in the write-ahead log that it is no write of the system's.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from keepfact.conformance.abilities import HARNESS
from keepfact.impl.installation import Installation


class Stagehand:
    """Speaks as the owner of the installation. The store's clock stands still from here on, but for `tick`."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation
        self._connect()
        self._admin.execute("update keepfact.settings set frozen_at = clock_timestamp()")
        installation.trust_logins(self._admin)

    def come_back(self, now: datetime) -> None:
        """Go on after the server was killed; the clock of the test stands where it stood."""
        self.close()
        self._connect()
        with self._signed("clock"):
            self._admin.execute("update keepfact.settings set frozen_at = %s", [now])

    @property
    def lease_seconds(self) -> int:
        """How long leases last that are granted now."""
        return int(self._one("select lease_seconds from keepfact.settings"))

    @property
    def now(self) -> datetime:
        """What the store's clock shows."""
        shown: datetime = self._one("select frozen_at from keepfact.settings")
        return shown

    @property
    def server_version(self) -> str:
        """As the server says it."""
        return self._admin.info.parameter_status("server_version") or "unknown"

    def tick(self, seconds: int) -> None:
        """Move the store's clock on."""
        self._admin.execute(
            "with signed as materialized (select pg_logical_emit_message(true, %s, 'tick')) "
            "update keepfact.settings set frozen_at = frozen_at + make_interval(secs => %s) from signed",
            [HARNESS, seconds],
        )

    def grant_leases_of(self, seconds: int) -> None:
        """Have leases that are granted from now on last so long."""
        with self._signed("leases"):
            self._admin.execute("update keepfact.settings set lease_seconds = %s", [seconds])

    def set_tables_to_their_first_version(self) -> None:
        """As if nothing had ever been migrated."""
        with self._signed("begin"):
            self._admin.execute("update keepfact.settings set schema_oldest = 1, schema_newest = 1")

    def found_tenant(self, name: str) -> None:
        """One more tenant."""
        with self._signed("found tenant"):
            self._installation.found_tenant(self._admin, name)

    def change_in_force(self, tenant: str, what: str) -> None:
        """Change one of the things that the tenant's approvals are bound to."""
        with self._signed("drift"):
            self._installation.change_in_force(self._admin, tenant, what)

    def close(self) -> None:
        """End the session."""
        self._admin.close()

    def _connect(self) -> None:
        self._admin = self._installation.admin_connection()
        # The clock of a test need not survive the server, so moving it does not wait for the disk.
        self._admin.execute("set synchronous_commit = off")

    def _one(self, query: str) -> Any:
        row = self._admin.execute(query).fetchone()
        assert row is not None  # the schema puts it there
        return row[0]

    @contextmanager
    def _signed(self, what: str) -> Iterator[None]:
        with self._admin.transaction():
            self._admin.execute("select pg_logical_emit_message(true, %s, %s)", [HARNESS, what])
            yield
