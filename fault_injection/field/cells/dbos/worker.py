"""The probe as a DBOS workflow. Release 2 is the same workflow with another argument in its source."""

import os
import threading

from dbos import DBOS
from outside import DATABASE, RELEASE, ask_model, ready, recorded, use_tool

VERSION = os.environ.get("FIELD_DBOS_VERSION")
ATTEMPTS = int(os.environ.get("FIELD_DBOS_ATTEMPTS", "1"))
RETRYING = {"retries_allowed": ATTEMPTS > 1, "max_attempts": ATTEMPTS, "interval_seconds": 0.2}
APPROVAL_SECONDS = 600

config = {
    "name": "field",
    "system_database_url": DATABASE,
    "notification_listener_polling_interval_sec": 0.1,
    "log_level": "WARNING",
    **({"application_version": VERSION} if VERSION else {}),
}
DBOS(config=config)


@DBOS.step(**RETRYING)
def ask(answered):
    return ask_model(answered)


@DBOS.step(**RETRYING)
def use(tool, arguments):
    return use_tool(tool, arguments, key=f"{DBOS.workflow_id}:{DBOS.step_id}")


if RELEASE == 1:

    @DBOS.workflow(name="probe")
    def probe():
        plan = ask(0)
        paid = use("pay", plan["arguments"])
        transfer = {"to": "supplier", "amount_cents": 10}
        DBOS.set_event("shown", transfer)
        if not DBOS.recv("approval", timeout_seconds=APPROVAL_SECONDS):
            return None
        moved = use("transfer", transfer)
        words = ask(2)
        return recorded(plan, paid, moved, words)

else:

    @DBOS.workflow(name="probe")
    def probe():
        plan = ask(0)
        paid = use("pay", plan["arguments"])
        transfer = {"to": "supplier", "amount_cents": 1000}
        DBOS.set_event("shown", transfer)
        if not DBOS.recv("approval", timeout_seconds=APPROVAL_SECONDS):
            return None
        moved = use("transfer", transfer)
        words = ask(2)
        return recorded(plan, paid, moved, words)


DBOS.launch()
DBOS.register_queue("field", polling_interval_sec=0.1)
ready()
threading.Event().wait()
