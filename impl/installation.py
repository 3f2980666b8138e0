"""A database of our own on any server: created with its roles, and removed without touching anything else."""

import re
import secrets
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import LiteralString, Self

import psycopg
from psycopg import errors, sql

from .commands import BUNDLE, ENTRY_POINTS
from .connect import connect, with_parts
from .errors import BadSettingsError
from .migrations.applying import Database, Migrations
from .preflight import Privileges, preflight
from .schema import Edit, Schema, sql_files, unchanged

TENANT = "tenant"
"""The tenant that every installation begins with, and whose its first logins are."""

PLANNING = {
    "plan_cache_mode": "force_generic_plan",
    "enable_bitmapscan": "off",
    "enable_seqscan": "off",
    "jit": "off",
}
"""How the server plans for sessions in our database.

Each statement of a command looks for a few rows by an index, and runs once a transaction: planning it anew for its
values costs more than it could gain. And what was planned while tables were small is used when they have grown:
collecting all events of a run to find the last one, or reading a whole table, would be right only while there are few.
A plan that cannot do without what was ruled out looks so dear that a server with a compiler would compile it, every
time anew, for many times as long as it runs.
"""

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""A role has the name of its installation and a suffix, in at most 63 bytes."""

__all__ = ["ENTRY_POINTS", "Edit", "Installation", "database_of", "drop", "sql_files"]


@dataclass(frozen=True)
class Installation:
    """A database with the schema, an owner, and one login role for each entry point."""

    name: str
    admin_dsn: str = field(repr=False)
    dsns: dict[str, str] = field(repr=False)
    _undo: ExitStack = field(repr=False)

    @classmethod
    def create(
        cls,
        admin_dsn: str,
        edit: Edit = unchanged,
        *,
        name: str | None = None,
        migrations: Migrations | None = None,
    ) -> Self:
        """Create it on the server of `admin_dsn`, whose user needs CREATEDB and CREATEROLE. Raises a SetupError.

        Without a name it gets one by chance; one that is given must not be there yet.
        """
        migrations = migrations or Migrations(Schema(edit))
        with connect(admin_dsn) as admin, ExitStack() as undo:
            privileges = preflight(admin)
            name = _free(admin, name) if name is not None else f"kf_{secrets.token_hex(4)}"
            undo.callback(drop, admin_dsn, name)
            passwords = _create_roles(admin, name, privileges)
            statement = "create database {} owner {} template template0 encoding 'UTF8'"
            admin.execute(_fill(statement, name, f"{name}_owner"))
            own_dsn = with_parts(admin_dsn, dbname=name)
            with connect(own_dsn) as own:
                own.execute(_fill("set role {}", f"{name}_owner"))
                _lock_up(own, name)
                migrations.apply(database_of(own_dsn, name))
                with own.transaction():
                    _begin(own, name, migrations.version)
            dsns = {
                entry_point: with_parts(own_dsn, user=f"{name}_{entry_point}", password=password)
                for entry_point, password in passwords.items()
            }
            return cls(name, own_dsn, dsns, undo.pop_all())

    def keep(self) -> None:
        """From here on it stays, also when this is closed."""
        self._undo.pop_all()

    def admin_connection(self) -> psycopg.Connection:
        """A connection that may do what the schema's owner may, for tests: move the clock, hold a lock."""
        return connect(self.admin_dsn)

    def found_tenant(self, admin: psycopg.Connection, tenant: str) -> None:
        """Found another tenant; `admin` is one of our `admin_connection`s."""
        self._as_owner(admin, "select keepfact.found_tenant(%s, %s)", tenant, BUNDLE)

    def change_in_force(self, admin: psycopg.Connection, tenant: str, what: str) -> None:
        """Change what a tenant's approvals are bound to: `resource`, `plan`, `policy` or `permission`."""
        self._as_owner(admin, "select keepfact.change_in_force(%s, %s)", tenant, what)

    def trust_logins(self, admin: psycopg.Connection) -> None:
        """From here on our logins may say for whom they ask, as a gateway does that has authenticated them."""
        self._as_owner(admin, "update keepfact.logins set acts_for_others = true")

    def _as_owner(self, admin: psycopg.Connection, statement: LiteralString, *values: str) -> None:
        with admin.transaction():
            admin.execute(_fill("set local role {}", f"{self.name}_owner"))
            admin.execute(statement, values)

    def close(self) -> None:
        """Drop the database, ending its connections, and the roles. Closing again does nothing."""
        self._undo.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def database_of(own_dsn: str, name: str) -> Database:
    """The database of that name, as whoever may act for its owner reaches it."""
    roles = {entry_point: f"{name}_{entry_point}" for entry_point in ENTRY_POINTS}
    return Database(with_parts(own_dsn, dbname=name), f"{name}_owner", roles)


def drop(admin_dsn: str, name: str) -> None:
    """Remove the database, ending its connections, and its roles."""
    with connect(admin_dsn) as admin:
        _drop_database(admin, name)
        for suffix in (*ENTRY_POINTS, "owner"):
            admin.execute(_fill("drop role if exists {}", f"{name}_{suffix}"))


def _drop_database(admin: psycopg.Connection, name: str) -> None:
    try:
        admin.execute(_fill("drop database if exists {} with (force)", name))
    except errors.InsufficientPrivilege:
        # A worker of autovacuum may be in there. Only a superuser may force one out; when nobody else is connected,
        # dropping without force asks it to leave, and waits for it.
        admin.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where datname = %s and backend_type = 'client backend'",
            [name],
        )
        admin.execute(_fill("drop database if exists {}", name))


def _free(admin: psycopg.Connection, name: str) -> str:
    """The name, if it can be one and nothing has it yet. Raises BadSettingsError."""
    if not NAME.fullmatch(name):
        raise BadSettingsError(
            expected="a name of small letters, digits and _, at most 40 of them and beginning with a letter",
            seen=f"it is {name!r}",
            next_step="Give another with --name.",
        )
    found = admin.execute(
        "select 'database ' || datname from pg_database where datname = %s "
        "union all select 'role ' || rolname from pg_roles where rolname = any(%s)",
        [name, [f"{name}_{suffix}" for suffix in (*ENTRY_POINTS, "owner")]],
    ).fetchall()
    if found:
        raise BadSettingsError(
            expected=f"no database and no roles of the name {name} on the server",
            seen=f"there is already {', '.join(what for (what,) in found)}",
            next_step="Give another name with --name, or remove what is there with `keepfact uninstall`.",
        )
    return name


def _create_roles(admin: psycopg.Connection, name: str, privileges: Privileges) -> dict[str, str]:
    """The owner, who cannot log in, and a role with a random password for each entry point."""
    passwords = {entry_point: secrets.token_hex(16) for entry_point in ENTRY_POINTS}
    admin.execute(_fill("create role {} nologin", f"{name}_owner"))
    for entry_point, password in passwords.items():
        role = f"{name}_{entry_point}"
        # The server gets a verifier, so that no password can end up in its log.
        verifier = admin.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()
        admin.execute(sql.SQL("create role {} login password {}").format(sql.Identifier(role), verifier))
    if not privileges.is_superuser:
        # To create the database for its owner and to end connections, one must be a member of the roles. From
        # version 16 on, whoever creates a role may grant it, but is a member only by saying so.
        option = " with inherit true, set true" if privileges.version >= 160000 else ""
        for suffix in ("owner", *ENTRY_POINTS):
            admin.execute(_fill("grant {} to current_user" + option, f"{name}_{suffix}"))
    return passwords


def _lock_up(own: psycopg.Connection, name: str) -> None:
    """Nobody but our roles may even log in."""
    own.execute(_fill("revoke all on database {} from public", name))
    for setting, value in PLANNING.items():
        own.execute(_fill("alter database {} set {} to {}", name, setting, value))
    for entry_point in ENTRY_POINTS:
        own.execute(_fill("grant connect on database {} to {}", name, f"{name}_{entry_point}"))


def _begin(own: psycopg.Connection, name: str, version: int) -> None:
    """What stands in a new database: the first tenant, and our logins, which are its."""
    own.execute("update keepfact.settings set schema_oldest = %s, schema_newest = %s", [version, version])
    own.execute("select keepfact.found_tenant(%s, %s)", [TENANT, BUNDLE])
    for entry_point in ENTRY_POINTS:
        own.execute("insert into keepfact.logins values (%s, %s)", [f"{name}_{entry_point}", TENANT])


def _fill(statement: LiteralString, *names: str) -> sql.Composed:
    return sql.SQL(statement).format(*map(sql.Identifier, names))
