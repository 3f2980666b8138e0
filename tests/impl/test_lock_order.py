"""Locks are taken in the order that is written down in the SQL: what waits for one holds none that stands after it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import psycopg
import pytest

from keepfact.impl.commands import COMMANDS
from keepfact.impl.connect import connect
from keepfact.impl.installation import Installation
from keepfact.impl.prepared import Value

from . import stages as at
from . import stages_of_people as people
from .driving import PATIENCE_SECONDS, Driver, identity_of, wait_until
from .side_by_side import Meeting, perform
from .stages import Stage
from .successes import SUCCESSES, fields_of


class Lock(NamedTuple):
    """Where it stands in the order, and statements that take it, or say by a row that nobody holds it."""

    name: str
    takes: str
    is_free: str


def _advisory(name: str, key: str) -> Lock:
    taken = f"hashtextextended('{key}', 0)"
    return Lock(name, f"select pg_advisory_xact_lock({taken})", f"select 1 where pg_try_advisory_xact_lock({taken})")


def _row(name: str, table: str, condition: str) -> Lock:
    row = f"from keepfact.{table} where {condition} for no key update"
    return Lock(name, f"select {row}", f"select {row} skip locked")


def _locks(run: Driver, command_id: Value) -> list[Lock]:
    """All that there is to hold around a run, in the order of the SQL: the run, then its child."""
    own = f"tenant = '{identity_of(run).tenant}'"
    return [
        _advisory("command", f"{identity_of(run).tenant} {command_id}"),
        _advisory("migration", "migration"),
        _row("bundle", "bundles", f"{own} and bundle = 'bundle-1'"),
        _row("run", "runs", f"run = '{run.run}'"),
        _row("child", "runs", f"run = '{run.run}-child'"),
        _row("in force", "in_force", own),
        _row("payload", "payloads", f"{own} and digest = '{people.LARGE_DIGEST}'"),
    ]


STAGES: list[tuple[str, Stage, dict[str, Value]]] = [
    *((command, stage, {}) for command, (stage, _) in SUCCESSES.items()),
    ("cancel", at.spawned, {}),
    ("intend", people.approved, {"call": "pay", "approval": "p"}),
    ("send_again", people.used_and_lost, {"call": "pay"}),
    ("request_approval", people.drifted("plan"), {"wait": "q"}),
    ("publish", people.published_large, {"body": people.LARGE}),
    ("record_answer", people.call_beside_large, {"answer": people.LARGE}),
    ("save_material", people.published_large, {"digest": people.LARGE_DIGEST}),
]
"""Every command where it is done, and once more where it needs what stands at the end of the order."""

WAITS_FOR = {
    "submit": ["bundle"], "continue": ["bundle"], "claim": ["migration", "run"], "wake": ["migration", "run"],
    "recover": ["migration", "run"], "cancel": ["run", "child"],
    "intend": ["run", "in force"], "send_again": ["run", "in force"], "request_approval": ["run", "in force"],
    "decide": ["run", "in force"], "publish": ["run", "payload"], "record_answer": ["run", "payload"],
    "save_material": ["run", "payload"], "grant": [], "revoke": [], "deploy": [], "retire": ["bundle"],
    "migrate": ["migration"], "end_migration": ["migration"], "purge": ["payload"],
}  # fmt: skip
"""What a command takes beside its own id; where nothing is said, the run and no more."""


class Sessions(NamedTuple):
    """One that holds a lock, and one that looks which others are held."""

    holder: psycopg.Connection
    probe: psycopg.Connection


@pytest.fixture(scope="module")
def sessions(trusted: Installation) -> Iterator[Sessions]:
    with connect(trusted.admin_dsn) as holder, connect(trusted.admin_dsn) as probe:
        yield Sessions(holder, probe)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_takes_its_locks_in_the_order_that_is_written_down(
    alone: Driver, trusted: Installation, meeting: Meeting, sessions: Sessions, command: str
) -> None:
    waited_for: set[str] = set()
    for number, (_, stage, different) in enumerate(case for case in STAGES if case[0] == command):
        run = Driver(alone.store, alone.admin, f"{alone.run}-{number}")
        fields = fields_of(stage(run), command, different)
        locks = _locks(run, fields["command_id"])
        for place, lock in enumerate(locks):
            held = _held_while_waiting(trusted, meeting, sessions, run, command, fields, lock, locks[place + 1 :])
            assert held in (None, set()), f"{command} waits for {lock.name} and holds {held}"
            waited_for |= {lock.name} if held is not None else set()
        assert perform(trusted, run, command, fields)["outcome"] == "done"
    assert waited_for == {"command", *WAITS_FOR.get(command, ["run"])}


def _held_while_waiting(
    installation: Installation,
    meeting: Meeting,
    sessions: Sessions,
    run: Driver,
    command: str,
    fields: dict[str, Value],
    lock: Lock,
    later: list[Lock],
) -> set[str] | None:
    """Somebody holds a lock: of those that stand after it, what the command holds already; None if it does not wait.

    What the command did is undone.
    """
    with ThreadPoolExecutor(1) as threads:
        sessions.holder.execute("begin")
        is_there = sessions.holder.execute(lock.takes.encode()).rowcount > 0
        asked = threads.submit(perform, installation, run, command, fields, commits=False)
        wait_until(lambda: meeting.waiters() == 1 or asked.done())
        held = {other.name for other in later if _is_held(sessions.probe, other)} if not asked.done() else None
        sessions.holder.execute("rollback")
        asked.result(PATIENCE_SECONDS)
    return held if is_there else None


def _is_held(probe: psycopg.Connection, lock: Lock) -> bool:
    """Somebody holds it; one on a row that is not there, nobody does."""
    there = lock.takes.replace(" for no key update", "")
    is_row = there != lock.takes
    if is_row and probe.execute(there.encode()).rowcount == 0:
        return False
    return probe.execute(lock.is_free.encode()).rowcount == 0
