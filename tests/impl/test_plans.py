"""What a command costs does not grow with what is stored: each statement finds its few rows by an index.

Looked at in the plans themselves, in a session that planned while the tables were empty, and in one that planned with
the rows there and counted.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import psycopg
import pytest

from keepfact.impl.commands import COMMANDS
from keepfact.impl.installation import Installation
from keepfact.impl.prepared import Value
from keepfact.impl.server import Server
from keepfact.impl.store import READINGS, Store

from .crowd import fill, lengthen
from .driving import Driver
from .explained import Explained, explained, rows_looked_at
from .successes import SUCCESSES, values_of

ROWS_LOOKED_AT_MAX = 60

GROWING = {
    "runs", "calls", "publications", "events", "answers", "payloads", "waits", "approvals", "arrivals", "children",
    "markers", "materials", "inherited",
}  # fmt: skip
HOT = (
    "submit", "claim", "renew", "release", "intend", "send_again", "record_answer", "mark_unknown", "publish",
    "request_approval", "wait", "spawn", "mark", "save_material", "succeed", "recover", "decide", "deliver", "wake",
    "cancel", "reconcile",
)  # fmt: skip
READ: dict[str, tuple[str, tuple[str, ...], tuple[Value, ...]]] = {
    "read_events": ("observe", READINGS["read_events"], ("{run}", 900, 50)),
    "read_heads": ("observe", READINGS["read_heads"], (("{run}",),)),
    "list_runs": ("observe", READINGS["list_runs"], (0, 50)),
    "lost_runs": ("recover", (), ()),
    "accepted_wakes": ("wake", ("text[]",), (("bundle-1",),)),
    "due_deliveries": ("deliver", (), ()),
}
"""At whose door, the types of the parameters, and values; {run} stands for a run with a long history."""

DOORS = ("observe", *dict.fromkeys(COMMANDS[name].entry_point for name in HOT))

Question = tuple[str, list[Value]]


@dataclass(frozen=True)
class Crowded:
    """An installation with many rows, and at each door a session that planned before they came."""

    installation: Installation
    admin: psycopg.Connection
    store: Store
    early: dict[str, Explained]

    @contextmanager
    def session(self, door: str, is_early: bool) -> Iterator[Explained]:
        if is_early:
            yield self.early[door]
        else:
            with explained(self.installation, door) as late:
                yield late

    def run(self) -> Driver:
        return Driver(self.store, self.admin)

    def asked(self, command: str) -> Question:
        """A command that will be done, about a run that is long already."""
        run = SUCCESSES[command][0](self.run())
        lengthen(self.admin, run.run)
        return _call(command, tuple(COMMANDS[command].types.values())), values_of(run, command)


@pytest.fixture(scope="module")
def crowded(server: Server) -> Iterator[Crowded]:
    with ExitStack() as cleanup:
        installation = cleanup.enter_context(Installation.create(server.dsn))
        admin = cleanup.enter_context(installation.admin_connection())
        if admin.execute("select rolsuper from pg_roles where rolname = current_user").fetchone() != (True,):
            pytest.skip("the server's user may not load auto_explain")
        admin.execute("update keepfact.settings set frozen_at = clock_timestamp()")
        store = Store(installation.dsns)
        cleanup.callback(store.close)
        early = {door: cleanup.enter_context(explained(installation, door)) for door in DOORS}
        made = Crowded(installation, admin, store, early)
        for command in HOT:
            SUCCESSES[command][0](run := made.run())
            early[COMMANDS[command].entry_point].ask(
                _call(command, tuple(COMMANDS[command].types.values())), values_of(run, command)
            )
        for reading, (door, _, _) in READ.items():
            early[door].ask(*_reading(reading, "nobody"))
        fill(admin)
        yield made


@pytest.fixture(params=["planned early", "planned late"])
def is_early(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "planned early")


@pytest.mark.parametrize("command", HOT)
def test_a_command_looks_at_few_rows_however_many_there_are(crowded: Crowded, command: str, is_early: bool) -> None:
    question = crowded.asked(command)
    with crowded.session(COMMANDS[command].entry_point, is_early) as session:
        _finds_its_rows(session, question)


def test_a_claim_of_whatever_comes_first_looks_at_few_rows(crowded: Crowded, is_early: bool) -> None:
    statement, values = crowded.asked("claim")
    values[list(COMMANDS["claim"].types).index("run")] = None
    with crowded.session("work", is_early) as session:
        _finds_its_rows(session, (statement, values))


@pytest.mark.parametrize("reading", READ)
def test_a_reading_looks_at_what_it_tells_and_little_else(crowded: Crowded, reading: str, is_early: bool) -> None:
    run = crowded.run().submitted().run
    lengthen(crowded.admin, run)
    with crowded.session(READ[reading][0], is_early) as session:
        _finds_its_rows(session, _reading(reading, run))


def test_rows_that_are_looked_at_are_counted(crowded: Crowded) -> None:
    with explained(crowded.installation, "observe") as session:
        _, nodes = session.ask("select json_array_length(keepfact.list_runs($1, $2))::text", [0, 1000])
    assert max(rows_looked_at(node) for node in nodes if "Relation Name" in node) >= 1000


def _reading(reading: str, run: str) -> Question:
    _, types, values = READ[reading]
    filled = [tuple(one.format(run=run) for one in value) if isinstance(value, tuple) else value for value in values]
    given = [value.format(run=run) if isinstance(value, str) else value for value in filled]
    return f"select count(found)::text from {_called(reading, types)} as found", list(given)


def _call(function: str, types: tuple[str, ...]) -> str:
    return f"select {_called(function, types)}"


def _called(function: str, types: tuple[str, ...]) -> str:
    return f"keepfact.{function}({', '.join(f'${number}::{name}' for number, name in enumerate(types, 1))})"


def _finds_its_rows(session: Explained, question: Question) -> None:
    """It was done; no table that grows was read from end to end, and no scan met more rows than it needs."""
    answer, nodes = session.ask(*question)
    assert "refused" not in answer
    scans = [node for node in nodes if node.get("Relation Name") in GROWING and "Scan" in node["Node Type"]]
    assert scans
    assert [node for node in scans if node["Node Type"] == "Seq Scan"] == []
    assert [node for node in scans if rows_looked_at(node) > ROWS_LOOKED_AT_MAX] == []
