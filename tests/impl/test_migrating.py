"""Migrating a database that is in use: real workers of two releases, before, during and after."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from keepfact.impl.errors import BadSettingsError
from keepfact.impl.installation import Installation, database_of
from keepfact.impl.migrations.applying import Migrations
from keepfact.impl.migrations.stages import Migration
from keepfact.impl.outcomes import Done, Refused
from keepfact.impl.schema import Schema
from keepfact.impl.server import Server
from keepfact.impl.store import Store

from .catalogue import catalogue_of
from .driving import PATIENCE_SECONDS, Driver, fresh
from .migrations import second
from .outside_world import OutsideWorld, outside_world

MODEL, TOOL = "/v1/chat/completions", "/tools/pay"
SECOND = {"KEEPFACT_RELEASE": "second_worker:RELEASE", "PYTHONPATH": str(second.HERE)}


@pytest.fixture
def world() -> Iterator[OutsideWorld]:
    with outside_world() as opened:
        yield opened


@dataclass
class Used:
    """An installation of the first release, in use, with what the second brings."""

    installation: Installation
    store: Store
    admin: psycopg.Connection
    migration: Migration
    world: OutsideWorld

    def run(self) -> Driver:
        return Driver(self.store, self.admin).submitted()

    @property
    def served(self) -> list[int]:
        shown: list[int] = self.store.survey([])["served"]
        return shown

    def titles(self, run: Driver) -> list[str]:
        return [one["title"] for one in run.view["publications"]]


@pytest.fixture
def used(server: Server, world: OutsideWorld, tmp_path: Path) -> Iterator[Used]:
    with Installation.create(server.dsn) as created, created.admin_connection() as admin:
        admin.execute("update keepfact.settings set frozen_at = clock_timestamp()")
        store = Store(created.dsns)
        database = database_of(created.admin_dsn, created.name)
        migration = Migration(database, store, second.second_release(tmp_path / "sql"))
        yield Used(created, store, admin, migration, world)
        store.close()


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(used: Used) -> Iterator[Start]:
    """Start a worker of the first release for a run, or with SECOND of the second; none outlives the test."""
    workers: list[subprocess.Popen[str]] = []

    def start(run: Driver, release: dict[str, str] | None = None) -> "subprocess.Popen[str]":
        settings = {
            "KEEPFACT_WORK_DSN": used.installation.dsns["work"],
            "KEEPFACT_OBSERVE_DSN": used.installation.dsns["observe"],
            "KEEPFACT_MODEL_URL": used.world.url,
            "KEEPFACT_TOOL_URL": used.world.url,
        }
        path = os.pathsep.join(filter(None, [(release or {}).get("PYTHONPATH"), os.environ.get("PYTHONPATH")]))
        worker = subprocess.Popen(
            [sys.executable, "-m", "keepfact.impl.worker", "--run", run.run, "--worker", "w"],
            env={**os.environ, **settings, **(release or {}), "PYTHONPATH": path},
            stderr=subprocess.PIPE,
            text=True,
        )
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        worker.kill()
        worker.communicate()


def _end(worker: "subprocess.Popen[str]") -> tuple[int, str]:
    _, log = worker.communicate(timeout=PATIENCE_SECONDS)
    return worker.returncode, log.strip()


UNSERVED = (3, "keepfact.worker: stopped: claim was refused: unsupported_schema")


def test_workers_of_both_releases_go_through_a_migration_and_each_is_served_in_its_time(
    used: Used, start: Start
) -> None:
    early, during = used.run(), used.run()

    # Before: only the old release is served.
    assert _end(start(early, SECOND)) == UNSERVED
    assert early.events == ["admitted"]
    old_worker = used.world.held(TOOL)
    caught = start(during)
    old_worker.wait_until_reached()

    # During: the old worker that was caught in the middle of a run goes on with it, and both begin new ones.
    assert "workers of version 1 and of version 2 are served" in str(used.migration.begin())
    old_worker.let_go()
    assert _end(caught) == (0, "")
    assert _end(start(early, SECOND)) == (0, "")
    old = used.run()
    assert _end(start(old)) == (0, "")
    assert [run.view["state"] for run in (early, during, old)] == ["succeeded"] * 3
    assert used.titles(early) == ["by the second"] * 2
    assert used.titles(during) == used.titles(old) == ["", ""]

    # Its end waits for the last old worker, and a new one survives it.
    held, last = used.world.held(MODEL), used.run()
    leaving = start(last)
    held.wait_until_reached()
    assert used.migration.finish() == Refused("old_worker_live", (last.run,))
    assert used.served == [1, 2]
    held.let_go()
    assert _end(leaving) == (0, "")
    held, staying_run = used.world.held(MODEL), used.run()
    staying = start(staying_run, SECOND)
    held.wait_until_reached()
    assert "the tables are at version 2" in str(used.migration.finish())

    # After: only the new release is served, and nothing that was stored is lost.
    held.let_go()
    assert _end(staying) == (0, "")
    late = used.run()
    assert _end(start(late)) == UNSERVED
    assert _end(start(late, SECOND)) == (0, "")
    runs = (early, during, old, last, staying_run, late)
    assert [run.view["delivered"] for run in runs] == [{"version": 2, "partial": False}] * 6
    assert used.titles(last) == ["", ""]


def test_a_command_whose_answer_was_lost_before_the_migration_is_done_once(used: Used) -> None:
    run = used.run()
    granted = run.do("claim", worker="w")
    assert isinstance(granted, Done)
    asked = {"command_id": fresh("command"), "fence": 1, "body": "b", "qualified": True}
    assert run.do("publish", **asked) == Done()
    used.migration.begin()
    assert run.do("publish", **asked) == Done()
    assert len(run.view["publications"]) == 1


def test_a_migration_that_was_interrupted_between_its_commits_goes_on(used: Used) -> None:
    database, migrations = used.migration.database, used.migration.migrations
    migrations.apply(database, "2_expand")
    assert used.served == [1, 1]
    used.migration.begin()
    assert used.served == [1, 2]
    assert used.store.perform("end_migration", command_id=fresh("command")) == Done()
    used.migration.finish()
    assert (used.served, migrations.current(database)) == ([2, 2], "2_contract")


def test_what_is_asked_out_of_turn_is_told_and_changes_nothing(used: Used) -> None:
    with pytest.raises(BadSettingsError, match="expected a migration that was begun, but the tables are at version 1"):
        used.migration.finish()
    used.migration.begin()
    with pytest.raises(BadSettingsError, match=r"but that to version 2 is not finished. Replace the workers"):
        used.migration.begin()
    of_the_first = Migration(used.migration.database, used.store, Migrations())
    with pytest.raises(BadSettingsError, match=r"knows, 1, but it is at 2_expand. Use the release that brought it"):
        of_the_first.begin()
    assert used.served == [1, 2]


def test_a_revision_that_fails_leaves_everything_as_it_was(used: Used, tmp_path: Path) -> None:
    before = catalogue_of(used.admin)
    broken = Schema(lambda name, text: text + "nonsense;" if name == "900_privileges.sql" else text)
    migrations = Migrations(broken, used.migration.migrations.versions)
    with pytest.raises(psycopg.errors.SyntaxError):
        Migration(used.migration.database, used.store, migrations).begin()
    assert catalogue_of(used.admin) == before
    assert used.served == [1, 1]


def test_a_migrated_database_is_like_one_that_is_made_by_the_new_release(used: Used, server: Server) -> None:
    first = catalogue_of(used.admin)
    used.migration.begin()
    expanded = catalogue_of(used.admin)
    used.migration.finish()
    migrated = catalogue_of(used.admin)
    with (
        Installation.create(server.dsn, migrations=used.migration.migrations) as made,
        made.admin_connection() as admin,
    ):
        fresh_one = catalogue_of(admin)
        served = admin.execute("select schema_oldest, schema_newest from keepfact.settings").fetchone()
    assert served == (2, 2)
    assert migrated == fresh_one
    assert first != expanded != migrated


def test_without_a_next_version_the_functions_alone_are_renewed(used: Used) -> None:
    """With statements prepared: one function is new, one is gone, one names its parameter otherwise."""
    run = used.run()
    assert run.view["state"] == "queued"

    def edit(name: str, text: str) -> str:
        for old, new in (
            ("keepfact.last_number(", "keepfact.highest_number("),
            ("function keepfact.highest_number(run text)", "function keepfact.highest_number(of text)"),
            ("last_number.run", "highest_number.of"),
            ("keepfact.is_ended(held keepfact.runs)", "keepfact.is_ended(one keepfact.runs)"),
            ("select held.state in ('succeeded'", "select one.state in ('succeeded'"),
        ):
            text = text.replace(old, new)
        return text

    migration = Migration(used.migration.database, used.store, Migrations(Schema(edit)))
    assert migration.begin() == "the functions are those of this release; the tables stay at version 1"
    functions = str(catalogue_of(used.admin))
    assert "highest_number" in functions
    assert "keepfact.last_number(" not in functions
    assert used.store.read_heads([run.run]) == {run.run: {"last": 1, "is_over": False}}
    assert isinstance(run.do("claim", worker="w"), Done)
    assert run.do("fail", fence=1) == Done()
    assert used.store.read_heads([run.run]) == {run.run: {"last": 3, "is_over": True}}


def test_commands_go_on_while_functions_are_exchanged(used: Used) -> None:
    stop, wrong = threading.Event(), list[object]()

    def submit() -> None:
        try:
            while not stop.is_set():
                run = used.run()
                claimed = run.do("claim", worker="w")
                assert isinstance(claimed, Done)
                assert run.do("publish", fence=1, body="b", qualified=True) == Done()
                assert run.events == ["admitted", "granted", "published"]
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=submit) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        Migrations().apply(used.migration.database)
    used.migration.begin()
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_run_that_waits_is_woken_only_by_a_release_that_is_served(used: Used) -> None:
    run = _waiting(used)
    used.migration.begin()
    wake = {"wait": "w", "worker": "w", "digest": "d"}
    assert run.do("wake", **wake, schema=3) == Refused("unsupported_schema")
    assert isinstance(run.do("wake", **wake, schema=1), Done)
    assert used.migration.finish() == Refused("old_worker_live", (run.run,))  # though a new one had claimed it


def _waiting(used: Used) -> Driver:
    """A run, claimed by a worker of the second release, for whose wait a callback has come."""
    used.admin.execute("update keepfact.settings set schema_newest = 2")
    run = used.run()
    assert isinstance(run.do("claim", worker="w", schema=2), Done)
    used.admin.execute("update keepfact.settings set schema_newest = 1")
    assert run.do("wait", fence=1, wait="w", kind="callback", digest="d", seconds=60) == Done()
    assert run.do("deliver", wait="w", kind="callback", number=1, digest="x") == Done()
    return run


def test_a_run_that_lost_its_worker_goes_on_only_with_a_release_that_is_served(used: Used) -> None:
    run = Driver(used.store, used.admin)
    assert run.do("submit", contract="resume", budget_cents=10) == Done()
    assert isinstance(run.do("claim", worker="w"), Done)
    run.lapsed()
    used.migration.begin()
    used.migration.finish()
    assert run.do("recover", worker="w", schema=1) == Refused("unsupported_schema")
    assert isinstance(run.do("recover", worker="w", schema=2), Done)
