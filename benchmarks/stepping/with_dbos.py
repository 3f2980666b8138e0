"""DBOS's durable step: a step of a workflow, its output recorded in its system database."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dbos import DBOS, DBOSConfig
from psycopg import conninfo
from sqlalchemy import URL

from .bare import own_database

CONNECTIONS = 3
"""Of each worker, beside the one that listens: so that all workers together stay below what a server allows."""


@contextmanager
def set_up(server_dsn: str) -> Iterator[str]:
    """A database for its tables; the first worker that is launched creates them."""
    with own_database(server_dsn, "keepfact_bench_dbos") as dsn:
        parts = conninfo.conninfo_to_dict(dsn)
        url = URL.create(
            "postgresql",
            username=str(parts["user"]),
            password=str(parts["password"]) if "password" in parts else None,
            database=str(parts["dbname"]),
            query={name: str(parts[name]) for name in ("host", "port") if name in parts},
        ).render_as_string(hide_password=False)
        with worker(url):
            yield url


@contextmanager
def worker(url: str) -> Iterator[Callable[[int], None]]:
    """Runs a workflow with so many steps to its end."""
    DBOS(
        config=DBOSConfig(
            name="bench",
            system_database_url=url,
            sys_db_pool_size=CONNECTIONS,
            executor_id=str(os.getpid()),
            log_level="WARNING",
        )
    )
    logging.getLogger("dbos").setLevel(logging.WARNING)

    @DBOS.step()
    def step(number: int) -> str:
        return str(number)

    @DBOS.workflow()
    def steps(steps: int) -> None:
        for number in range(steps):
            step(number)

    DBOS.launch()
    yield steps
    DBOS.destroy()
