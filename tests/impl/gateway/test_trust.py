"""A gateway that the database does not let ask for others says so at its start, not at each request."""

import logging
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from keepfact.impl.commands import ENTRY_POINTS
from keepfact.impl.errors import NotTrustedError
from keepfact.impl.gateway.tokens import Tokens
from keepfact.impl.gateway.trust import check_trust
from keepfact.impl.installation import Installation
from keepfact.impl.store import Identity, Store

from .processes import ended
from .served import TOKENS, Client, client_of, problem, served, token

NOWHERE = Identity("never-founded", "ann")


@pytest.fixture
def distrusted(admin: psycopg.Connection) -> Iterator[None]:
    """For a while one of the logins may ask for itself only."""
    admin.execute("update keepfact.logins set acts_for_others = false where login::text like '%%_wake'")
    yield
    admin.execute("update keepfact.logins set acts_for_others = true")


def test_nothing_is_said_where_every_login_is_trusted_and_every_tenant_is_there(store: Store) -> None:
    check_trust(store, ENTRY_POINTS, TOKENS.each_tenant())
    check_trust(store, ENTRY_POINTS, [])


def test_one_login_that_is_not_trusted_is_named(store: Store, distrusted: None) -> None:
    with pytest.raises(NotTrustedError, match=r"the entry point wake .* the login \S+_wake acts for itself only\. As"):
        check_trust(store, ENTRY_POINTS, TOKENS.each_tenant())
    check_trust(store, ["submit"], TOKENS.each_tenant())  # and no door that is not opened


def test_a_tenant_that_was_never_founded_is_named(store: Store) -> None:
    with pytest.raises(NotTrustedError, match=r"the tenant never-founded, but .* a tenant that was founded"):
        check_trust(store, ENTRY_POINTS, [*TOKENS.each_tenant(), NOWHERE])


def test_a_database_that_is_away_has_said_nothing_against_it(caplog: pytest.LogCaptureFixture) -> None:
    away = Store({"observe": "postgresql://nobody@127.0.0.1:1/none"})
    check_trust(away, ["observe"], [NOWHERE])
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_the_process_says_it_and_exits_2(installation: Installation, distrusted: None, tmp_path: Path) -> None:
    status, told = ended(installation, tmp_path)
    assert status == 2
    assert "acts for itself only" in told["message"]


@pytest.mark.parametrize("path", ["/v1/runs", "/v1/runs/r", "/v1/runs/r/events", "/v1/runs/r/stream"])
def test_what_is_taken_away_later_is_refused_at_each_request(store: Store, client: Client, path: str) -> None:
    """As for a tenant that is not there; commands and readings alike."""
    tokens = Tokens([token("lonely", ENTRY_POINTS, NOWHERE.tenant)])
    with served(store, tokens=tokens) as own, client_of(str(own.base_url), "lonely") as lonely:
        assert problem(lonely.get(path)) == (403, "not_allowed")
        assert problem(lonely.do("/v1/runs/r/cancel")) == (403, "not_allowed")
