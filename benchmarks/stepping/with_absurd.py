"""Absurd's durable step: a step of a task, checkpointed in its table. Its schema comes with the package `absurdctl`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import absurdctl
from absurd_sdk import Absurd

from keepfact.impl.connect import connect

from .bare import own_database

LEASE_SECONDS = 120


@contextmanager
def set_up(server_dsn: str) -> Iterator[str]:
    """A database with its schema and the queue `default`."""
    with own_database(server_dsn, "keepfact_bench_absurd") as dsn:
        with connect(dsn) as connection:
            connection.execute(absurdctl.BUNDLED_SCHEMA_SQL.encode())
        app = Absurd(dsn)
        app.create_queue()
        app.close()
        yield dsn


@contextmanager
def worker(dsn: str) -> Iterator[Callable[[int], None]]:
    """Spawns a task with so many steps, claims one and works it to its end. Of several at once any may get any."""
    app = Absurd(dsn)
    finished = 0

    @app.register_task(name="steps")
    def steps(steps: int, context: Any) -> None:
        nonlocal finished
        for number in range(steps):
            context.step(f"step-{number}", lambda number=number: str(number))
        finished += 1

    def work(steps: int) -> None:
        due = finished + 1
        app.spawn("steps", steps)
        while finished < due:  # a claim that meets others may come back with nothing
            app.work_batch(claim_timeout=LEASE_SECONDS)

    yield work
    app.close()
