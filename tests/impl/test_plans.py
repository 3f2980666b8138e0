"""What a command costs does not grow with what is stored: each statement finds its few rows by an index.

Looked at in the plans themselves: in sessions that planned while the tables were empty, which nobody has counted since,
and in sessions that planned with the rows there and counted.
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

from .crowd import ROWS_OF_A_RUN, fill, leave_uncounted, lengthen
from .driving import Driver
from .explained import Explained, explained, rows_looked_at, told
from .successes import SUCCESSES, values_of

ROWS_LOOKED_AT_MAX = 60
ROWS_OF_A_RUN_MAX = ROWS_OF_A_RUN + 60
"""Whoever winds a run up asks once of every call whether it is in flight."""

GROWING = {
    "runs", "calls", "publications", "events", "answers", "payloads", "waits", "approvals", "arrivals", "children",
    "markers", "materials", "inherited",
}  # fmt: skip
HOT = (
    "submit", "claim", "renew", "release", "intend", "send_again", "record_answer", "mark_unknown", "publish",
    "request_approval", "wait", "spawn", "mark", "save_material", "succeed", "recover", "decide", "deliver", "wake",
    "cancel", "reconcile", "purge",
)  # fmt: skip
WINDING_UP = ("recover", "cancel")
READ: dict[str, tuple[str, tuple[str, ...], tuple[Value, ...]]] = {
    "read_events": ("observe", READINGS["read_events"], ("{run}", 900, 50)),
    "read_heads": ("observe", READINGS["read_heads"], (("{run}",),)),
    "list_runs": ("observe", READINGS["list_runs"], (0, 50)),
    "lost_runs": ("recover", (), ()),
    "accepted_wakes": ("wake", ("text[]",), (("bundle-1",),)),
    "due_deliveries": ("deliver", (), ()),
    "unresolved_runs": ("reconcile", ("bigint", "integer"), (0, 50)),
}
"""At whose door, the types of the parameters, and values; {run} stands for a run with a long history."""

DOORS = ("observe", *dict.fromkeys(COMMANDS[name].entry_point for name in HOT))

Question = tuple[str, list[Value]]


@dataclass(frozen=True)
class Crowded:
    """An installation with many rows; where they came after the planning, with a session at each door."""

    installation: Installation
    admin: psycopg.Connection
    store: Store
    early: dict[str, Explained]

    @contextmanager
    def session(self, door: str) -> Iterator[Explained]:
        if door in self.early:
            yield self.early[door]
        else:
            with explained(self.installation, door) as late:
                yield late

    def run(self) -> Driver:
        return Driver(self.store, self.admin)

    def asked(self, command: str, is_long: bool = True) -> Question:
        """A command that will be done, about a run that is long already or just begins."""
        run = SUCCESSES[command][0](self.run())
        if is_long:
            lengthen(self.admin, run.run)
        return _call(command, tuple(COMMANDS[command].types.values())), values_of(run, command)


@pytest.fixture(scope="module", params=["planned before", "planned after"])
def crowded(server: Server, request: pytest.FixtureRequest) -> Iterator[Crowded]:
    with ExitStack() as cleanup:
        installation = cleanup.enter_context(Installation.create(server.dsn))
        admin = cleanup.enter_context(installation.admin_connection())
        if admin.execute("select rolsuper from pg_roles where rolname = current_user").fetchone() != (True,):
            pytest.skip("the server's user may not load auto_explain")
        admin.execute("update keepfact.settings set frozen_at = clock_timestamp()")
        store = Store(installation.dsns)
        cleanup.callback(store.close)
        leave_uncounted(admin)
        early = {door: cleanup.enter_context(explained(installation, door)) for door in DOORS}
        if request.param == "planned before":
            made = Crowded(installation, admin, store, early)
            for command in HOT:
                early[COMMANDS[command].entry_point].ask(*made.asked(command, is_long=False))
            for reading, (door, _, _) in READ.items():
                early[door].ask(*_reading(reading, "nobody"))
            fill(admin)
        else:
            made = Crowded(installation, admin, store, {})
            fill(admin)
            admin.execute("analyze")
        yield made


@pytest.mark.parametrize("command", HOT)
def test_a_command_looks_at_few_rows_however_many_there_are(crowded: Crowded, command: str) -> None:
    question = crowded.asked(command)
    with crowded.session(COMMANDS[command].entry_point) as session:
        _finds_its_rows(session, question, ROWS_OF_A_RUN_MAX if command in WINDING_UP else ROWS_LOOKED_AT_MAX)


def test_a_claim_of_whatever_comes_first_looks_at_few_rows(crowded: Crowded) -> None:
    statement, values = crowded.asked("claim")
    values[list(COMMANDS["claim"].types).index("run")] = None
    with crowded.session("work") as session:
        _finds_its_rows(session, (statement, values))


@pytest.mark.parametrize("reading", READ)
def test_a_reading_looks_at_what_it_tells_and_little_else(crowded: Crowded, reading: str) -> None:
    run = crowded.run().submitted().run
    lengthen(crowded.admin, run)
    with crowded.session(READ[reading][0]) as session:
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


def _finds_its_rows(session: Explained, question: Question, rows_max: int = ROWS_LOOKED_AT_MAX) -> None:
    """It was done; no table that grows was read from end to end, and no scan met more rows than it needs."""
    answer, nodes = session.ask(*question)
    assert "refused" not in answer
    scans = [node for node in nodes if node.get("Relation Name") in GROWING and "Scan" in node["Node Type"]]
    assert scans
    assert [told(node) for node in scans if node["Node Type"] == "Seq Scan"] == []
    assert [told(node) for node in scans if rows_looked_at(node) > rows_max] == []
