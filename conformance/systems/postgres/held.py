"""Holds a run, so that the next write to it waits inside the database."""

import psycopg

from keepfact.spec.vocabulary import RunId


class HeldRun:
    """A run whose row is locked by a transaction of ours, so that the next write waits for it."""

    def __init__(self, holder: psycopg.Connection, run: RunId) -> None:
        self._holder = holder
        self._waiting: set[tuple[int, object]] = set()
        holder.execute("begin")
        holder.execute("select from keepfact.runs where run = %s for update", [run])

    def is_waited_for(self, writes: int = 1) -> bool:
        """So many stand behind our lock, or behind one that does. A heartbeat is none: it takes the lock too, but
        writes no fact.
        """
        # Within a transaction the server shows the activity as it was at the first look, unless told to look again.
        self._holder.execute("select pg_stat_clear_snapshot()")
        behind_us = """
            with recursive blocked as materialized (
              select pid, xact_start, pg_blocking_pids(pid) as behind from pg_stat_activity
              where wait_event_type = 'Lock' and query not like '%keepfact.renew(%'
                and xact_start is not null  -- waits are seen as they are now, and all else as at the first look
            ), waiting as (
              select pid, xact_start from blocked where pg_backend_pid() = any(behind)
              union
              select b.pid, b.xact_start from blocked b join waiting w on w.pid = any(b.behind)
            )
            select pid, xact_start from waiting
        """
        self._waiting.update(self._holder.execute(behind_us))
        return len(self._waiting) >= writes

    def let_go(self) -> None:
        """Give the row free."""
        self._holder.execute("commit")

    def is_settled(self) -> bool:
        """The transactions that waited are over: committed or rolled back, or their server process is gone."""
        running = "select pid, xact_start from pg_stat_activity where xact_start is not null"
        return self._waiting.isdisjoint(self._holder.execute(running))
