"""Asks the job table, and the graph for its last checkpoint."""

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from outside import DATABASE, recorded, serve
from probe import STEPS, compiled

TABLE = """
create table jobs (
  id text primary key, state text not null default 'queued', approved boolean not null default false,
  error text not null default '', locked_by text, locked_until timestamptz not null default '-infinity'
)
"""


class Control:
    def __init__(self, saver):
        self.saver, self.graph = saver, compiled(saver)
        self.database = psycopg.connect(DATABASE, autocommit=True)

    def setup(self):
        self.saver.setup()
        self.database.execute(TABLE)

    def submit(self, run):
        self.database.execute("insert into jobs (id) values (%s)", [run])

    def status(self, run):
        found = self.database.execute("select state, error from jobs where id = %s", [run]).fetchone()
        if found is None:
            return {"state": "absent"}
        [state, error], seen = found, self.graph.get_state({"configurable": {"thread_id": run}})
        return {
            "state": "running" if state == "queued" else state,
            "native": f"{state}, next {', '.join(seen.next) or 'nothing'}",
            "recorded_cents": recorded(*(seen.values.get(step) for step in STEPS)),
            "model_attempts": ("plan" in seen.values) + ("words" in seen.values),
            "result": seen.values,
            "error": error,
        }

    def approve(self, run):
        change = "update jobs set state = 'queued', approved = true where id = %s and state = 'waiting'"
        return {} if self.database.execute(change, [run]).rowcount else {"error": "it does not wait"}


with PostgresSaver.from_conn_string(DATABASE) as saver:
    control = Control(saver)
    serve(setup=control.setup, submit=control.submit, status=control.status, approve=control.approve, takedown=dict)
