"""Restate by hand, without keepfact: each rule that its cell fails, reproduced.

python -m venv v && v/bin/pip install -r fault_injection/field/cells/restate/requirements.txt
npm install --prefix n @restatedev/restate-server@1.7.12
SERVER=n/node_modules/.bin/restate-server v/bin/python examples/field/restate_by_hand.py
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
import uuid
from pathlib import Path

import httpx
import hypercorn.asyncio
import hypercorn.config
import restate
from front import stand_in_front
from outside import ask
from processes import free_port, listens, until
from scenarios import frozen, killed

SHORT = """LISTEN_MODE=tcp BIND_IP=127.0.0.1 ADVERTISED_HOST=127.0.0.1 DEFAULT_RETRY_POLICY__MAX_INTERVAL=2s
WORKER__INVOKER__INACTIVITY_TIMEOUT=2s WORKER__INVOKER__ABORT_TIMEOUT=1s
WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL=1s WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT=1s"""
probe = restate.Workflow("probe")


@probe.main()
async def run(context: restate.WorkflowContext) -> None:
    async def step(what, cents):
        key = str(context.uuid())
        context.set(what, await context.run_typed(what, lambda: ask(what, {"amount_cents": cents}, key)))

    await step("plan", 0)
    await step("pay", 1)
    context.set("shown", 10)
    await context.promise("approval").value()
    await step("transfer", 10)
    await step("words", 0)


@probe.handler()
async def approve(context: restate.WorkflowSharedContext) -> None:
    await context.promise("approval").resolve(True)


def worker():
    """Serves on a port of its own, and has the address in front of all workers lead there from now on."""
    config, port = hypercorn.config.Config(), free_port()
    config.bind = [f"127.0.0.1:{port}"]

    def register():
        until(lambda: listens(port))
        Path(os.environ["PLACE"]).write_text(str(port))
        httpx.post(f"{os.environ['ADMIN']}/deployments", json={"uri": os.environ["FRONT"]}, timeout=30)

    threading.Thread(target=register, daemon=True).start()
    asyncio.run(hypercorn.asyncio.serve(restate.app([probe]), config, shutdown_trigger=asyncio.Event().wait))


class Run:
    def __init__(self):
        self.id, self.admin = str(uuid.uuid4()), httpx.Client(base_url=os.environ["ADMIN"], timeout=30)
        self.ingress = httpx.Client(base_url=os.environ["INGRESS"], timeout=30)

    def query(self, what):
        return self.admin.post("/query", json={"query": what}, headers={"Accept": "application/json"}).json()["rows"]

    def submit(self):
        until(lambda: self.ingress.post(f"/probe/{self.id}/run/send").is_success)

    def shown(self):
        where = f"where target_service_key = '{self.id}' and target_handler_name = 'run'"
        return self.query(f"select id, status from sys_invocation {where}")[0]

    def state(self):
        return {row["key"] for row in self.query(f"select key from state where service_key = '{self.id}'")}

    def waits(self):
        return "shown" in self.state() and self.shown()["status"] == "suspended"

    def is_over(self):
        return self.shown()["status"] == "completed"

    def approve(self):
        self.ingress.post(f"/probe/{self.id}/approve").raise_for_status()

    def says(self):
        shown, kept = self.shown(), ", ".join(sorted(self.state() - {"shown"}))
        events = self.query(f"select event_type from sys_journal_events where id = '{shown['id']}'")
        return f"{shown['status']}; results of {kept}; failed attempts in its journal: {len(events)}"


if __name__ == "__main__":
    if sys.argv[1:2] == ["worker"]:
        worker()
    front, ingress, admin, node = (free_port() for _ in range(4))
    settings = {
        **dict(one.split("=") for one in SHORT.split()),
        "BIND_PORT": node,
        "INGRESS__BIND_PORT": ingress,
        "ADMIN__BIND_PORT": admin,
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, port in {"FRONT": front, "INGRESS": ingress, "ADMIN": admin}.items():
            os.environ[name] = f"http://127.0.0.1:{port}"
        os.environ |= {"PLACE": f"{folder}/place"} | {f"RESTATE_{name}": str(value) for name, value in settings.items()}
        server = subprocess.Popen([os.environ["SERVER"], "--no-logo", "--base-dir", folder], stdout=subprocess.DEVNULL)
        stand_in_front(front)
        try:
            until(lambda: listens(front, ingress, admin))
            killed(Run())
            frozen(Run(), "plan")
            frozen(Run(), "pay")
        finally:
            server.kill()
