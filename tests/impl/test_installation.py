"""A database of our own on anybody's server: what it needs, and that it leaves nothing behind."""

import secrets
import time
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from psycopg import errors, sql

from keepfact.impl.commands import ENTRY_POINTS
from keepfact.impl.connect import connect, with_parts
from keepfact.impl.errors import (
    AccessDeniedError,
    BadSettingsError,
    PrivilegesLackingError,
    ServerTooOldError,
    ServerUnavailableError,
)
from keepfact.impl.installation import PLANNING, Installation, sql_files
from keepfact.impl.outcomes import Done, Refused
from keepfact.impl.preflight import Privileges, check, preflight
from keepfact.impl.server import Server
from keepfact.impl.store import Store

from .driving import PATIENCE_SECONDS, Driver

ENOUGH = Privileges("somebody", 150000, False, True, True, True)


@pytest.fixture
def superuser(server: Server) -> Iterator[psycopg.Connection]:
    with connect(server.dsn) as connection:
        if not preflight(connection).is_superuser:
            pytest.skip("the server given lets us be no superuser, and so give no privileges")
        yield connection


@pytest.fixture
def lesser_user(superuser: psycopg.Connection, server: Server, request: pytest.FixtureRequest) -> Iterator[str]:
    """The connection string of a user with the attributes that the test names."""
    name, password = f"kf_test_{secrets.token_hex(4)}", secrets.token_hex(8)
    attributes = sql.SQL(request.param)
    superuser.execute(sql.SQL("create role {} login {} password {}").format(sql.Identifier(name), attributes, password))
    yield with_parts(server.dsn, user=name, password=password)
    superuser.execute(sql.SQL("drop role {}").format(sql.Identifier(name)))


def _what_is_there(connection: psycopg.Connection) -> tuple[set[str], set[str]]:
    databases = {name for (name,) in connection.execute("select datname from pg_database")}
    return databases, {name for (name,) in connection.execute("select rolname from pg_roles")}


def test_an_installation_leaves_nothing_behind_even_with_a_worker_connected(server: Server) -> None:
    with connect(server.dsn) as outside:
        before = _what_is_there(outside)
        with Installation.create(server.dsn) as installation:
            databases, roles = _what_is_there(outside)
            assert databases - before[0] == {installation.name}
            assert len(roles - before[1]) == len(ENTRY_POINTS) + 1
            left_open = connect(installation.dsns["work"])
        assert _what_is_there(outside) == before
        with pytest.raises(psycopg.OperationalError):
            left_open.execute("select 1")
        assert outside.execute("select 1").fetchone() == (1,)  # nobody else's connection was ended
        installation.close()  # once more does nothing


def test_a_broken_schema_leaves_nothing_behind_either(server: Server) -> None:
    with connect(server.dsn) as outside:
        before = _what_is_there(outside)
        with pytest.raises(errors.SyntaxError):
            Installation.create(server.dsn, edit=lambda name, text: text + "nonsense;" if name[:3] == "110" else text)
        assert _what_is_there(outside) == before


def test_two_installations_on_one_server_do_not_see_each_other(server: Server) -> None:
    with Installation.create(server.dsn) as one, Installation.create(server.dsn) as other:
        assert one.name != other.name
        stranger = with_parts(one.dsns["work"], dbname=other.name)
        with pytest.raises(AccessDeniedError):
            connect(stranger)


def test_sessions_of_our_logins_are_planned_for_as_we_say(server: Server) -> None:
    with Installation.create(server.dsn) as created, connect(created.dsns["work"]) as work:
        for name, value in PLANNING.items():
            assert work.execute(f"show {name}".encode()).fetchone() == (value,), name


def test_a_guard_can_be_cut_out_before_the_schema_is_applied(server: Server) -> None:
    guard = "when fence is distinct from held.fence then 'stale_fence'"
    assert sum(text.count(guard) for _, text in sql_files(lambda name, text: text)) == 1
    with Installation.create(server.dsn, edit=lambda name, text: text.replace(guard, "")) as defective:
        store = Store(defective.dsns)
        with defective.admin_connection() as admin:
            run = Driver(store, admin).claimed()
            assert run.do("publish", fence=99, body="b", qualified=True) == Done()
        store.close()


def test_passwords_are_in_no_representation(server: Server) -> None:
    with Installation.create(server.dsn) as installation:
        password = psycopg.conninfo.conninfo_to_dict(installation.dsns["work"])["password"]
        assert str(password) not in repr(installation)
        assert "password" not in repr(server)


@pytest.mark.parametrize("lesser_user", ["createdb createrole"], indirect=True)
def test_a_user_with_createdb_and_createrole_is_enough(lesser_user: str, superuser: psycopg.Connection) -> None:
    before = _what_is_there(superuser)
    with Installation.create(lesser_user) as installation:
        store = Store(installation.dsns)
        with installation.admin_connection() as admin:
            run = Driver(store, admin).claimed()
            admin.execute("update keepfact.settings set frozen_at = clock_timestamp() + interval '1 hour'")
            assert run.do("publish", body="late", qualified=True) == Refused("lease_lapsed")
            assert run.do("recover") == Done()
        left_open = connect(installation.dsns["work"])
        store.close()
    left_open.close()
    assert _what_is_there(superuser) == before


@pytest.fixture
def eager_autovacuum(superuser: psycopg.Connection) -> Iterator[None]:
    """Every second, whatever has changed is vacuumed, and slowly."""
    settings = {
        "autovacuum_naptime": "1",
        "autovacuum_vacuum_threshold": "0",
        "autovacuum_vacuum_cost_delay": "100",
        "autovacuum_vacuum_cost_limit": "1",
    }
    for setting, value in settings.items():
        superuser.execute(sql.SQL("alter system set {} = {}").format(sql.Identifier(setting), value))
    superuser.execute("select pg_reload_conf()")
    yield
    for setting in settings:
        superuser.execute(sql.SQL("alter system reset {}").format(sql.Identifier(setting)))
    superuser.execute("select pg_reload_conf()")


@pytest.mark.usefixtures("eager_autovacuum")
@pytest.mark.parametrize("lesser_user", ["createdb createrole"], indirect=True)
def test_a_database_that_is_being_vacuumed_can_be_dropped_by_who_is_no_superuser(
    lesser_user: str, superuser: psycopg.Connection
) -> None:
    before = _what_is_there(superuser)
    with Installation.create(lesser_user) as installation:
        with installation.admin_connection() as admin:
            admin.execute("create table large as select n, repeat('-', 200) as text from generate_series(1, 20000) n")
            admin.execute("delete from large")
        left_open = connect(installation.dsns["work"])
        _wait_for_autovacuum(superuser, installation.name)
    assert _what_is_there(superuser) == before
    left_open.close()


def _wait_for_autovacuum(superuser: psycopg.Connection, database: str) -> None:
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    find = "select from pg_stat_activity where datname = %s and backend_type = 'autovacuum worker'"
    while superuser.execute(find, [database]).fetchone() is None:
        assert time.monotonic() < give_up_at
        time.sleep(0.01)


@pytest.mark.parametrize("lesser_user", ["nocreatedb nocreaterole"], indirect=True)
def test_lacking_privileges_are_named_all_at_once_and_nothing_is_created(
    lesser_user: str, superuser: psycopg.Connection
) -> None:
    before = _what_is_there(superuser)
    with pytest.raises(PrivilegesLackingError, match=r"lacking: CREATEDB, CREATEROLE\. As a superuser: alter role "):
        Installation.create(lesser_user)
    assert _what_is_there(superuser) == before


@pytest.mark.parametrize("lesser_user", ["createdb createrole"], indirect=True)
def test_a_server_that_takes_no_writes_is_told_beforehand(lesser_user: str) -> None:
    read_only = with_parts(lesser_user, options="-c default_transaction_read_only=on")
    with pytest.raises(PrivilegesLackingError, match="lacking: a server that takes writes"):
        Installation.create(read_only)


def test_enough_is_enough_and_too_old_is_told_with_both_versions() -> None:
    check(ENOUGH)
    with pytest.raises(ServerTooOldError, match=r"expected PostgreSQL 15 or newer, but the server is version 14\.9\. "):
        check(replace(ENOUGH, version=140009))


def test_an_unreachable_server_is_told_with_its_address_and_without_the_password() -> None:
    with pytest.raises(ServerUnavailableError) as caught:
        Installation.create("postgresql://me:topsecret@127.0.0.1:1/db")
    assert "host=127.0.0.1 port=1 dbname=db user=me" in str(caught.value)
    assert "topsecret" not in str(caught.value)


def test_a_wrong_password_is_told_without_being_shown(server: Server) -> None:
    with Installation.create(server.dsn) as installation:
        wrong = with_parts(installation.dsns["work"], password="topsecret")
        with pytest.raises(AccessDeniedError) as caught:
            connect(wrong)
    assert f'password authentication failed for user "{installation.name}_work"' in str(caught.value)
    assert "topsecret" not in str(caught.value)


def test_a_connection_string_that_is_none_is_not_repeated() -> None:
    with pytest.raises(BadSettingsError) as caught:
        Installation.create("me:topsecret@127.0.0.1")
    assert "topsecret" not in str(caught.value)
