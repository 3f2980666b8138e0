"""Bringing a database to a revision: tables by Alembic, then every function and privilege, in one transaction."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from psycopg import sql
from sqlalchemy import Connection, NullPool, create_engine

from ..connect import connect
from ..errors import BadSettingsError
from ..schema import Schema

HERE = Path(__file__).parent
VERSIONS = HERE / "versions"
HEAD = "head"
OWN_FUNCTIONS = """
select oid::regprocedure::text, ctid::text from pg_proc where pronamespace = 'keepfact'::regnamespace
"""
"""Each with the place of its row, which is another one after it was replaced."""


@dataclass(frozen=True)
class Database:
    """A database of ours. `dsn` is of a user who may do what its owner may; `roles` are by entry point."""

    dsn: str = field(repr=False)
    owner: str
    roles: Mapping[str, str]


@dataclass(frozen=True)
class Migrations:
    """The revisions that a release knows, and the SQL of its schema."""

    schema: Schema = field(default_factory=Schema)
    versions: tuple[Path, ...] = (VERSIONS,)

    @property
    def revisions(self) -> list[str]:
        """From the first to the last."""
        return [script.revision for script in self._scripts.walk_revisions()][::-1]

    @property
    def version(self) -> int:
        """The version of the tables that all of them lead to."""
        return version_of(self.revisions[-1])

    def apply(self, database: Database, revision: str = HEAD) -> None:
        """Bring it to that revision, with this release's functions. All at once, or, whatever goes wrong, not at all.

        Commands that are under way are waited for, and those that come meanwhile wait: then all functions change
        between two commands.
        """
        with _as_owner(database) as connection:
            _hold_commands(connection)
            with EnvironmentContext(Config(), self._scripts, fn=self._steps_to(revision)) as environment:
                environment.configure(connection=connection, schema=self.schema)
                environment.run_migrations()
            reached = MigrationContext.configure(connection).get_current_revision()
            assert reached is not None  # there is no revision without tables
            self._replace_functions(connection, database.roles, reached)

    def current(self, database: Database) -> str:
        """The revision that a database is at. Raises BadSettingsError for one that this release does not know."""
        with _as_owner(database) as connection:
            found = MigrationContext.configure(connection).get_current_revision()
        if found in self.revisions:
            return found
        raise BadSettingsError(
            expected=f"a database at one of the revisions that this release knows, {', '.join(self.revisions)}",
            seen=f"it is at {found or 'none'}",
            next_step="Use the release that brought it there, or a newer one.",
        )

    @property
    def _scripts(self) -> ScriptDirectory:
        return ScriptDirectory(str(HERE), version_locations=[str(folder) for folder in self.versions])

    def _steps_to(self, revision: str) -> Callable[..., Any]:
        return lambda current, _: self._scripts._upgrade_revs(revision, current)

    def _replace_functions(self, connection: Connection, roles: Mapping[str, str], revision: str) -> None:
        """In place, so that whoever has found a function already finds its new text; what has no text any more goes.

        A function that takes or gives something else under the same types cannot be replaced, and is made anew.
        """
        before = set(_driver(connection).execute(OWN_FUNCTIONS))
        run(connection, "set local check_function_bodies = off")  # what matters most comes first, before its helpers
        functions = list(self.schema.functions())
        try:
            with _driver(connection).transaction():
                run(connection, "\n".join(text for _, text in functions))
        except psycopg.errors.InvalidFunctionDefinition:
            for name, text in functions:
                _replace(connection, name, text)
        left = before.intersection(_driver(connection).execute(OWN_FUNCTIONS))
        _drop(connection, [signature for signature, _ in left])
        run(connection, self.schema.privileges(roles))
        if revision.endswith("_expand"):
            for text in self.schema.for_older_workers(version_of(revision), roles):
                run(connection, text)


def _replace(connection: Connection, name: str, text: str) -> None:
    try:
        with _driver(connection).transaction():
            run(connection, text)
    except psycopg.errors.InvalidFunctionDefinition:
        found = _driver(connection).execute(OWN_FUNCTIONS).fetchall()
        _drop(connection, [signature for signature, _ in found if signature.startswith(f"keepfact.{name}(")])
        run(connection, text)


def _drop(connection: Connection, signatures: Sequence[str]) -> None:
    if signatures:
        run(connection, f"drop function {', '.join(signatures)}")


@contextmanager
def _as_owner(database: Database) -> Iterator[Connection]:
    """A transaction in which everything is done, and owned, by the owner of the schema."""
    engine = create_engine("postgresql+psycopg://", creator=lambda: _opened(database.dsn), poolclass=NullPool)
    with engine.begin() as connection:
        _driver(connection).execute(sql.SQL("set local role {}").format(sql.Identifier(database.owner)))
        yield connection


def _opened(dsn: str) -> psycopg.Connection:
    connection = connect(dsn)
    connection.autocommit = False
    return connection


def _hold_commands(connection: Connection) -> None:
    """Every command and every reading looks first of all who is asking: there they wait, holding nothing yet."""
    run(connection, """
        do $$
        begin
          if to_regclass('keepfact.logins') is not null then
            lock table keepfact.logins in access exclusive mode;
          end if;
        end
        $$
    """)  # fmt: skip


def version_of(revision: str) -> int:
    """The version of the tables that a revision leads to or away from."""
    return int(revision.partition("_")[0])


def schema_of(context: MigrationContext) -> Schema:
    """The SQL that is being applied, for revisions that need it."""
    schema: Schema = context.opts["schema"]
    return schema


def run(connection: Connection, text: str) -> None:
    """Statements as they stand, colons and per cent signs too."""
    if text.strip():
        _driver(connection).execute(text.encode())


def _driver(connection: Connection) -> psycopg.Connection:
    driver: Any = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    return driver
