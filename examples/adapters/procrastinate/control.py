"""Defers the jobs, and keeps what a queue does not: which job a run is at, and what came of it."""

import psycopg
from outside import DATABASE, recorded, serve
from procrastinate import App, SyncPsycopgConnector

app = App(connector=SyncPsycopgConnector(conninfo=DATABASE))
app.open()
database = psycopg.connect(DATABASE, autocommit=True)
STATES = {"todo": "running", "doing": "running", "succeeded": "succeeded"}


def setup():
    app.schema_manager.apply_schema()
    database.execute("create table runs (id text primary key, kept jsonb not null default '{}', job bigint)")


def submit(run):
    database.execute("insert into runs (id) values (%s)", [run])
    defer("begin", run)


def approve(run):
    defer("finish", run)


def defer(task, run):
    job = app.configure_task(task, queue="field").defer(run=run)
    database.execute("update runs set job = %s where id = %s", [job, run])


def status(run):
    found = database.execute(
        "select j.status::text, j.task_name, r.kept from runs r join procrastinate_jobs j on j.id = r.job "
        "where r.id = %s",
        [run],
    ).fetchone()
    if found is None:
        return {"state": "absent"}
    state, task, kept = found
    return {
        "state": "waiting" if (state, task) == ("succeeded", "begin") else STATES.get(state, "failed"),
        "native": f"{task} {state}",
        "recorded_cents": recorded(*kept.values()),
        "model_attempts": ("plan" in kept) + ("words" in kept),
        "shown": kept.get("shown"),
        "result": kept.get("result"),
    }


serve(setup=setup, submit=submit, status=status, approve=approve, takedown=dict)
