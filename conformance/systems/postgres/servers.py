"""The server that installations are on: given, or started for them; and what is wrong with it, told as a system's."""

from collections.abc import Iterator
from contextlib import contextmanager

from keepfact.conformance.system import SystemUnavailableError
from keepfact.impl.errors import SetupError
from keepfact.impl.installation import Edit, drop, sql_files
from keepfact.impl.server import Server, postgres_server


@contextmanager
def shared_server() -> Iterator[Server]:
    """A server for several installations: the one that the environment names, or one that is removed afterwards."""
    with told_as_unavailable(), postgres_server() as server:
        yield server


def remove(server: Server, installation: str) -> None:
    """Remove an installation that its process did not; if there is none of that name, nothing happens."""
    drop(server.dsn, installation)


def edited(edit: Edit) -> list[tuple[str, str]]:
    """The SQL of the implementation, file by file, as it would be applied; no server is needed for that."""
    return sql_files(edit)


@contextmanager
def told_as_unavailable() -> Iterator[None]:
    """What cannot be set up is a system that is not available."""
    try:
        yield
    except SetupError as error:
        raise SystemUnavailableError(str(error)) from error
