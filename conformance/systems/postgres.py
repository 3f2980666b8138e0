"""The reference implementation as a system under test: commands in PostgreSQL, workers as processes."""

import platform
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields
from enum import Enum
from importlib.metadata import version
from typing import Any, assert_never

from keepfact.impl import outcomes
from keepfact.impl.installation import Edit, Installation
from keepfact.impl.server import Server, postgres_server
from keepfact.impl.store import Store, Value
from keepfact.spec.vocabulary import (
    CallKind,
    CallState,
    CallView,
    Command,
    Contract,
    Delivered,
    Done,
    EntryPoint,
    EventType,
    EventView,
    Fence,
    LeaseGrant,
    Lost,
    Observation,
    Observe,
    Outcome,
    PublicationView,
    Reason,
    Refused,
    RunId,
    RunState,
    RunView,
)


class Postgres:
    """An installation of its own on a server: the one given, or else the one that the environment names.

    The store's clock stands still and moves only by `tick`. `edit` may change the SQL before it is applied, so that
    a guard can be cut out to see whether anybody notices.
    """

    name = "postgres"
    contracts = frozenset({Contract.SETTLE})

    def __init__(self, *, server: Server | None = None, edit: Edit = lambda name, text: text) -> None:
        with ExitStack() as cleanup:
            self._server = server or cleanup.enter_context(postgres_server())
            self._installation = cleanup.enter_context(Installation.create(self._server.dsn, edit))
            self._owner = cleanup.enter_context(self._installation.owner_connection())
            # The clock of a test need not survive the server, so moving it does not wait for the disk.
            self._owner.execute("set synchronous_commit = off")
            self._owner.execute("update keepfact.settings set frozen_at = clock_timestamp()")
            row = self._owner.execute("select lease_seconds from keepfact.settings").fetchone()
            assert row is not None
            self.lease_seconds: int = row[0]
            self._store = Store(self._installation.dsns)
            cleanup.callback(self._store.close)
            self._cleanup = cleanup.pop_all()

    def perform(self, command: Command) -> Outcome:
        """Do one command, in the session of its entry point."""
        if isinstance(command, Observe):
            return Done() if self._store.observe([command.run]) else Refused(Reason.NO_SUCH_RUN)
        outcome = self._store.perform(_sql_name(type(command)), **_values(command))
        match outcome:
            case outcomes.Done(grant):
                return Done(grant and LeaseGrant(Fence(grant.fence), grant.lease_seconds))
            case outcomes.Refused(reason):
                return Refused(Reason(reason))
            case outcomes.Lost():
                return Lost()
        assert_never(outcome)

    def observe(self, runs: Sequence[RunId]) -> Observation:
        """Show these runs, in this order, from one snapshot."""
        return Observation(tuple(map(_run_view, self._store.observe(runs))))

    def tick(self, seconds: int) -> None:
        """Move the store's clock on."""
        self._owner.execute("update keepfact.settings set frozen_at = frozen_at + make_interval(secs => %s)", [seconds])

    def versions(self) -> dict[str, str]:
        """What is under test and what is below it."""
        packages = {name: version(name) for name in ("keepfact", "psycopg", "sqlalchemy")}
        return {**packages, "postgresql": self._owner.info.parameter_status("server_version") or "unknown",
                "python": platform.python_version()}

    def close(self) -> None:
        """Drop the installation, and stop the server if it was started here. Closing again does nothing."""
        self._cleanup.close()


_SQL_NAMES: dict[type, str] = {}


def _sql_name(command: type) -> str:
    """RecordAnswer is record_answer there."""
    name = _SQL_NAMES.get(command)
    if name is None:
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in command.__name__).lstrip("_")
        _SQL_NAMES[command] = name
    return name


def _values(command: Command) -> dict[str, Value]:
    """The fields of a command are the parameters of its SQL function."""
    values = {field.name: getattr(command, field.name) for field in fields(command)}
    return {name: value.value if isinstance(value, Enum) else value for name, value in values.items()}


def _run_view(shown: Mapping[str, Any]) -> RunView:
    delivered = shown["delivered"]
    return RunView(
        run=shown["run"],
        contract=Contract(shown["contract"]),
        state=RunState(shown["state"]),
        fence=shown["fence"],
        budget_cents=shown["budget_cents"],
        known_cents=shown["known_cents"],
        held_cents=shown["held_cents"],
        unresolved=shown["unresolved"],
        worker=shown["worker"],
        lease_left_seconds=shown["lease_left_seconds"],
        sealed_for=shown["sealed_for"] and RunState(shown["sealed_for"]),
        delivered=delivered and Delivered(**delivered),
        calls=tuple(map(_call_view, shown["calls"])),
        publications=tuple(PublicationView(**publication) for publication in shown["publications"]),
        history=tuple(map(_event_view, shown["history"])),
    )


def _call_view(shown: Mapping[str, Any]) -> CallView:
    return CallView(
        call=shown["call"],
        kind=CallKind(shown["kind"]),
        digest=shown["digest"],
        ceiling_cents=shown["ceiling_cents"],
        fence=shown["fence"],
        state=CallState(shown["state"]),
        answer=shown["answer"],
        cost_cents=shown["cost_cents"],
        supersedes=shown["supersedes"],
        over_ceiling=shown["over_ceiling"],
    )


def _event_view(shown: Mapping[str, Any]) -> EventView:
    return EventView(
        number=shown["number"],
        type=EventType(shown["type"]),
        entry_point=EntryPoint(shown["entry_point"]),
        principal=shown["principal"],
        fence=shown["fence"],
        concerns=shown["concerns"],
        payload_digest=shown["payload_digest"],
        digest=shown["digest"],
        previous_digest=shown["previous_digest"],
    )
