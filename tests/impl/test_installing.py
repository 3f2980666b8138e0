"""Installations that stay: made once, used by processes through their credentials, removed by their name."""

import json
import secrets
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from keepfact.impl.commands import ENTRY_POINTS
from keepfact.impl.connect import connect, with_parts
from keepfact.impl.credentials import Credentials
from keepfact.impl.installation import drop
from keepfact.impl.outcomes import Done
from keepfact.impl.server import Server
from keepfact.impl.store import Identity, Store

from .commanding import Commands


@pytest.fixture(scope="module")
def name() -> str:
    return f"kept_{secrets.token_hex(3)}"


@pytest.fixture(scope="module")
def commands(server: Server, name: str) -> Commands:
    return Commands({"KEEPFACT_DSN": server.dsn, "KEEPFACT_CREDENTIALS": ""})


@pytest.fixture(scope="module")
def path(server: Server, commands: Commands, name: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The credentials of an installation of that name."""
    path = tmp_path_factory.mktemp("installed") / "credentials"
    ended = commands("install", "--name", name, "--credentials", path)
    assert (ended.code, ended.warned) == (0, "")
    assert f"export KEEPFACT_CREDENTIALS={path}" in ended.said
    yield path
    drop(server.dsn, name)


def _there(server: Server, name: str) -> list[str]:
    databases = "select datname from pg_database where datname = %s"
    roles = "select rolname from pg_roles where rolname = any(%s)"
    suffixes = [f"{name}_{suffix}" for suffix in (*ENTRY_POINTS, "owner")]
    with connect(server.dsn) as admin:
        return [found for (found,) in admin.execute(f"{databases} union all {roles}", [name, suffixes])]


def test_an_installation_stays_and_is_used_through_its_credentials(path: Path, name: str) -> None:
    credentials = Credentials.read(path)
    assert (credentials.installation, len(credentials.doors)) == (name, 13)
    assert json.loads(path.read_text())["doors"].keys() == credentials.doors.keys()
    store = Store(credentials.doors)
    assert store.perform("submit", command_id="c", run="r", contract="settle", budget_cents=1) == Done()
    store.close()


def test_a_tenant_is_added_and_sees_only_its_own(path: Path, name: str, commands: Commands) -> None:
    ended = commands("tenant", "add", "acme", KEEPFACT_CREDENTIALS=str(path))
    assert (ended.code, ended.said) == (0, f"founded: acme in {name}")
    store = Store(Credentials.read(path).doors).speaking_for(Identity("acme", "ann"))
    assert store.perform("submit", command_id="c", run="of-acme", contract="settle", budget_cents=1) == Done()
    assert [run["run"] for run in store.list_runs(0, 10)] == ["of-acme"]
    store.close()
    again = commands("tenant", "add", "acme", "--name", name)
    assert (again.code, again.warned) == (
        2,
        "expected the name of a new tenant, but there is one called acme. Give another.",
    )
    assert "expected 1 to 200 visible characters" in commands("tenant", "add", "a b", "--name", name).warned


def test_what_is_there_is_never_overwritten(
    path: Path, name: str, commands: Commands, server: Server, tmp_path: Path
) -> None:
    before, there = path.read_text(), _there(server, name)
    same_file = commands("install", "--name", f"{name}_2", "--credentials", path)
    assert (same_file.code, _there(server, f"{name}_2")) == (2, [])
    assert "but it is there already. Give another with --credentials" in same_file.warned
    same_name = commands("install", "--name", name, "--credentials", tmp_path / "new")
    assert same_name.code == 2
    assert f"there is already database {name}, role {name}_" in same_name.warned
    assert (path.read_text(), _there(server, name), list(tmp_path.iterdir())) == (before, there, [])


@pytest.mark.parametrize("wrong", ["", "Upper", "9", "a-b", 'a"b', "a" * 41])
def test_a_name_that_can_be_none_is_told(wrong: str, commands: Commands, tmp_path: Path) -> None:
    ended = commands("install", "--name", wrong, "--credentials", tmp_path / "new")
    assert (ended.code, list(tmp_path.iterdir())) == (2, [])
    assert "expected a name of small letters" in ended.warned


def test_whoever_may_create_nothing_is_told_and_no_file_is_left(path: Path, commands: Commands, tmp_path: Path) -> None:
    lesser = Credentials.read(path).doors["observe"]
    ended = commands("install", "--name", "other", "--credentials", tmp_path / "new", KEEPFACT_DSN=lesser)
    assert (ended.code, list(tmp_path.iterdir())) == (2, [])
    assert "these are lacking: CREATEDB, CREATEROLE" in ended.warned


@pytest.mark.parametrize("arguments", [["install"], ["uninstall"], ["tenant", "add", "a"], ["migrate"]])
def test_without_a_server_every_command_says_what_to_set(
    arguments: list[str], commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = commands(*arguments, KEEPFACT_DSN="")
    assert (ended.code, list(tmp_path.iterdir())) == (2, [])
    assert "expected KEEPFACT_DSN to name the server" in ended.warned


@pytest.mark.parametrize("command", [
    "deploy bundle-1 --release programs:FIRST", "replay-check --release programs:FIRST",
    "retire x", "export r", "purge x",
])  # fmt: skip
def test_without_credentials_every_command_says_what_to_set(
    command: str, commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parent)
    ended = commands(*command.split())
    assert ended.code == 2
    assert "expected KEEPFACT_CREDENTIALS with the file that `keepfact install` wrote" in ended.warned


def test_the_schema_of_an_installation_is_brought_to_the_release(path: Path, commands: Commands) -> None:
    ended = commands("migrate", KEEPFACT_CREDENTIALS=str(path))
    assert (ended.code, ended.said) == (0, "the functions are those of this release; the tables stay at version 1")
    unbegun = commands("migrate", "--finish", KEEPFACT_CREDENTIALS=str(path))
    assert (unbegun.code, "expected a migration that was begun" in unbegun.warned) == (2, True)


def test_a_database_of_somebody_else_is_left_alone(commands: Commands, server: Server, name: str) -> None:
    other = f"{name}_other"
    with connect(server.dsn) as admin:
        admin.execute(psycopg.sql.SQL("create database {}").format(psycopg.sql.Identifier(other)))
        try:
            for arguments in (
                ["uninstall", "--name", other, "--confirm", other],
                ["tenant", "add", "t", "--name", other],
            ):
                assert commands(*arguments).code == 2
            assert "is another's" in commands("uninstall", "--name", other).warned
            connect(with_parts(server.dsn, dbname=other)).close()
        finally:
            admin.execute(psycopg.sql.SQL("drop database {}").format(psycopg.sql.Identifier(other)))


def test_an_installation_is_removed_only_by_whoever_types_its_name(
    commands: Commands, server: Server, name: str, tmp_path: Path
) -> None:
    own = f"{name}_gone"
    commands("install", "--name", own, "--credentials", tmp_path / "credentials")
    there = _there(server, own)
    assert len(there) == 15
    declined = commands("uninstall", "--name", own, typed="yes\n")
    assert (declined.code, _there(server, own)) == (2, there)
    assert f"expected {own} as confirmation, but it was 'yes'" in declined.warned
    removed = commands("uninstall", "--name", own, typed=f"{own}\n")
    assert (removed.code, _there(server, own)) == (0, [])
    nothing = commands("uninstall", "--name", own, "--confirm", own)
    assert (nothing.code, "but there is none" in nothing.warned) == (2, True)
