"""What a server and its user must offer, told before anything is created and all at once."""

from dataclasses import dataclass

import psycopg

from .errors import PrivilegesLackingError, ServerTooOldError

VERSION_MIN = 150000


@dataclass(frozen=True, slots=True)
class Privileges:
    """What the user of a connection may do on its server; the version as PostgreSQL numbers it, e.g. 160004."""

    user: str
    version: int
    is_superuser: bool
    may_create_databases: bool
    may_create_roles: bool
    may_write: bool


def preflight(connection: psycopg.Connection) -> Privileges:
    """What the connection's user may do; raises ServerTooOldError or PrivilegesLackingError when that is not enough."""
    privileges = read_privileges(connection)
    check(privileges)
    return privileges


def read_privileges(connection: psycopg.Connection) -> Privileges:
    row = connection.execute(
        """
        select r.rolname, current_setting('server_version_num')::integer, r.rolsuper,
          r.rolcreatedb or r.rolsuper, r.rolcreaterole or r.rolsuper,
          not pg_is_in_recovery() and not current_setting('default_transaction_read_only')::boolean
        from pg_roles r where r.rolname = current_user
        """
    ).fetchone()
    assert row is not None  # whoever is connected has a role
    return Privileges(*row)


def check(privileges: Privileges) -> None:
    """Decide whether that is enough."""
    if privileges.version < VERSION_MIN:
        raise ServerTooOldError(
            expected=f"PostgreSQL {VERSION_MIN // 10000} or newer",
            seen=f"the server is version {privileges.version // 10000}.{privileges.version % 10000}",
            next_step="Give a newer server in KEEPFACT_DSN, or unset it to use a private one.",
        )
    lacks = {
        "CREATEDB": not privileges.may_create_databases,
        "CREATEROLE": not privileges.may_create_roles,
        "a server that takes writes": not privileges.may_write,
    }
    lacking = [name for name, lacks_it in lacks.items() if lacks_it]
    if lacking:
        attributes = " ".join(name for name in lacking if name.isupper())
        remedy = f'As a superuser: alter role "{privileges.user}" {attributes}; ' if attributes else ""
        raise PrivilegesLackingError(
            expected=f"the user {privileges.user} to have CREATEDB and CREATEROLE on a server that takes writes",
            seen=f"these are lacking: {', '.join(lacking)}",
            next_step=remedy + "or give another user or server in KEEPFACT_DSN.",
        )
