"""Hints of the database that a run has moved. They only make the gateway look earlier: none is relied upon."""

import asyncio
import logging

import psycopg

from ..connect import read_dsn
from .feed import Feed
from .telling import Metrics

log = logging.getLogger("keepfact.gateway.listening")

CHANNEL = "keepfact"
PAUSE_SECONDS = 1.0
PAUSE_SECONDS_MAX = 30.0
CONNECT_TIMEOUT_SECONDS = 10


async def listen_forever(dsn: str, feed: Feed, metrics: Metrics) -> None:
    """One connection for the whole process, opened again whenever it breaks; a notification names a run."""
    pause = PAUSE_SECONDS
    while True:
        try:
            async with await _connect(dsn) as connection:
                await connection.execute(f"listen {CHANNEL}")
                feed.hint_all()
                metrics.listening.set(1)
                pause = PAUSE_SECONDS
                async for notification in connection.notifies():
                    feed.hint(notification.payload)
        except (psycopg.Error, OSError) as error:
            log.warning("no hints for now, polling goes on: %s", type(error).__name__)
        metrics.listening.set(0)
        await asyncio.sleep(pause)
        pause = min(2 * pause, PAUSE_SECONDS_MAX)


async def _connect(dsn: str) -> psycopg.AsyncConnection:
    parameters = {"connect_timeout": str(CONNECT_TIMEOUT_SECONDS), "keepalives_idle": "30", **read_dsn(dsn)}
    return await psycopg.AsyncConnection.connect(psycopg.conninfo.make_conninfo("", **parameters), autocommit=True)
