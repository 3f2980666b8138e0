"""Commands that meet: one stands uncommitted, or somebody holds what it needs, while others come up behind it."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import psycopg

from keepfact.impl.commands import COMMANDS
from keepfact.impl.connect import connect
from keepfact.impl.installation import Installation
from keepfact.impl.outcomes import Outcome

from .driving import PATIENCE_SECONDS, Driver, identity_of, wait_until
from .successes import Fields, call_of, sent

Ask = Callable[[], Outcome]


class Meeting:
    """Everything that is needed to let commands meet in one order, on one installation."""

    def __init__(self, installation: Installation, admin: psycopg.Connection) -> None:
        self._installation = installation
        self._admin = admin

    def behind(self, holding: str, values: Sequence[object], *asked: Ask) -> list[Outcome]:
        """The outcomes of commands that came one behind the other while a statement of the owner's held a lock."""
        with ThreadPoolExecutor(len(asked)) as threads, connect(self._installation.admin_dsn) as holder:
            holder.execute("begin")
            holder.execute(holding.encode(), values)
            waiting = self._queue(threads, asked)
            holder.execute("commit")
            return [future.result(PATIENCE_SECONDS) for future in waiting]

    def after(self, first: tuple[Driver, str, Fields], second: Ask, commits: bool = True) -> Outcome:
        """The outcome of a command that waits while the first is done, but neither committed nor undone yet."""
        waiting: list[Future[Outcome]] = []
        with ThreadPoolExecutor(1) as threads:
            answer = perform(
                self._installation, *first, commits, lambda: waiting.extend(self._queue(threads, [second]))
            )
            assert answer["outcome"] == "done"
            return waiting[0].result(PATIENCE_SECONDS)

    def _queue(self, threads: ThreadPoolExecutor, asked: Sequence[Ask]) -> list[Future[Outcome]]:
        """Each waits behind the one before."""
        waiting: list[Future[Outcome]] = []
        for ask in asked:
            waiting.append(threads.submit(ask))
            wait_until(lambda: self.waiters() == len(waiting) or waiting[-1].done())
            assert not waiting[-1].done(), f"expected it to wait, but it was told {waiting[-1].result()}"
        return waiting

    def waiters(self) -> int:
        """How many sessions of our database wait for a lock of another."""
        row = self._admin.execute(
            "select count(*) from pg_stat_activity "
            "where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0"
        ).fetchone()
        assert row is not None
        return int(row[0])


def perform(
    installation: Installation,
    run: Driver,
    command: str,
    fields: Fields,
    commits: bool = True,
    meanwhile: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """The answer to a command on a connection of its own; `meanwhile` it is done, but neither committed nor undone."""
    signature = COMMANDS[command]
    with connect(installation.dsns[signature.entry_point]) as asking:
        asking.execute("begin")
        asking.execute("select keepfact.on_behalf(%s, %s)", identity_of(run))
        call = f"select {call_of(command, signature.types.values())}"
        row = asking.execute(call.encode(), sent(fields.values())).fetchone()
        meanwhile()
        asking.execute("commit" if commits else "rollback")
    assert row is not None
    answer: dict[str, Any] = row[0]
    return answer
