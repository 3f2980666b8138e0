"""One tenant sees and changes nothing of another, whatever function it calls and whatever it puts into its session."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import psycopg
import pytest

from keepfact.impl.commands import COMMANDS
from keepfact.impl.connect import connect
from keepfact.impl.installation import Installation
from keepfact.impl.outcomes import Refused
from keepfact.impl.prepared import Value
from keepfact.impl.store import Identity

from . import stages as at
from . import stages_of_people as people
from .driving import Driver, all_logins, fresh, identity_of
from .stages import Stage
from .successes import READ, SUCCESSES, call_of, sent, values_of

SHARED = {"tenants", "logins", "settings"}
"""The tables that are the installation's."""

ABOUT_ITSELF = {"grant", "deploy", "retire", "migrate", "end_migration"}
"""Commands that need nothing of anybody's to exist: they are done, to what is the asking tenant's own."""

Asking = Callable[[str, str, Sequence[object]], list[tuple[Any, ...]]]
"""At a door, a call with its values: what it answers."""


@pytest.fixture(params=["spoken for", "with forged settings"])
def ask(
    request: pytest.FixtureRequest,
    trusted: Installation,
    trusted_admin: psycopg.Connection,
    alone: Driver,
    other: Identity,
) -> Asking:
    """Ask as the other tenant: on behalf of it, or by a login of its own that says in its settings that it is not."""

    def on_behalf(door: str, call: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        with connect(trusted.dsns[door]) as connection, connection.transaction():
            connection.execute("select keepfact.on_behalf(%s, %s)", other)
            return connection.execute(f"select * from {call}".encode(), values).fetchall()

    def forging(door: str, call: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        victim = identity_of(alone)
        with all_logins(trusted_admin, other.tenant, False), connect(trusted.dsns[door]) as connection:
            for name, value in (("tenant", victim[0]), ("behalf", json.dumps(victim)), ("principal", victim[1])):
                connection.execute("select set_config(%s, %s, false)", [f"keepfact.{name}", value])
            return connection.execute(f"select * from {call}".encode(), values).fetchall()

    return on_behalf if request.param == "spoken for" else forging


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_of_another_tenant_changes_anything(
    alone: Driver, trusted_admin: psycopg.Connection, ask: Asking, command: str
) -> None:
    stage = at.queued if command == "submit" else SUCCESSES[command][0]
    values = values_of(stage(alone), command)
    before = _rows_of(trusted_admin, alone)
    call = call_of(command, COMMANDS[command].types.values())
    ((answer,),) = ask(COMMANDS[command].entry_point, call, sent(values))
    assert _rows_of(trusted_admin, alone) == before
    assert alone.run not in json.dumps(answer)
    if command in ABOUT_ITSELF:
        assert answer["outcome"] == "done"
    else:
        reason = {"revoke": "no_such_grant", "purge": "no_such_payload"}.get(command, "no_such_run")
        assert answer == {"outcome": "refused", "reason": reason, "runs": []}


@pytest.mark.parametrize(("door", "reading", "types"), READ)
def test_no_reading_of_another_tenant_shows_anything(
    trusted: Installation, alone: Driver, ask: Asking, door: str, reading: str, types: tuple[str, ...]
) -> None:
    runs = _eventful(alone)
    own = {"text": runs[0], "text[]": [*runs, "bundle-1"], "bigint": 0, "integer": 100, "boolean": True}
    values = [own[type_name] for type_name in types]
    with connect(trusted.dsns[door]) as connection, connection.transaction():
        connection.execute("select keepfact.on_behalf(%s, %s)", identity_of(alone))
        shown = connection.execute(f"select * from {call_of(reading, types)}".encode(), values).fetchall()
    assert alone.run in str(shown)
    assert alone.run not in str(ask(door, call_of(reading, types), values))


def _eventful(run: Driver) -> list[str]:
    """The ids of runs of its tenant, one for everything that somebody looks for."""
    stages: tuple[Stage, ...] = (
        lambda run: at.open_call(run).lapsed(),
        at.accepted,
        at.then(at.running, at.waiting_for("timer", seconds=0)),
        at.lost_operation,
        people.published_large,
    )
    return [stage(Driver(run.store, run.admin, f"{run.run}-{number}")).run for number, stage in enumerate(stages)]


def _rows_of(admin: psycopg.Connection, run: Driver) -> dict[str, object]:
    """All rows of the run's tenant, table by table."""
    tables = admin.execute(
        "select table_name from information_schema.columns where table_schema = 'keepfact' and column_name = 'tenant'"
    ).fetchall()
    statement = "select to_jsonb(found) from keepfact.{} as found where tenant = %s order by found::text"
    return {
        name: admin.execute(statement.format(name).encode(), [identity_of(run).tenant]).fetchall() for (name,) in tables
    }


def test_a_claim_of_any_run_finds_none_of_another_tenants(alone: Driver, ask: Asking) -> None:
    alone.submitted()
    ((answer,),) = ask("work", "keepfact.claim(%s, null, 'w', '{bundle-1}', 1)", [fresh("command")])
    assert answer["reason"] == "not_queued"


def test_a_child_cannot_have_the_id_of_another_tenants_run(alone: Driver, other: Identity) -> None:
    alone.submitted()
    before = alone.view
    stranger = Driver(alone.store.speaking_for(other), alone.admin).claimed()
    assert stranger.do("spawn", spawn="s", child=alone.run, budget_cents=1) == Refused("run_exists")
    assert (stranger.view["children"], alone.view) == ([], before)


def test_what_one_tenant_has_used_is_free_for_another(alone: Driver, other: Identity) -> None:
    """Command ids, requests, call ids, bundles, sources and digests of texts are each tenant's own."""
    stranger = Driver(alone.store.speaking_for(other), alone.admin)
    for run in (alone, stranger):
        at.done(run.do("submit", contract="settle", budget_cents=9, request="request", command_id="the-same"))
        run.granted("claim", worker="w", command_id="claimed")
        intent: dict[str, Value] = {"call": "call", "kind": "attempt", "digest": "d", "ceiling_cents": 1}
        at.done(run.store.perform("intend", command_id="intended", run=run.run, fence=run.fence, **intent))
        at.done(run.do("publish", body=people.LARGE, qualified=True, command_id="published"))
        at.done(run.do("deploy", bundle="bundle-2", replayed=1, diverged=0))
    assert [len(run.store.survey([])["payloads"]) for run in (alone, stranger)] == [1, 1]


@pytest.mark.parametrize("what", ["resource", "plan", "policy", "permission"])
def test_what_is_in_force_is_each_tenants_own(alone: Driver, other: Identity, what: str) -> None:
    people.drifted(what, at.queued)(alone)
    assert alone.store.survey([])["in_force"] != alone.store.speaking_for(other).survey([])["in_force"]


def test_every_function_that_a_door_may_call_is_asked_about_here(
    trusted: Installation, trusted_admin: psycopg.Connection
) -> None:
    doors = [f"{trusted.name}_{door}" for door in trusted.dsns]
    granted = trusted_admin.execute(
        "select distinct p.proname from pg_proc p, unnest(%s::text[]) as door (role) "
        "where p.pronamespace = 'keepfact'::regnamespace and has_function_privilege(door.role, p.oid, 'execute')",
        [doors],
    ).fetchall()  # fmt: skip
    assert {name for (name,) in granted} == {*COMMANDS, *(name for _, name, _ in READ), "on_behalf"}


def test_every_table_with_rows_of_tenants_shows_only_those_of_one_also_to_the_owner(
    trusted: Installation, trusted_admin: psycopg.Connection, alone: Driver
) -> None:
    own = at.running(alone).view["tenant"]
    tables = trusted_admin.execute(
        "select relname, relrowsecurity and relforcerowsecurity from pg_class "
        "where relnamespace = 'keepfact'::regnamespace and relkind = 'r'"
    ).fetchall()  # fmt: skip
    assert {name for name, is_forced in tables if not is_forced} == SHARED
    with trusted_admin.transaction():
        trusted_admin.execute(f'set local role "{trusted.name}_owner"'.encode())
        trusted_admin.execute("select set_config('keepfact.tenant', %s, true)", [own])
        assert trusted_admin.execute("select distinct tenant from keepfact.runs").fetchall() == [(own,)]
        trusted_admin.execute("select set_config('keepfact.tenant', '', true)")
        assert trusted_admin.execute("select tenant from keepfact.runs").fetchall() == []


def test_what_is_listed_for_somebody_is_their_own(alone: Driver, other: Identity) -> None:
    lost, accepted, due, unresolved, _ = _eventful(alone)
    stranger = alone.store.speaking_for(other)
    assert [found["run"] for found in alone.store.lost_runs()] == [lost]
    assert [found["run"] for found in alone.store.accepted_wakes(["bundle-1"])] == [accepted]
    assert [found["run"] for found in alone.store.due_deliveries()] == [due]
    assert [found["run"] for found in alone.store.unresolved_runs(0, 9)] == [unresolved]
    assert (stranger.lost_runs(), stranger.accepted_wakes(["bundle-1"]), stranger.due_deliveries()) == ([], [], [])
    assert stranger.unresolved_runs(0, 9) == []
