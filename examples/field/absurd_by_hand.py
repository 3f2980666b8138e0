"""Absurd by hand, without keepfact: each rule that its cell fails, reproduced.

python -m venv v && v/bin/pip install -r fault_injection/field/cells/absurd/requirements.txt
DATABASE=postgresql://… v/bin/python examples/field/absurd_by_hand.py      # an empty database
"""

import os
import sys
import uuid

import psycopg
from absurd_sdk import Absurd
from absurdctl import BUNDLED_SCHEMA_SQL
from outside import ask
from scenarios import frozen, killed, upgraded

DATABASE = os.environ["DATABASE"]
CLAIM_SECONDS = 2


def worker(cents):
    """`cents` is what this release would send."""
    app = Absurd(DATABASE, queue_name="hand")

    @app.register_task("probe")
    def probe(params, context):
        def use(tool, amount_cents):
            key = f"{context.task_id}:{tool}"
            return context.step(tool, lambda: ask(tool, {"amount_cents": amount_cents}, key))

        context.step("plan", lambda: ask("plan"))
        use("pay", 1)
        shown = context.step("shown", lambda: cents)
        context.await_event(f"approval:{params['run']}")
        use("transfer", shown if params["keeps"] else cents)
        context.step("words", lambda: ask("words"))

    app.start_worker(claim_timeout=CLAIM_SECONDS, poll_interval=0.1)


class Run:
    def __init__(self, keeps=False):
        self.app, self.database = Absurd(DATABASE, queue_name="hand"), psycopg.connect(DATABASE, autocommit=True)
        self.id, self.keeps = str(uuid.uuid4()), keeps

    def submit(self):
        self.task = self.app.spawn("probe", {"run": self.id, "keeps": self.keeps}, queue="hand")["task_id"]

    def state(self):
        return self.app.fetch_task_result(self.task).state

    def steps(self):
        rows = self.database.execute("select checkpoint_name, state from absurd.c_hand where task_id = %s", [self.task])
        return dict(rows.fetchall())

    def waits(self):
        return self.state() == "sleeping" and "shown" in self.steps()

    def approve(self):
        self.app.emit_event(f"approval:{self.id}", True)

    def is_over(self):
        return self.state() in ("completed", "failed", "cancelled")

    def says(self):
        cents = sum(state["cost_cents"] for state in self.steps().values() if isinstance(state, dict))
        runs = self.database.execute(
            "select state, failure_reason->>'name' from absurd.r_hand where task_id = %s order by attempt", [self.task]
        ).fetchall()
        return f"{self.state()}, {cents} cents recorded; runs of the task: {runs}"


if __name__ == "__main__":
    if sys.argv[1:2] == ["worker"]:
        worker(int(sys.argv[2]))
    with psycopg.connect(DATABASE, autocommit=True) as database:
        database.execute(BUNDLED_SCHEMA_SQL)
    Absurd(DATABASE, queue_name="hand").create_queue()
    killed(Run())
    upgraded(Run(), "nothing keeps the amount that was shown")
    upgraded(Run(keeps=True), "the amount is taken from a step, as it was shown")
    frozen(Run(), "plan")
