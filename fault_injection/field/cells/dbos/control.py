"""Asks DBOS through its client."""

import os

from dbos import DBOSClient, run_dbos_database_migrations
from outside import DATABASE, recorded, serve

STATES = {
    "ENQUEUED": "running",
    "DELAYED": "running",
    "PENDING": "running",
    "SUCCESS": "succeeded",
    "ERROR": "failed",
    "MAX_RECOVERY_ATTEMPTS_EXCEEDED": "failed",
    "CANCELLED": "cancelled",
}


class Control:
    def setup(self):
        run_dbos_database_migrations(DATABASE)
        self.client = DBOSClient(system_database_url=DATABASE)

    def submit(self, run):
        self.client.enqueue({"queue_name": "field", "workflow_name": "probe", "workflow_id": run})

    def status(self, run):
        found = self.client.list_workflows(workflow_ids=[run])
        if not found:
            return {"state": "absent"}
        [shown], steps = found, self.client.list_workflow_steps(run)
        names = [step["function_name"] for step in steps]
        waits = shown.status == "PENDING" and "DBOS.setEvent" in names and "DBOS.recv" not in names
        return {
            "state": "waiting" if waits else STATES[shown.status],
            "native": shown.status,
            "recorded_cents": recorded(*(step["output"] for step in steps)),
            # How often the workflow was begun again is kept, and not for what; it counts as an attempt of the step.
            "model_attempts": names.count("ask") + max((shown.recovery_attempts or 1) - 1, 0),
            "result": shown.output,
            "error": str(shown.error or ""),
        }

    def approve(self, run):
        self.client.send(run, True, "approval", idempotency_key=f"{run}:approval")

    def cancel(self, run):
        self.client.cancel_workflow(run)


control = Control()
serve(
    setup=control.setup,
    submit=control.submit,
    status=control.status,
    approve=control.approve,
    cancel=control.cancel,
    takedown=lambda: os._exit(0),
)
