"""Asks the queue: one row a run."""

import json

import psycopg
from outside import DATABASE, recorded, serve

TABLE = """
create table jobs (
  id text primary key, state text not null default 'queued', progress jsonb not null default '{}',
  locked_until timestamptz not null default '-infinity'
)
"""
STEPS = ("plan", "paid", "moved", "words")


def main():
    with psycopg.connect(DATABASE, autocommit=True) as database:
        serve(
            setup=lambda: database.execute(TABLE) and {},
            submit=lambda run: database.execute("insert into jobs (id) values (%s)", [run]) and {},
            status=lambda run: status(database, run),
            approve=lambda run: approve(database, run),
            cancel=lambda run: database.execute("update jobs set state = 'cancelled' where id = %s", [run]) and {},
            takedown=dict,
        )


def status(database, run):
    found = database.execute("select state, progress from jobs where id = %s", [run]).fetchone()
    if found is None:
        return {"state": "absent"}
    state, progress = found
    steps = [progress.get(name) for name in STEPS]
    return {
        "state": "running" if state == "queued" else state,
        "native": state,
        "recorded_cents": recorded(*steps),
        "model_attempts": sum(name in progress for name in ("plan", "words")),
        "shown": progress.get("shown"),
        "result": progress.get("cost_cents"),
        "error": progress.get("error", ""),
    }


def approve(database, run):
    changed = database.execute("update jobs set state = 'queued' where id = %s and state = 'waiting'", [run])
    return {} if changed.rowcount else {"error": f"{json.dumps(run)} does not wait"}


main()
