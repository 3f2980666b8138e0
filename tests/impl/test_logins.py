"""Who is asking: a login of the database, for itself or for those whom it may speak for."""

import psycopg
import pytest
from psycopg import errors

from keepfact.impl.commands import COMMANDS
from keepfact.impl.connect import connect
from keepfact.impl.installation import Installation
from keepfact.impl.store import Identity

from . import stages as at
from .driving import Driver, all_logins, identity_of
from .successes import READ, SUCCESSES, call_of, sent, values_of


@pytest.mark.parametrize("command", [*COMMANDS, *(name for _, name, _ in READ)])
def test_a_login_without_a_tenant_is_told_nothing(
    trusted: Installation, trusted_admin: psycopg.Connection, alone: Driver, command: str
) -> None:
    if command in COMMANDS:
        door, types = COMMANDS[command].entry_point, tuple(COMMANDS[command].types.values())
        values = values_of(SUCCESSES[command][0](alone), command)
    else:
        door, types = next((door, types) for door, name, types in READ if name == command)
        values = [None] * len(types)
    trusted_admin.execute("update keepfact.logins set login = 'former ' || login")
    try:
        with connect(trusted.dsns[door]) as connection:
            connection.execute("select set_config('keepfact.tenant', %s, false)", [identity_of(alone).tenant])
            with pytest.raises(errors.InsufficientPrivilege, match="no tenant"):
                connection.execute(f"select * from {call_of(command, types)}".encode(), sent(values))
    finally:
        trusted_admin.execute("update keepfact.logins set login = substr(login::text, 8)")


def test_only_a_login_that_acts_for_others_may_say_for_whom(
    trusted: Installation, trusted_admin: psycopg.Connection, alone: Driver, other: Identity
) -> None:
    with all_logins(trusted_admin, other.tenant, False):
        for dsn in trusted.dsns.values():
            with connect(dsn) as connection, pytest.raises(errors.InsufficientPrivilege, match="acts for itself only"):
                connection.execute("select keepfact.on_behalf(%s, %s)", identity_of(alone))


@pytest.mark.parametrize(
    ("tenant", "principal"), [("nobody's", "p"), (None, "p"), ("{own}", None), ("{own}", ""), ("{own}", "two\nlines")]
)
def test_nobody_is_spoken_for_who_cannot_be(
    trusted: Installation, alone: Driver, tenant: str | None, principal: str | None
) -> None:
    own = identity_of(alone).tenant if tenant == "{own}" else tenant
    with connect(trusted.dsns["work"]) as connection, pytest.raises(errors.InsufficientPrivilege, match="was founded"):
        connection.execute("select keepfact.on_behalf(%s, %s)", [own, principal])


def test_who_was_spoken_for_signs_and_is_forgotten_after_the_statement(alone: Driver, other: Identity) -> None:
    at.running(alone)
    alone.store.speaking_for(other).observe([alone.run])
    assert {event["principal"] for event in alone.view["history"]} == {"principal"}


def test_principals_of_one_tenant_share_its_runs_and_sign_for_themselves(alone: Driver) -> None:
    at.running(alone)
    colleague = Driver(
        alone.store.speaking_for(Identity(identity_of(alone).tenant, "colleague")), alone.admin, alone.run, 1
    )
    at.done(colleague.do("fail"))
    assert [event["principal"] for event in alone.view["history"]] == ["principal", "principal", "colleague"]
