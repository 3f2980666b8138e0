"""The only module that talks to the database: one statement a command, in the session of the command's entry point."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from psycopg import errors as postgres
from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import OperationalError

from .connect import connect
from .errors import SetupError
from .outcomes import Done, Grant, Lost, Outcome, Refused
from .prepared import Value, ask

ID = re.compile(r"[!-~]{1,200}")
"""The form that the schema asks of every id."""

COMMANDS: dict[str, tuple[str, str]] = {
    "submit": ("submit", "command_id text, run text, contract text, budget_cents bigint"),
    "claim": ("work", "command_id text, run text, worker text"),
    "renew": ("work", "command_id text, run text, fence bigint"),
    "release": ("work", "command_id text, run text, fence bigint"),
    "intend": (
        "work",
        "command_id text, run text, fence bigint, call text, kind text, digest text, ceiling_cents bigint, "
        "supersedes text",
    ),
    "record_answer": ("work", "command_id text, run text, fence bigint, call text, answer text, cost_cents bigint"),
    "mark_unknown": ("work", "command_id text, run text, fence bigint, call text"),
    "publish": ("work", "command_id text, run text, fence bigint, body text, qualified boolean"),
    "succeed": ("work", "command_id text, run text, fence bigint"),
    "fail": ("work", "command_id text, run text, fence bigint"),
    "recover": ("recover", "command_id text, run text"),
    "reconcile": ("reconcile", "command_id text, run text, call text, evidence text, cost_cents bigint"),
}
"""Each command's entry point and the parameters of its SQL function, which are the names of its fields."""

REFUSED_PAYLOADS = (
    psycopg.DataError,  # a NUL, a number out of range
    UnicodeEncodeError,  # a lone surrogate
    postgres.ProgramLimitExceeded,  # too large
    postgres.StatementTooComplex,
)
"""What the driver or the server says of a value that cannot be stored; nothing was written."""


class Store:
    """Commands and readings, each in the session of its entry point; safe to use from several threads."""

    def __init__(self, dsns: Mapping[str, str]) -> None:
        """`dsns` gives the connection string of each entry point that this store will be used for."""
        self._engines = {entry_point: _engine(dsn) for entry_point, dsn in dsns.items()}

    def perform(self, command: str, **fields: Value) -> Outcome:
        """Do one command of `COMMANDS`; `fields` are its parameters by name. One round trip, one commit."""
        entry_point, _ = COMMANDS[command]
        parameters = PARAMETERS[command]
        if fields.keys() != set(parameters):
            raise TypeError(f"{command} takes {', '.join(parameters)}, but was given {', '.join(fields)}")
        try:
            answer = self._ask(entry_point, STATEMENTS[command], [fields[name] for name in parameters])
        except REFUSED_PAYLOADS:
            return Refused("malformed")
        except ConnectionLostError:
            return Lost()
        return _read_answer(answer)

    def observe(self, runs: Sequence[str], payloads: bool = False) -> list[dict[str, Any]]:
        """The runs of these ids, in this order, as `keepfact.observe` shows them. Raises ConnectionLostError.

        Ids that were never admitted are left out, and with them those that could not be.
        """
        ids = json.dumps([run for run in runs if ID.fullmatch(run)])
        statement = "select keepfact.observe(array(select json_array_elements_text($1::json)), $2::boolean)"
        shown: list[dict[str, Any]] = self._ask("observe", statement, [ids, payloads])
        return shown

    def lapsed_runs(self) -> list[str]:
        """The runs whose lease has lapsed, longest first. Raises ConnectionLostError."""
        statement = "select coalesce(jsonb_agg(lapsed), '[]') from keepfact.lapsed_runs() as lapsed"
        runs: list[str] = self._ask("recover", statement, [])
        return runs

    def check(self) -> None:
        """Log in at every entry point once. Raises a SetupError that says why it cannot."""
        for engine in self._engines.values():
            engine.raw_connection().close()

    def close(self) -> None:
        """Close every connection."""
        for engine in self._engines.values():
            engine.dispose()

    def _ask(self, entry_point: str, statement: str, values: Sequence[Value]) -> Any:
        """One statement on a connection of the pool, and its answer read as JSON."""
        engine = self._engines[entry_point]
        try:
            pooled = engine.raw_connection()
        except (SetupError, OperationalError) as error:
            raise ConnectionLostError from error
        try:
            connection: Any = pooled.driver_connection
            return json.loads(ask(connection, pooled.info, statement, values))
        except REFUSED_PAYLOADS:
            raise
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            pooled.invalidate()
            engine.dispose()  # the idle ones will not have fared better
            raise ConnectionLostError from error
        finally:
            if pooled.is_valid:
                pooled.close()


class ConnectionLostError(Exception):
    """The connection broke or could not be opened; a command that was under way may have been done or not."""


def _engine(dsn: str) -> Engine:
    return create_engine(
        "postgresql+psycopg://",
        creator=lambda: connect(dsn),
        isolation_level="AUTOCOMMIT",
        pool_reset_on_return=None,  # every statement is a transaction of its own: there is nothing to roll back
    )


def _read_answer(answer: Mapping[str, Any]) -> Outcome:
    if answer["outcome"] == "refused":
        return Refused(answer["reason"])
    return Done(Grant(**answer["grant"]) if "grant" in answer else None)


def _statement(command: str) -> str:
    _, parameters = COMMANDS[command]
    types = (parameter.split()[1] for parameter in parameters.split(", "))
    arguments = ", ".join(f"${number}::{type_name}" for number, type_name in enumerate(types, 1))
    return f"select keepfact.{command}({arguments})"


STATEMENTS = {command: _statement(command) for command in COMMANDS}
PARAMETERS = {
    command: [parameter.split()[0] for parameter in parameters.split(", ")]
    for command, (_, parameters) in COMMANDS.items()
}
