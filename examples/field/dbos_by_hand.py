"""DBOS by hand, without keepfact: each rule that its cells fail, reproduced.

python -m venv v && v/bin/pip install -r fault_injection/field/cells/dbos/requirements.txt
DATABASE=postgresql://… v/bin/python examples/field/dbos_by_hand.py      # an empty database
"""

import os
import sys
import threading
import uuid

from dbos import DBOS, DBOSClient, run_dbos_database_migrations
from outside import ask
from scenarios import cut, frozen, killed, upgraded

DATABASE = os.environ["DATABASE"]
POLLING = {"notification_listener_polling_interval_sec": 0.1, "log_level": "CRITICAL"}


def worker(cents):
    """`cents` is what this release would send; its version is pinned, so it takes up runs of the one before."""
    DBOS(config={"name": "hand", "system_database_url": DATABASE, "application_version": "1", **POLLING})

    @DBOS.step()
    def plan():
        return ask("plan")

    @DBOS.step()
    def use(tool, amount_cents):
        return ask(tool, {"amount_cents": amount_cents}, f"{DBOS.workflow_id}:{DBOS.step_id}")

    @DBOS.step()
    def words():
        return ask("words")

    @DBOS.workflow(name="probe")
    def probe(keeps):
        plan()
        use("pay", 1)
        amount = DBOS.run_step({"name": "shown"}, lambda: cents) if keeps else cents
        DBOS.set_event("shown", amount)
        DBOS.recv("approval", timeout_seconds=600)
        use("transfer", amount)
        words()

    DBOS.launch()
    DBOS.register_queue("hand", polling_interval_sec=0.1)
    threading.Event().wait()


class Run:
    def __init__(self, keeps=False):
        self.client, self.id, self.keeps = DBOSClient(system_database_url=DATABASE), str(uuid.uuid4()), keeps

    def submit(self):
        self.client.enqueue({"queue_name": "hand", "workflow_name": "probe", "workflow_id": self.id}, self.keeps)

    def status(self):
        return self.client.list_workflows(workflow_ids=[self.id])[0]

    def waits(self):
        return "DBOS.setEvent" in [step["function_name"] for step in self.client.list_workflow_steps(self.id)]

    def approve(self):
        self.client.send(self.id, True, "approval")

    def is_over(self):
        return self.status().status in ("SUCCESS", "ERROR")

    def says(self):
        shown, steps = self.status(), self.client.list_workflow_steps(self.id)
        cents = sum(step["output"]["cost_cents"] for step in steps if isinstance(step["output"], dict))
        asked = sum(step["function_name"].endswith(("plan", "words")) for step in steps)
        return (
            f"{shown.status} {shown.error or ''}, {cents} cents in {len(steps)} steps, of which {asked} asked the "
            f"model; attempts of the workflow: {shown.recovery_attempts}"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["worker"]:
        worker(int(sys.argv[2]))
    run_dbos_database_migrations(DATABASE)
    killed(Run())
    cut(Run())
    upgraded(Run(), "nothing keeps the amount that was shown")
    upgraded(Run(keeps=True), "the amount is taken from a step, as it was shown")
    frozen(Run(), "plan")
