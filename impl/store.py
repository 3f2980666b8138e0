"""The only module that talks to the database: one statement a command, in the session of the command's entry point."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache, partial
from typing import Any, NamedTuple

import psycopg
from psycopg import errors as postgres
from sqlalchemy import QueuePool

from .commands import COMMANDS, in_full
from .connect import connect
from .errors import SetupError
from .outcomes import Done, Grant, Lost, Outcome, Refused
from .prepared import Value, ask

ID = re.compile(r"[!-~]{1,200}")
NUMBER_MAX = 2**63 - 1
"""What a number in the database can be."""
"""The form that the schema asks of every id."""

READINGS: dict[str, tuple[str, ...]] = {
    "observe": ("text[]", "boolean"),
    "survey": ("text[]",),
    "read_events": ("text", "bigint", "integer"),
    "read_heads": ("text[]",),
    "list_runs": ("text", "integer"),
}
"""The functions of the observer, and the types of their parameters."""

ON_BEHALF = "keepfact.on_behalf($1::text, $2::text)"

Form = Callable[[str, tuple[str, ...], bool], str]
"""Makes the statement that calls a function with parameters of these types, on behalf of somebody or not."""


class Identity(NamedTuple):
    """For whom something is asked: a principal of a tenant, as authenticated by whoever asks for it."""

    tenant: str
    principal: str


REFUSED_PAYLOADS = (
    psycopg.DataError,  # a NUL, a number out of range
    UnicodeEncodeError,  # a lone surrogate
    postgres.ProgramLimitExceeded,  # too large
    postgres.StatementTooComplex,
)
"""What the driver or the server says of a value that cannot be stored; nothing was written."""

FUNCTIONS_EXCHANGED = (postgres.UndefinedFunction, postgres.InternalError_)
"""What the server says when a function that a statement had found is another one now; nothing was written."""


class Store:
    """Commands and readings, each in the session of its entry point; safe to use from several threads."""

    def __init__(self, dsns: Mapping[str, str]) -> None:
        """`dsns` gives the connection string of each entry point that this store will be used for."""
        self._pools = {entry_point: _pool(dsn) for entry_point, dsn in dsns.items()}
        self._behalf: Identity | None = None
        self._door: str | None = None

    @classmethod
    def opened(cls, dsns: Mapping[str, str], identity: Identity | None) -> "Store":
        """A store that has logged in at every door, speaking for somebody else if so told. Raises a SetupError."""
        store = cls(dsns)
        store.check()
        return store if identity is None else store.speaking_for(identity)

    def speaking_for(self, identity: Identity) -> "Store":
        """The same store, on the same connections, asking for somebody else; its logins must be ones that may."""
        other = copy(self)
        other._behalf = identity
        return other

    def at(self, door: str) -> "Store":
        """The same store, asked for everything at the door of one entry point. At any but its own nothing is allowed:
        commands are refused, readings raise NotAllowedError.
        """
        other = copy(self)
        other._door = door
        return other

    def perform(self, command: str, **fields: Value) -> Outcome:
        """Do one command of `COMMANDS`; `fields` are its parameters by name. One round trip, one commit."""
        signature, values = COMMANDS[command], in_full(command, fields)
        try:
            answer = self._call(signature.entry_point, command, tuple(signature.types.values()), values)
        except NotAllowedError:
            return Refused("not_allowed")
        except REFUSED_PAYLOADS:
            return Refused("malformed")
        except ConnectionLostError:
            return Lost()
        return _read_answer(answer)

    def check_behalf(self, door: str) -> None:
        """Find out whether the login at a door may ask for whom this store speaks for. Writes nothing.

        Raises NotAllowedError if it may not, and ConnectionLostError.
        """
        self._ask(door, f"select 'null' from {ON_BEHALF}", list(self._behalf or ()))

    def observe(self, runs: Sequence[str], payloads: bool = False) -> list[dict[str, Any]]:
        """The runs of these ids, in this order, as `keepfact.observe` shows them. Raises ConnectionLostError.

        Ids that were never admitted are left out, and with them those that could not be.
        """
        shown: list[dict[str, Any]] = self._read("observe", _ids(runs), payloads)
        return shown

    def survey(self, runs: Sequence[str]) -> dict[str, Any]:
        """The same under `runs`, beside what is kept beyond one run, all from one snapshot."""
        shown: dict[str, Any] = self._read("survey", _ids(runs))
        return shown

    def read_events(self, run: str, after: int, events_max: int) -> dict[str, Any] | None:
        """The `events` after a number, at most so many, the `last` number there is, and whether the run `is_over`.

        None if there is no such run. Raises ConnectionLostError.
        """
        if not ID.fullmatch(run):
            return None
        within = max(0, min(after, NUMBER_MAX))  # before and behind these there is no event
        shown: dict[str, Any] | None = self._read("read_events", run, within, events_max)
        return shown

    def read_heads(self, runs: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Of each of these runs its `last` number, and whether it `is_over`."""
        shown: dict[str, dict[str, Any]] = self._read("read_heads", _ids(runs))
        return shown

    def list_runs(self, after: str | None, runs_max: int) -> list[dict[str, Any]]:
        """The runs admitted after that one, or from the first on."""
        shown: list[dict[str, Any]] = self._read("list_runs", after, runs_max)
        return shown

    def lost_runs(self) -> list[dict[str, Any]]:
        """The runs that recovery can do something for, the longest lapsed first. Raises ConnectionLostError."""
        return self._list("recover", "lost_runs", ())

    def accepted_wakes(self, supports: Sequence[str]) -> list[dict[str, Any]]:
        """The accepted wakes that nobody has used, of runs whose bundle is supported. Raises ConnectionLostError."""
        return self._list("wake", "accepted_wakes", ("text[]",), tuple(supports))

    def due_deliveries(self) -> list[dict[str, Any]]:
        """The timers that are due and the children that have ended. Raises ConnectionLostError."""
        return self._list("deliver", "due_deliveries", ())

    def unresolved_runs(self, after: int, runs_max: int) -> list[dict[str, Any]]:
        """The runs, admitted after a number, with an operation that its tool can be asked about."""
        return self._list("reconcile", "unresolved_runs", ("bigint", "integer"), after, runs_max)

    def kept_payloads(self, untouched_seconds: int) -> list[dict[str, Any]]:
        """The large texts of runs that nothing has happened in for so long, with the runs that need them still."""
        return self._list("purge", "kept_payloads", ("bigint",), untouched_seconds)

    def check(self) -> None:
        """Log in at every entry point once. Raises a SetupError that says why it cannot."""
        for pool in self._pools.values():
            pool.connect().close()

    def close(self) -> None:
        """Close every connection."""
        for entry_point in self._pools:
            self._empty(entry_point)

    def _read(self, function: str, *values: Value) -> Any:
        return self._call("observe", function, READINGS[function], values)

    def _list(self, entry_point: str, function: str, types: tuple[str, ...], *values: Value) -> list[dict[str, Any]]:
        """What a function that gives rows has found, one object a row."""
        rows: list[dict[str, Any]] = self._call(entry_point, function, types, values, _rows_of)
        return rows

    def _call(
        self, entry_point: str, function: str, types: tuple[str, ...], values: Sequence[Value], form: Form | None = None
    ) -> Any:
        """Where somebody is spoken for, they come first among the values."""
        statement = (form or _answer_of)(function, types, self._behalf is not None)
        return self._ask(self._door or entry_point, statement, [*(self._behalf or ()), *values])

    def _ask(self, entry_point: str, statement: str, values: Sequence[Value]) -> Any:
        """One statement, and its answer read as JSON; asked once more when the functions were exchanged below it."""
        try:
            return self._ask_once(entry_point, statement, values)
        except FUNCTIONS_EXCHANGED:
            return self._ask_once(entry_point, statement, values)

    def _ask_once(self, entry_point: str, statement: str, values: Sequence[Value]) -> Any:
        """On a connection of the pool."""
        try:
            pooled = self._pools[entry_point].connect()
        except SetupError as error:
            raise ConnectionLostError from error
        try:
            connection: Any = pooled.driver_connection
            return json.loads(ask(connection, pooled.info, statement, values))
        except postgres.InsufficientPrivilege as error:
            raise NotAllowedError(str(error).splitlines()[0].removeprefix("ERROR:").strip()) from error
        except REFUSED_PAYLOADS:
            raise
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            pooled.invalidate()
            self._empty(entry_point)  # the idle ones will not have fared better
            raise ConnectionLostError from error
        finally:
            if pooled.is_valid:
                pooled.close()

    def _empty(self, entry_point: str) -> None:
        """Close the idle connections; one that is in use goes back to the old pool, and with it."""
        emptied, self._pools[entry_point] = self._pools[entry_point], self._pools[entry_point].recreate()
        emptied.dispose()


class ConnectionLostError(Exception):
    """The connection broke or could not be opened; a command that was under way may have been done or not."""


class NotAllowedError(Exception):
    """The login may not ask this, or not for whom it was asked. The message is the database's."""


def _pool(dsn: str) -> QueuePool:
    """Connections that nothing was asked of yet; there is nothing to roll back, as every statement is a transaction."""
    open_one: Any = partial(connect, dsn)  # SQLAlchemy knows a driver only as what its own protocol names
    return QueuePool(open_one, reset_on_return=None)


def _read_answer(answer: Mapping[str, Any]) -> Outcome:
    if answer["outcome"] == "refused":
        return Refused(answer["reason"], tuple(answer["runs"]))
    return Done(Grant(**answer["grant"]) if "grant" in answer else None)


def _ids(runs: Sequence[str]) -> tuple[str, ...]:
    """Those that could be ids at all."""
    return tuple(run for run in runs if ID.fullmatch(run))


@cache
def _answer_of(function: str, types: tuple[str, ...], is_on_behalf: bool) -> str:
    """What stands in FROM is done before what is selected."""
    if not is_on_behalf:
        return f"select {_call_of(function, types, 1)}"
    return f"select {_call_of(function, types, 3)} from {ON_BEHALF}"


@cache
def _rows_of(function: str, types: tuple[str, ...], is_on_behalf: bool) -> str:
    call = _call_of(function, types, 3 if is_on_behalf else 1)
    found = f"select coalesce(json_agg(found), '[]') from {call} as found"
    # Not in a join: there the planner would choose what is done first.
    return f"select ({found}) from {ON_BEHALF}" if is_on_behalf else found


def _call_of(function: str, types: tuple[str, ...], first: int) -> str:
    arguments = ", ".join(f"${number}::{type_name}" for number, type_name in enumerate(types, first))
    return f"keepfact.{function}({arguments})"
