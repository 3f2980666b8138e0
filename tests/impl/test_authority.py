"""The database itself keeps each entry point to its own functions, whoever holds a connection."""

import itertools
from collections.abc import Callable

import psycopg
import pytest
from psycopg import errors, sql

from keepfact.impl.commands import COMMANDS, ENTRY_POINTS
from keepfact.impl.connect import connect
from keepfact.impl.installation import Installation
from keepfact.impl.outcomes import Refused

from .driving import Driver
from .successes import values_of

LISTS = {
    "observe": {"observe", "survey", "read_events", "read_heads", "list_runs"},
    "recover": {"lost_runs"},
    "deliver": {"due_deliveries"},
    "wake": {"accepted_wakes"},
    "reconcile": {"unresolved_runs"},
    "purge": {"kept_payloads"},
}
"""What may be read at which door."""

ALLOWED = {
    entry_point: {"on_behalf"}
    | LISTS.get(entry_point, set())
    | {name for name, command in COMMANDS.items() if command.entry_point == entry_point}
    for entry_point in ENTRY_POINTS
}
"""The authority table: the functions that each entry point may execute."""

Session = Callable[[str], psycopg.Connection]


@pytest.fixture
def session(installation: Installation) -> Session:
    return lambda entry_point: connect(installation.dsns[entry_point])


def test_each_role_may_execute_its_own_functions_and_nothing_else(
    installation: Installation, admin: psycopg.Connection
) -> None:
    functions = [name for (name,) in admin.execute(
        "select p.oid::regprocedure::text from pg_proc p where p.pronamespace = 'keepfact'::regnamespace"
    )]  # fmt: skip
    assert len(functions) > sum(map(len, ALLOWED.values()))  # helpers are there too, and nobody may call them
    allowed = {
        entry_point: {
            function.removeprefix("keepfact.").partition("(")[0].strip('"')
            for function in functions
            if _one(
                admin,
                "select has_function_privilege(%s, %s, 'execute')",
                f"{installation.name}_{entry_point}",
                function,
            )
        }
        for entry_point in ENTRY_POINTS
    }
    assert allowed == ALLOWED


@pytest.mark.parametrize("door", ENTRY_POINTS)
def test_at_a_door_that_is_not_its_own_every_command_is_refused(run: Driver, door: str) -> None:
    run.claimed()
    before = run.store.survey([run.run])
    for command, signature in COMMANDS.items():
        values = dict(zip(signature.types, values_of(run, command), strict=True))
        if signature.entry_point != door:
            assert run.store.at(door).perform(command, **values) == Refused("not_allowed")
    assert run.store.survey([run.run]) == before


def test_no_role_may_touch_a_table_a_sequence_or_create_anything(
    installation: Installation, admin: psycopg.Connection
) -> None:
    relations = list(admin.execute(
        "select oid::regclass::text, relkind::text from pg_class "
        "where relnamespace = 'keepfact'::regnamespace and relkind in ('r', 'S')"
    ))  # fmt: skip
    assert {kind for _, kind in relations} == {"r", "S"}
    for entry_point, (relation, kind) in itertools.product(ENTRY_POINTS, relations):
        privileges = "select, insert, update, delete, truncate, references, trigger" if kind == "r" else "usage, select"
        asked = f"select has_{'table' if kind == 'r' else 'sequence'}_privilege(%s, %s, %s)"
        assert not _one(admin, asked, f"{installation.name}_{entry_point}", relation, privileges)
    for entry_point in ENTRY_POINTS:
        role = f"{installation.name}_{entry_point}"
        assert not _one(admin, "select has_schema_privilege(%s, 'keepfact', 'create')", role)
        assert not _one(admin, "select has_database_privilege(%s, current_database(), 'create, temporary')", role)


def test_nobody_else_may_connect_to_the_database(admin: psycopg.Connection) -> None:
    assert not _one(admin, "select has_database_privilege('public', current_database(), 'connect')")


def test_roles_of_entry_points_have_no_power_on_the_server(
    installation: Installation, admin: psycopg.Connection
) -> None:
    powers = admin.execute(
        "select bool_or(rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls) from pg_roles "
        "where starts_with(rolname, %s)", [installation.name]
    ).fetchone()  # fmt: skip
    assert powers == (False,)


def test_a_late_worker_with_a_connection_of_its_own_can_write_no_table(run: Driver, session: Session) -> None:
    run.claimed().with_call()
    before = run.view
    with session("work") as late:
        for table in ("runs", "calls", "publications", "events", "answers", "settings"):
            name = sql.Identifier("keepfact", table)
            for statement in ("insert into {} default values", "delete from {}", "truncate {}", "select * from {}"):
                with pytest.raises(errors.InsufficientPrivilege):
                    late.execute(sql.SQL(statement).format(name))
        for statement in (
            "update keepfact.runs set fence = fence + 1",
            "update keepfact.calls set state = 'confirmed'",
            "update keepfact.events set payload = '{}'",
            "update keepfact.settings set frozen_at = null",
        ):
            with pytest.raises(errors.InsufficientPrivilege):
                late.execute(statement)
    assert run.view == before


@pytest.mark.parametrize("statement", [
    "select keepfact.recover('c', 'r', null, '{}', null)",
    "select keepfact.reconcile('c', 'r', 'a', 'confirmed', 0)",
    "select keepfact.submit('c', 'r', 'settle', 1, 'latest', null, null)",
    "select keepfact.observe(array['r'])",
    "select keepfact.append('r', 'ended', 'work', 1, null, '{}')",
    "select keepfact.seal('r', 'succeeded', 'work', 1)",
    "select keepfact.done('work', 'c', '[]')",
    "select keepfact.grant_lease(null, 'w', 'work')",
    "select keepfact.lock_run('r')",
])  # fmt: skip
def test_a_worker_can_call_nothing_but_its_own_functions(session: Session, statement: str) -> None:
    with session("work") as worker, pytest.raises(errors.InsufficientPrivilege):
        worker.execute(statement)


def test_no_entry_point_can_become_the_owner(session: Session, installation: Installation) -> None:
    for entry_point in ENTRY_POINTS:
        with session(entry_point) as asking, pytest.raises(errors.InsufficientPrivilege):
            asking.execute(sql.SQL("set role {}").format(sql.Identifier(f"{installation.name}_owner")))


def test_a_worker_cannot_bend_the_functions_it_may_call_with_objects_of_its_own(run: Driver, session: Session) -> None:
    run.claimed()
    with session("work") as worker:
        with pytest.raises(errors.InsufficientPrivilege):
            worker.execute("create temporary table runs (run text)")
        worker.execute("set search_path = pg_temp, public")
        answer = worker.execute("select keepfact.renew(%s, %s, 7)", [f"{run.run}-bent", run.run]).fetchone()
    assert answer == ({"outcome": "refused", "reason": "stale_fence", "runs": []},)


def test_a_missing_fence_is_no_fence(run: Driver, session: Session) -> None:
    run.claimed()
    with session("work") as worker:
        answer = worker.execute("select keepfact.renew(%s, %s, null)", [f"{run.run}-null", run.run]).fetchone()
    assert answer == ({"outcome": "refused", "reason": "stale_fence", "runs": []},)


@pytest.mark.parametrize("statement", [
    "update keepfact.events set principal = 'somebody'",
    "update keepfact.events set principal = 'somebody' where false",
    "delete from keepfact.events",
    "truncate keepfact.events cascade",
])  # fmt: skip
def test_not_even_the_owner_changes_or_removes_an_event(
    run: Driver, installation: Installation, admin: psycopg.Connection, statement: str
) -> None:
    run.submitted()
    before = run.view
    admin.execute(sql.SQL("set role {}").format(sql.Identifier(f"{installation.name}_owner")))
    with pytest.raises(errors.InsufficientPrivilege, match="events are never changed or removed"):
        admin.execute(statement.encode())
    admin.execute("reset role")
    assert run.view == before


def test_an_event_names_the_session_that_wrote_it(run: Driver, installation: Installation) -> None:
    run.claimed().lapsed().do("recover")
    assert [(event["entry_point"], event["principal"]) for event in run.view["history"]] == [
        (entry_point, f"{installation.name}_{entry_point}") for entry_point in ("submit", "work", "recover")
    ]


def _one(connection: psycopg.Connection, statement: str, *values: str) -> object:
    row = connection.execute(statement.encode(), values).fetchone()
    assert row is not None
    return row[0]
