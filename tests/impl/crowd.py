"""Many rows, put there past the functions: other people's runs, and what a long run has behind it."""

import psycopg
from psycopg import sql

ROWS = 10_000
ROWS_OF_A_RUN = 1_000

OTHERS = f"""
    insert into keepfact.runs (run, tenant, contract, budget_cents, bundle, state, lease_until)
    select state || '-' || n, 'tenant', 'settle', 100, 'bundle-1', state,
        case state when 'running' then now() + interval '1000 years' end
    from generate_series(1, {ROWS}) as n,
        unnest(array['queued', 'running', 'waiting_external', 'unknown', 'succeeded', 'failed']) as state;
    insert into keepfact.waits (
        run, tenant, wait, kind, state, format, bundle, digest, history_number, budget_left_cents, until, child
    )
    select 'waiting_external-' || n, 'tenant', kind, kind, 'waiting', 1, 'bundle-1', 'd', 1, 100,
        now() + interval '1000 years', case kind when 'child' then 'queued-' || n end
    from generate_series(1, {ROWS}) as n, unnest(array['callback', 'timer', 'approval']) as kind;
    insert into keepfact.approvals (
        run, tenant, wait, call, risk, basis, resource, plan, policy, permitted, differs
    )
    select 'waiting_external-' || n, 'tenant', 'approval', 'call-' || n, 'low', 'b', 1, 1, 1, true, '{{}}'
    from generate_series(1, {ROWS}) as n;
    insert into keepfact.arrivals (run, tenant, wait, number, digest, is_late)
    select 'waiting_external-' || n, 'tenant', 'callback', 1, 'd', false from generate_series(1, {ROWS}) as n;
    insert into keepfact.children (run, tenant, spawn, child)
    select 'running-' || n, 'tenant', 's', 'queued-' || n from generate_series(1, {ROWS}) as n;
    insert into keepfact.payloads (tenant, digest, content)
    select 'tenant', 'crowd-' || n, 'large' from generate_series(1, {ROWS}) as n;
    insert into keepfact.answers (tenant, command_id, command_digest, answer)
    select 'tenant', 'crowd-' || n, 'd', '{{}}' from generate_series(1, {ROWS}) as n;
"""

ONES_OWN = f"""
    insert into keepfact.events (
        run, tenant, number, type, entry_point, principal, payload, payload_digest, digest
    )
    select %(run)s, 'tenant', last.number + n, 'published', 'work', 'crowd', '{{}}', 'd', 'd'
    from generate_series(1, {ROWS_OF_A_RUN}) as n,
        (select coalesce(max(e.number), 0) from keepfact.events e where e.run = %(run)s) as last (number);
    insert into keepfact.publications (run, tenant, version, fence, body, qualified)
    select %(run)s, 'tenant', 10 + n, 1, 'b', true from generate_series(1, {ROWS_OF_A_RUN}) as n;
    insert into keepfact.calls (run, tenant, call, kind, digest, ceiling_cents, fence, state, cost_cents)
    select %(run)s, 'tenant', %(run)s || ':crowd-' || n, 'operation', 'd', 1, 1, 'confirmed', 0
    from generate_series(1, {ROWS_OF_A_RUN}) as n;
    insert into keepfact.materials (
        run, tenant, material, source, digest, fence, fresh_until, derived_from, judgement
    )
    select %(run)s, 'tenant', 'crowd-' || n, 's', 'd', 1, now(), '{{}}', false
    from generate_series(1, {ROWS_OF_A_RUN}) as n;
    insert into keepfact.markers (run, tenant, marker, branch)
    select %(run)s, 'tenant', 'crowd-' || n, 'old' from generate_series(1, {ROWS_OF_A_RUN}) as n;
"""
"""Nothing of it is unresolved and nothing cost anything, so the sums in the run's row stay what they are."""


def fill(admin: psycopg.Connection) -> None:
    """Other runs, so many in each state, with what belongs to them."""
    admin.execute(OTHERS.encode())


def leave_uncounted(admin: psycopg.Connection) -> None:
    """Nobody counts the rows behind our back, after which everything would be planned anew."""
    for (table,) in admin.execute("select tablename from pg_tables where schemaname = 'keepfact'").fetchall():
        admin.execute(
            sql.SQL("alter table {} set (autovacuum_enabled = off)").format(sql.Identifier("keepfact", table))
        )


def lengthen(admin: psycopg.Connection, run: str) -> None:
    """Gives the run, if it is stored, so many more events, publications, calls, findings and branches."""
    if admin.execute("select from keepfact.runs where run = %s", [run]).fetchone() is not None:
        with admin.transaction():
            admin.execute("set local session_replication_role = replica")  # a thousand sums of nothing need no trigger
            for statement in ONES_OWN.split(";\n"):
                admin.execute(statement.encode(), {"run": run})
