"""Statements that are prepared once on each connection, and then cost little more than their round trip.

The driver's cursors do much for every statement that a statement with one text as its answer does not need: three
times the work of the call itself. So this goes one floor lower, to the driver's own wrapper of libpq.
"""

from collections.abc import MutableMapping, Sequence

import psycopg
from psycopg import errors, generators, pq

Value = str | int | bool | None | tuple[str, ...]


def ask(
    connection: psycopg.Connection, names: MutableMapping[str, bytes], statement: str, values: Sequence[Value]
) -> str:
    """The one text that the statement answers with. `names` remembers what is prepared on this connection.

    Raises what psycopg raises: DataError for a value that cannot be sent or stored, OperationalError when the
    connection breaks, and the server's own errors by their class.
    """
    parameters = [_encode(value) for value in values]
    if statement not in names:
        name = f"keepfact_{len(names)}".encode()
        connection.pgconn.send_prepare(name, statement.encode())
        _receive(connection)
        names[statement] = name
    connection.pgconn.send_query_prepared(names[statement], parameters)
    answer = _receive(connection).get_value(0, 0)
    assert answer is not None  # every function of the schema answers
    return answer.decode()


def _encode(value: Value) -> bytes | None:
    """In the text format of the protocol, where a value ends at its first NUL: one that has any must not be sent."""
    if value is None:
        return None
    if isinstance(value, bool):
        return b"t" if value else b"f"
    encoded = (_array(value) if isinstance(value, tuple) else str(value)).encode()
    if b"\0" in encoded:
        raise psycopg.DataError("a text with a NUL cannot be stored")
    return encoded


def _array(texts: tuple[str, ...]) -> str:
    """An array as PostgreSQL reads one, each text in quotes."""
    quoted = (text.replace("\\", "\\\\").replace('"', '\\"') for text in texts)
    return "{" + ",".join(f'"{text}"' for text in quoted) + "}"


def _receive(connection: psycopg.Connection) -> pq.abc.PGresult:
    """Wait for what was asked, so that Ctrl-C is heard; the result, or the server's error as an exception."""
    result: pq.abc.PGresult = connection.wait(generators.execute(connection.pgconn))[-1]
    if result.status == pq.ExecStatus.FATAL_ERROR:
        state = result.error_field(pq.DiagnosticField.SQLSTATE)
        message = result.get_error_message()
        raise _error_class(state)(message)
    return result


def _error_class(state: bytes | None) -> type[psycopg.Error]:
    """Without a code it was not the server who spoke: the connection is gone."""
    if state is None:
        return psycopg.OperationalError
    try:
        return errors.lookup(state.decode())
    except KeyError:
        return psycopg.DatabaseError
