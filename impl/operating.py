"""What whoever runs an installation asks of it: once, by hand, and told in whole sentences what came of it."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import psycopg
from psycopg import sql

from .commands import BUNDLE, ENTRY_POINTS
from .connect import connect, describe, read_dsn, with_parts
from .credentials import Credentials, dsn_name, new_file, with_credentials, write
from .errors import BadSettingsError, ServerUnavailableError
from .insisting import ATTEMPTS_MAX, ask_a_few_times
from .installation import Installation, database_of, drop
from .migrations.applying import Database, Migrations
from .outcomes import Done, Lost, Refused
from .prepared import Value
from .store import Identity, Store

PRINCIPAL = "operator"


def install(environment: Mapping[str, str], name: str, path: Path, migrations: Migrations | None = None) -> str:
    """Create a database that stays, and write the credentials of its doors. Where it is. Raises a SetupError."""
    admin_dsn = server_dsn(environment)
    with new_file(path) as file, Installation.create(admin_dsn, name=name, migrations=migrations) as installation:
        with installation.admin_connection() as admin:
            installation.trust_logins(admin)  # a gateway, and a worker of several tenants, speak for others
        write(file, Credentials(name, installation.dsns))
        installation.keep()
    return describe(read_dsn(installation.dsns["observe"]) | {"user": f"{name}_…"})


def find(environment: Mapping[str, str], name: str) -> list[str]:
    """What there is of an installation on the server: its database, its roles. Raises BadSettingsError for none.

    A database of that name that belongs to somebody else is none of ours.
    """
    with connect(server_dsn(environment)) as admin:
        databases = admin.execute(
            "select pg_get_userbyid(datdba) from pg_database where datname = %s", [name]
        ).fetchall()
        roles = admin.execute(
            "select rolname from pg_roles where rolname = any(%s) order by rolname",
            [[f"{name}_{suffix}" for suffix in (*ENTRY_POINTS, "owner")]],
        ).fetchall()
    if any(owner != f"{name}_owner" for (owner,) in databases) or not databases + roles:
        raise BadSettingsError(
            expected=f"an installation called {name} on the server",
            seen=f"the database {name} is another's" if databases else "there is none",
            next_step="Correct --name, or KEEPFACT_DSN.",
        )
    return [f"the database {name}"] * len(databases) + [f"the role {role}" for (role,) in roles]


def uninstall(environment: Mapping[str, str], name: str) -> None:
    """Remove the database and the roles. Raises a SetupError, also if there is none."""
    find(environment, name)
    drop(server_dsn(environment), name)


def add_tenant(environment: Mapping[str, str], name: str, tenant: str) -> None:
    """Found a tenant in the installation of that name. Raises a SetupError."""
    with connect(with_parts(server_dsn(environment), dbname=name)) as admin, admin.transaction():
        admin.execute(sql.SQL("set local role {}").format(sql.Identifier(_owner(admin, name))))
        try:
            admin.execute("select keepfact.found_tenant(%s, %s)", [tenant, BUNDLE])
        except psycopg.errors.UniqueViolation:
            raise BadSettingsError(
                expected="the name of a new tenant", seen=f"there is one called {tenant}", next_step="Give another."
            ) from None
        except (psycopg.errors.CheckViolation, psycopg.DataError):
            raise BadSettingsError(
                expected="1 to 200 visible characters of ASCII as the name of a tenant",
                seen=f"it is {tenant!r}",
                next_step="Give another.",
            ) from None


def installed_database(environment: Mapping[str, str], name: str) -> Database:
    """The database of an installation, for changing its schema. Raises a SetupError."""
    dsn = server_dsn(environment)
    with connect(with_parts(dsn, dbname=name)) as admin:
        _owner(admin, name)
    return database_of(dsn, name)


def open_store(environment: Mapping[str, str], doors: Iterable[str]) -> Store:
    """A store at these doors, on behalf of whom KEEPFACT_TENANT and KEEPFACT_PRINCIPAL name. Raises a SetupError."""
    known = with_credentials(environment)
    dsns = {door: known.get(dsn_name(door), "") for door in doors}
    missing = [dsn_name(door) for door, dsn in dsns.items() if not dsn]
    if missing:
        raise BadSettingsError(
            expected="KEEPFACT_CREDENTIALS with the file that `keepfact install` wrote",
            seen=f"neither that nor {', '.join(missing)} leads to the store",
            next_step="Set it and start again.",
        )
    tenant = environment.get("KEEPFACT_TENANT")
    identity = Identity(tenant, environment.get("KEEPFACT_PRINCIPAL") or PRINCIPAL) if tenant else None
    return Store.opened(dsns, identity)


def ask(store: Store, command: str, **fields: Value) -> Done | Refused:
    """Do a command, asking again under its id while its answer is lost. Raises ServerUnavailableError at last."""
    outcome = ask_a_few_times(store, command, **fields)
    if not isinstance(outcome, Lost):
        return outcome
    raise ServerUnavailableError(
        expected=f"an answer to {command}",
        seen=f"it was lost {ATTEMPTS_MAX} times, so nobody knows whether it was done",
        next_step="Look whether the server can be reached, and ask again: what was done is not done twice.",
    )


def server_dsn(environment: Mapping[str, str]) -> str:
    """The connection string of whoever may create databases and roles."""
    if dsn := environment.get("KEEPFACT_DSN"):
        return dsn
    raise BadSettingsError(
        expected="KEEPFACT_DSN to name the server, and a user of it with CREATEDB and CREATEROLE",
        seen="it is not set",
        next_step="Set it, as in KEEPFACT_DSN=postgresql://user:password@host:5432/postgres, and start again.",
    )


def installation_name(environment: Mapping[str, str], given: str | None) -> str:
    """The one that is meant: as it is given, as the credentials say, or the usual one."""
    if given is None and (path := environment.get("KEEPFACT_CREDENTIALS")):
        return Credentials.read(Path(path)).installation
    return given or "keepfact"


def _owner(admin: psycopg.Connection, name: str) -> str:
    """The role that owns the schema. Raises BadSettingsError where there is no installation of ours."""
    found = admin.execute("select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'keepfact'").fetchone()
    if found != (f"{name}_owner",):
        raise BadSettingsError(
            expected=f"the database {name} to hold an installation of keepfact",
            seen="it holds none",
            next_step="Correct --name, or make one with `keepfact install`.",
        )
    return f"{name}_owner"


def environment() -> Mapping[str, str]:
    """The one that this process was given."""
    return os.environ
