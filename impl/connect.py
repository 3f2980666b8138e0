"""Opening a connection to PostgreSQL, and telling in plain words why it cannot be opened."""

import psycopg
from psycopg import conninfo

from .errors import AccessDeniedError, BadSettingsError, ServerUnavailableError

CONNECT_TIMEOUT_SECONDS = 10
SILENCE = {"keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "25000"}
"""A host that vanished without a word is noticed after 25 seconds; otherwise its client would wait for hours."""

PASSING_STATES = (
    "the database system is starting up",
    "the database system is shutting down",
    "the database system is in recovery mode",
    "the database system is not yet accepting connections",
    "the database system is not accepting connections",
    "too many clients already",
)
"""What a server says that has nothing against this user, but cannot take anybody now."""


def connect(dsn: str) -> psycopg.Connection:
    """A connection in autocommit mode. Raises a SetupError when there is none to be had."""
    parameters = {"connect_timeout": str(CONNECT_TIMEOUT_SECONDS), **SILENCE, **read_dsn(dsn)}
    try:
        return psycopg.connect(conninfo.make_conninfo("", **parameters), autocommit=True)
    except psycopg.OperationalError as error:
        raise _explain(parameters, str(error)) from None


def read_dsn(dsn: str) -> dict[str, str]:
    """The parts of a connection string, as libpq names them."""
    unreadable = BadSettingsError(
        expected="a PostgreSQL connection string such as postgresql://user:password@host:5432/database",
        seen="what was given cannot be read as one",
        next_step="Correct KEEPFACT_DSN; special characters in a password are percent-encoded in a URL.",
    )
    try:
        parameters = {name: str(value) for name, value in conninfo.conninfo_to_dict(dsn).items()}
    except psycopg.ProgrammingError:
        raise unreadable from None  # the original message repeats the string, and so a password in it
    if _is_torn(parameters):
        raise unreadable
    return parameters


def _is_torn(parameters: dict[str, str]) -> bool:
    """A password with an unencoded @ or / was taken apart: what looks like a host or a port may be a piece of it."""
    ports = parameters.get("port", "").split(",")
    places = parameters.get("host", "") + parameters.get("dbname", "")
    return "@" in places or not all(port.isdigit() or not port for port in ports)


def with_parts(dsn: str, **parts: str) -> str:
    """The same connection string with some parts replaced, e.g. `dbname` or `user`."""
    return conninfo.make_conninfo("", **{**read_dsn(dsn), **parts})


def describe(parameters: dict[str, str]) -> str:
    """Where a connection goes, without its password."""
    shown = [f"{name}={parameters[name]}" for name in ("host", "port", "dbname", "user") if name in parameters]
    return " ".join(shown) or "the default of libpq"


def _explain(parameters: dict[str, str], message: str) -> AccessDeniedError | ServerUnavailableError:
    said = " ".join(message.split()) or "no reason was given"
    if password := parameters.get("password"):
        said = said.replace(password, "********")
    if "FATAL:" in said and not any(state in said for state in PASSING_STATES):
        return AccessDeniedError(
            expected=f"to log in at {describe(parameters)}",
            seen=f"the server said: {said.partition('FATAL:')[2].strip()}",
            next_step="Check user, password and database of KEEPFACT_DSN, and pg_hba.conf of the server.",
        )
    return ServerUnavailableError(
        expected=f"a PostgreSQL server at {describe(parameters)}",
        seen=f"none answered: {said}",
        next_step="Start the server, or correct host and port of KEEPFACT_DSN; "
        "without KEEPFACT_DSN a private server is started by itself.",
    )
