"""Where a trial takes place: an empty database, the world outside, and a proxy in front of the database for workers."""

import itertools
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import conninfo, sql

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.systems.postgres import shared_server
from keepfact.spec.vocabulary import RunId

from ..pgwire import Proxy, Upstream
from ..world.client import World
from .cell import Cell, Running
from .environment import Tell

_NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Stage:
    """What all trials share: one PostgreSQL, and two ways to it. `watched` is the way of workers.

    `idle` is what the workers of each cell say when they have nothing to do, once that has been listened to, and what
    was struck by mistake since. `recording` are the statements that were seen to record an answer, by cell and step.
    """

    dsn: str
    watched: Proxy
    plain: Proxy
    tell: Tell
    server_version: str
    stopping: threading.Event
    idle: dict[str, frozenset[str]] = field(default_factory=dict)
    recording: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def go_on(self) -> None:
        """Raises KeepfactError once somebody wants all to stop."""
        if self.stopping.is_set():
            raise KeepfactError("stopped before it was over.")


@contextmanager
def stage(tell: Tell, stopping: threading.Event) -> Iterator[Stage]:
    """For as long as the context lasts; nothing of it stays."""
    with ExitStack() as undo:
        server = undo.enter_context(shared_server())
        upstream = Upstream.of(server.dsn)
        watched, plain = undo.enter_context(Proxy(upstream)), undo.enter_context(Proxy(upstream))
        with psycopg.connect(server.dsn) as asking:
            version = asking.info.parameter_status("server_version") or "unknown"
        yield Stage(server.dsn, watched, plain, tell, version, stopping)


@dataclass(frozen=True, slots=True)
class Setting:
    """One trial's: a run with an engine, and servers outside, that know of no other."""

    stage: Stage
    world: World
    engine: Running
    run: RunId


@contextmanager
def setting(stage: Stage, cell: Cell) -> Iterator[Setting]:
    """A fresh engine on a fresh database in a fresh world; every process of it is gone afterwards.

    The world is fresh since engines that count begin at 1 in each database: the tool would know their keys already.
    """
    run = RunId(f"run-{os.getpid()}-{next(_NUMBERS)}")
    with ExitStack() as undo:
        database = undo.enter_context(_database(stage.dsn, f"field_{run.replace('-', '_')}"))
        folder = undo.enter_context(tempfile.TemporaryDirectory(prefix="keepfact-field-"))
        world = undo.enter_context(World())
        given = {
            "KEEPFACT_FIELD_WORLD": world.outside(run).model_url,
            "KEEPFACT_FIELD_ADMIN": stage.dsn,
        }
        engine = Running(
            cell,
            given | {"KEEPFACT_FIELD_DATABASE": _url(stage.plain.through(database))},
            given | {"KEEPFACT_FIELD_DATABASE": _url(stage.watched.through(database))}
            | {"KEEPFACT_FIELD_PROXY": "{}:{}".format(*stage.watched.address)},
            Path(folder, "log"),
            stage.tell,
        )  # fmt: skip
        undo.callback(engine.close)
        engine.open()
        yield Setting(stage, world, engine, run)


@contextmanager
def _database(dsn: str, name: str) -> Iterator[str]:
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    try:
        yield conninfo.make_conninfo(dsn, dbname=name)
    finally:
        with psycopg.connect(dsn, autocommit=True) as admin:
            admin.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))


def _url(dsn: str) -> str:
    """The form that drivers of every language read."""
    parts = {name: str(value) for name, value in conninfo.conninfo_to_dict(dsn).items()}
    login = f"{quote(parts.get('user', 'postgres'), safe='')}:{quote(parts.get('password', ''), safe='')}"
    return f"postgresql://{login}@{parts['host']}:{parts['port']}/{parts['dbname']}?sslmode=disable"
