"""Temporal by hand, without keepfact: each rule that its cells fail, reproduced.

python -m venv v && v/bin/pip install -r fault_injection/field/cells/temporal/requirements.txt
v/bin/python examples/field/temporal_by_hand.py      # starts a development server of its own
"""

import asyncio
import json
import os
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.worker import Worker

with workflow.unsafe.imports_passed_through():
    from outside import ask
    from processes import free_port, listens, until
    from scenarios import frozen, killed, upgraded

CENTS = int(sys.argv[2]) if sys.argv[1:2] == ["worker"] else 0  # what this release would send


@activity.defn
def request(what: str, amount_cents: int) -> dict:
    info = activity.info()
    return ask(what, {"amount_cents": amount_cents}, f"{info.workflow_run_id}:{info.activity_id}")


@workflow.defn(name="probe")
class Probe:
    approved = False

    @workflow.signal
    def approve(self):
        self.approved = True

    @workflow.run
    async def run(self, keeps: bool) -> None:
        await self.do("plan", 0)
        await self.do("pay", 1)
        shown = await workflow.execute_activity(amount, start_to_close_timeout=timedelta(seconds=3)) if keeps else CENTS
        workflow.upsert_memo({"shown": shown})
        await workflow.wait_condition(lambda: self.approved)
        await self.do("transfer", shown)
        await self.do("words", 0)

    async def do(self, what, cents):
        await workflow.execute_activity(request, args=[what, cents], start_to_close_timeout=timedelta(seconds=3))


@activity.defn
def amount() -> int:
    return CENTS


async def worker():
    client = await Client.connect(os.environ["TEMPORAL"])
    at_work = {"workflows": [Probe], "activities": [request, amount], "activity_executor": ThreadPoolExecutor(4)}
    sticky = timedelta(seconds=1)
    await Worker(client, task_queue="hand", **at_work, sticky_queue_schedule_to_start_timeout=sticky).run()


class Run:
    loop = asyncio.new_event_loop()

    def __init__(self, keeps=False):
        self.id, self.keeps = str(uuid.uuid4()), keeps
        self.client = self.loop.run_until_complete(Client.connect(os.environ["TEMPORAL"]))
        self.handle = self.client.get_workflow_handle(self.id)

    def submit(self):
        how = {"id": self.id, "task_queue": "hand", "task_timeout": timedelta(seconds=2)}
        self.loop.run_until_complete(self.client.start_workflow("probe", self.keeps, **how))

    def shown(self):
        return self.loop.run_until_complete(self.handle.describe())

    def waits(self):
        return "shown" in self.loop.run_until_complete(self.shown().memo())

    def is_over(self):
        return self.shown().status.name != "RUNNING"

    def approve(self):
        self.loop.run_until_complete(self.handle.signal("approve"))

    def says(self):
        cents, attempts = 0, 0
        for event in self.loop.run_until_complete(self.handle.fetch_history()).events:
            attempts += event.activity_task_started_event_attributes.attempt
            for payload in event.activity_task_completed_event_attributes.result.payloads:
                result = json.loads(payload.data)
                cents += result["cost_cents"] if isinstance(result, dict) else 0
        return f"{self.shown().status.name}, {cents} cents in results, {attempts} attempts of activities in the history"


if __name__ == "__main__":
    if sys.argv[1:2] == ["worker"]:
        asyncio.run(worker())
    port = free_port()
    command = [str(Path(sys.executable).with_name("temporal")), "server", "start-dev", "--headless", "--ip=127.0.0.1"]
    server = subprocess.Popen(
        [*command, "--ip=127.0.0.1", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.environ["TEMPORAL"] = f"127.0.0.1:{port}"
    until(lambda: listens(port))
    try:
        killed(Run())
        upgraded(Run(), "nothing keeps the amount that was shown")
        upgraded(Run(keeps=True), "the amount is taken from an activity, as it was shown")
        frozen(Run(), "plan")
        frozen(Run(), "pay")
    finally:
        server.kill()
