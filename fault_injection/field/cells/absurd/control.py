"""Asks Absurd through its SDK, and reads its tables for what has been recorded."""

import psycopg
from absurd_sdk import Absurd
from absurdctl import BUNDLED_SCHEMA_SQL
from outside import DATABASE, recorded, serve

STATES = {"pending": "running", "sleeping": "running", "completed": "succeeded"}


class Control:
    def setup(self):
        self.database = psycopg.connect(DATABASE, autocommit=True)
        self.database.execute(BUNDLED_SCHEMA_SQL)
        self.app = Absurd(DATABASE, queue_name="field")
        self.app.create_queue()
        self.tasks = {}

    def submit(self, run):
        self.tasks[run] = self.app.spawn("probe", {"run": run}, queue="field", idempotency_key=run)["task_id"]

    def status(self, run):
        task = self.tasks[run]
        shown = self.app.fetch_task_result(task)
        steps = dict(
            self.database.execute("select checkpoint_name, state from absurd.c_field where task_id = %s", [task])
        )
        [failed] = self.database.execute(
            "select count(*) from absurd.r_field where task_id = %s and state = 'failed'", [task]
        ).fetchone()
        event = f"$awaitEvent:approval:{run}"
        waits = shown.state == "sleeping" and "shown" in steps and event not in steps
        return {
            "state": "waiting" if waits else STATES.get(shown.state, shown.state),
            "native": shown.state,
            "recorded_cents": recorded(*steps.values()),
            # A run of the task that failed stays in its tables, with the reason; it counts as an attempt of the step.
            "model_attempts": ("plan" in steps) + ("words" in steps) + failed,
            "result": shown.result,
            "error": str(shown.failure or ""),
        }

    def approve(self, run):
        self.app.emit_event(f"approval:{run}", True)

    def cancel(self, run):
        self.app.cancel_task(self.tasks[run])


control = Control()
serve(
    setup=control.setup,
    submit=control.submit,
    status=control.status,
    approve=control.approve,
    cancel=control.cancel,
    takedown=dict,
)
