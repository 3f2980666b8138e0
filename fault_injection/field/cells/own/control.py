"""Installs the implementation on the server, and asks it."""

import os
import uuid

from outside import serve

from keepfact.impl.installation import TENANT, Installation
from keepfact.impl.outcomes import Done
from keepfact.impl.settings import dsn_name
from keepfact.impl.store import Identity, Store

LEASE_SECONDS = 2
BUDGET_CENTS = 200
STATES = {
    "queued": "running",
    "running": "running",
    "cancelling": "running",
    "waiting_approval": "waiting",
    "waiting_external": "running",
    "interrupted": "failed",
}


class Control:
    def setup(self):
        """The doors that a worker may ask at are handed to it in its environment."""
        self.installation = Installation.create(os.environ["KEEPFACT_FIELD_ADMIN"])
        with self.installation.admin_connection() as admin:
            admin.execute("update keepfact.settings set lease_seconds = %s", [LEASE_SECONDS])
            self.installation.trust_logins(admin)
        self.store = Store(self.installation.dsns).speaking_for(Identity(TENANT, "analyst"))
        return {"environment": {dsn_name(door): dsn for door, dsn in self.installation.dsns.items()}}

    def submit(self, run):
        return self.ask("submit", run=run, contract="resume", budget_cents=BUDGET_CENTS)

    def approve(self, run):
        [wait] = self.waits(self.run(run))
        return self.ask("decide", run=run, wait=wait["wait"], approved=True, digest=wait["shown"]["digest"])

    def cancel(self, run):
        return self.ask("cancel", run=run)

    def status(self, run):
        shown = self.run(run)
        if shown is None:
            return {"state": "absent"}
        waits = self.waits(shown)
        state = STATES.get(shown["state"], shown["state"])
        return {
            # Approved, and not taken up yet: nobody is asked for anything.
            "state": "running" if state == "waiting" and not waits else state,
            "native": shown["state"],
            "recorded_cents": shown["known_cents"],
            "held_cents": shown["held_cents"],
            "unresolved": shown["unresolved"],
            "model_attempts": sum(call["kind"] == "attempt" for call in shown["calls"]),
            "shown": waits[0]["wait"] if waits else None,
            "result": shown["publications"],
            "error": shown["error"] or "",
        }

    def takedown(self):
        self.store.close()
        self.installation.close()

    def run(self, run):
        return next(iter(self.store.observe([run], payloads=True)), None)

    def waits(self, shown):
        return [wait for wait in shown["waits"] if wait["state"] == "waiting"]

    def ask(self, command, **fields):
        outcome = self.store.perform(command, command_id=str(uuid.uuid4()), **fields)
        return {} if isinstance(outcome, Done) else {"error": str(outcome)}


control = Control()
serve(
    setup=control.setup,
    submit=control.submit,
    status=control.status,
    approve=control.approve,
    cancel=control.cancel,
    takedown=control.takedown,
)
