"""Reads in PostgreSQL's write-ahead log what was written, whoever wrote it and whatever the database shows later.

The log knows rows that were written, also where nothing came of it. It does not know rows that were only locked, or
tables that are temporary or unlogged; nor which columns an update changed, as it has the row only as it is after it.
"""

import secrets
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import psycopg
from psycopg import errors
from psycopg.adapt import Loader
from psycopg.pq import Format

from keepfact.conformance.errors import KeepfactError

from ..waiting import PATIENCE_SECONDS, wait_until
from .decoding import Action, Begin, Change, Commit, Message, Value, read

BOOKMARK = "keepfact-witness"
"""The prefix of the messages that the witness itself writes, to know how far it has read."""


class WitnessUnavailableError(KeepfactError):
    """The log cannot be read as things are; the message says what was expected, what was seen and what to do."""


class WitnessLostError(KeepfactError):
    """The session that read the log was broken off: what was written since the last look is unseen."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row that was written. `key` is its primary key, by column; empty if the table has none, or all rows went.

    `values` are all its columns as they are after it, or of a row that is gone those that identify it.
    """

    schema: str
    table: str
    action: Action
    key: tuple[tuple[str, Value], ...] = ()
    values: Mapping[str, Value] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Transaction:
    """What was committed at once: the rows, in order of writing, and what was told to the log with them."""

    xid: int
    messages: tuple[Message, ...]
    rows: tuple[Row, ...]

    def said(self, prefix: str) -> tuple[str, ...]:
        """The contents of the messages with that prefix. None of them: nobody signed, and the writer is unknown."""
        return tuple(message.content for message in self.messages if message.prefix == prefix)


class Witness:
    """Witnesses one database from the moment it is opened until it is closed; nothing of it stays.

    What is read goes through a temporary slot, which the server drops with our session, however that ends.
    """

    def __init__(self, dsn: str, schemas: Collection[str] | None = None) -> None:
        """`dsn` is of somebody with REPLICATION, and of the database that is witnessed: of others nothing is seen.

        Of `schemas` all but the server's own, unless given. Waits for transactions that are under way to end: they
        may have written already. Raises WitnessUnavailableError.
        """
        self._schemas = None if schemas is None else frozenset(schemas)
        self._slot = f"keepfact_witness_{secrets.token_hex(8)}"
        self._unread: list[Transaction] = []
        self._connection = _connected(dsn)
        try:
            _create_slot(self._connection, self._slot)
        except BaseException:
            self._connection.close()
            raise

    def writes(self) -> tuple[Transaction, ...]:
        """The transactions that have written rows since the last time this was asked, in the order of commit.

        All that were committed before we asked are among them: we read as far as a message that we write now. Raises
        WitnessLostError, or UnreadableLineError where the log is written in a form that is not known.
        """
        try:
            return self._writes()
        except psycopg.OperationalError as error:
            raise WitnessLostError(
                f"expected to go on reading the write-ahead log, but the session was broken off: "
                f"{' '.join(str(error).split())}. What was written since is unseen; open another witness."
            ) from error

    def _writes(self) -> tuple[Transaction, ...]:
        bookmark = secrets.token_hex(8)
        # Committed and on disk when this returns, and so is all that was committed before, however lightly.
        self._connection.execute("select pg_logical_emit_message(true, %s, %s)", [BOOKMARK, bookmark])
        found: list[Transaction] = []
        wait_until(lambda: self._read_to(bookmark, found), "the log can be read as far as it was written")
        return tuple(transaction for transaction in found if transaction.rows)

    def close(self) -> None:
        """Drop the slot. Closing again does nothing."""
        with suppress(psycopg.Error):  # a session that was broken off takes its slot along
            self._connection.execute("select pg_drop_replication_slot(%s)", [self._slot])
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _read_to(self, bookmark: str, found: list[Transaction]) -> bool:
        """Whether the bookmark was found. What was read before it is moved to `found`; what comes after it is kept."""
        self._unread += self._new_transactions()
        places = [place for place, transaction in enumerate(self._unread) if bookmark in transaction.said(BOOKMARK)]
        if not places:
            return False
        found += self._unread[: places[0]]
        del self._unread[: places[0] + 1]
        return True

    def _new_transactions(self) -> Iterator[Transaction]:
        keys = _primary_keys(self._connection)
        messages, rows, xid = list[Message](), list[Row](), 0
        for line in _new_lines(self._connection, self._slot):
            match read(line):
                case Begin(xid):
                    messages, rows = [], []
                case Message() as message if message.is_transactional:
                    messages.append(message)
                case Message():
                    pass
                case Change() as change:
                    rows += [row for row in _rows(change, keys) if self._is_about(row)]
                case Commit():
                    yield Transaction(xid, tuple(messages), tuple(rows))

    def _is_about(self, row: Row) -> bool:
        return self._schemas is None or row.schema in self._schemas


def _rows(change: Change, keys: Mapping[tuple[str, str], list[str]]) -> Iterator[Row]:
    for schema, table in change.tables:
        known = change.new or change.old
        key = tuple((column, known[column]) for column in keys.get((schema, table), ()) if column in known)
        yield Row(schema, table, change.action, key, known)


def _connected(dsn: str) -> psycopg.Connection:
    try:
        connection = psycopg.connect(dsn, autocommit=True, application_name="keepfact-witness")
    except psycopg.OperationalError as error:
        said = " ".join(str(error).split())
        raise WitnessUnavailableError(
            f"expected to connect to the database whose write-ahead log is to be read, but: {said}. Start it, or "
            "correct where it is."
        ) from None
    connection.execute("set synchronous_commit = local")
    connection.execute("select set_config('statement_timeout', %s, false)", [f"{PATIENCE_SECONDS:g}s"])
    return connection


def _create_slot(connection: psycopg.Connection, slot: str) -> None:
    row = connection.execute("select current_setting('wal_level'), current_setting('server_encoding')").fetchone()
    assert row is not None  # one row without conditions
    require_readable(*row)
    try:
        connection.execute("select pg_create_logical_replication_slot(%s, 'test_decoding', temporary => true)", [slot])
    except psycopg.Error as error:
        raise WitnessUnavailableError(
            f"expected to read the write-ahead log by logical decoding, but {_why_not(error)}"
        ) from error


def require_readable(wal_level: str, encoding: str) -> None:
    """Raises WitnessUnavailableError unless a log of that level, of a database in that encoding, can be read."""
    if wal_level != "logical":
        raise WitnessUnavailableError(
            "expected wal_level to be logical, so that the write-ahead log says which rows were written, but it is "
            f"{wal_level}. Set wal_level = logical and start the server anew."
        )
    if encoding != "UTF8":
        raise WitnessUnavailableError(
            f"expected the database to be in UTF8, in which the log is read, but it is in {encoding}. Use one that is."
        )


def _why_not(error: psycopg.Error) -> str:
    match error:
        case errors.InsufficientPrivilege():
            return "the user may not. Give it REPLICATION: alter role … replication."
        case errors.ConfigurationLimitExceeded():
            return "all replication slots are taken. Drop those that nobody needs, or raise max_replication_slots."
        case errors.UndefinedFile():
            return "the server has no test_decoding. Install PostgreSQL's contrib modules there."
        case errors.QueryCanceled():
            return (
                f"a transaction that began before has not ended within {PATIENCE_SECONDS:g} seconds. End it; "
                "pg_stat_activity names it."
            )
        case _:
            return f"the server said: {' '.join(str(error).split())}."


def _new_lines(connection: psycopg.Connection, slot: str) -> Iterator[str]:
    """What the slot has to say. A message may hold bytes that are no text; those are not lost."""
    with connection.cursor(binary=True) as cursor:
        cursor.adapters.register_loader("text", _Bytes)
        cursor.execute(
            "select data from pg_logical_slot_get_changes"
            "(%s, null, null, 'include-xids', '1', 'include-timestamp', '0', 'skip-empty-xacts', '0')",
            [slot],
        )
        for (data,) in cursor:
            yield data.decode("utf-8", "surrogateescape")


class _Bytes(Loader):
    """Text as it comes, not decoded."""

    format = Format.BINARY

    def load(self, data: bytes | bytearray | memoryview) -> bytes:
        return bytes(data)


def _primary_keys(connection: psycopg.Connection) -> dict[tuple[str, str], list[str]]:
    """The columns of each table's primary key, in order."""
    found = connection.execute("""
        select n.nspname, c.relname, array_agg(a.attname::text order by k.place)
        from pg_index i
          join pg_class c on c.oid = i.indrelid
          join pg_namespace n on n.oid = c.relnamespace
          cross join unnest(i.indkey::int2[]) with ordinality as k (number, place)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
        where i.indisprimary and n.nspname not in ('pg_catalog', 'pg_toast')
        group by 1, 2
    """)
    return {(schema, table): columns for schema, table, columns in found}
