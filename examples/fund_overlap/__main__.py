"""Plays the whole story on a PostgreSQL of its own, with real processes and a real SIGKILL."""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from keepfact.impl.installation import Installation
from keepfact.impl.outcomes import Done, Outcome, Refused
from keepfact.impl.prepared import Value
from keepfact.impl.recovery import Recovery
from keepfact.impl.server import postgres_server
from keepfact.impl.store import Store

from .outside import Outside

FIRST, SECOND = "compare-1", "compare-2"
FUNDS = ("fund-a", "fund-b")
INPUT = '{"funds": ["fund-a", "fund-b"]}'
ANALYST = "analyst"
PATIENCE_SECONDS = 60
LEASE_SECONDS = 2
ENDS = {"unknown", "succeeded", "failed", "cancelled", "interrupted"}

console = Console(highlight=False, soft_wrap=True)


@dataclass
class Stage:
    """The store, the world outside it, and whatever else the story needs."""

    store: Store
    outside: Outside
    installation: Installation

    def do(self, command: str, **fields: Value) -> Outcome:
        """One command; the story goes as planned, so that anything but Done is a mistake of ours."""
        outcome = self.store.perform(command, command_id=str(uuid.uuid4()), **fields)
        if not isinstance(outcome, Done):
            raise RuntimeError(f"expected {command} to be done, but it came to {outcome}")
        return outcome

    def run(self, run: str) -> dict[str, Any]:
        return self.store.observe([run], payloads=True)[0]

    def wait_for(self, what: str, fact: Callable[[], bool]) -> None:
        """Wait for a fact, with an end."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not fact():
            if time.monotonic() > deadline:
                raise RuntimeError(f"expected {what} within {PATIENCE_SECONDS} seconds")
            time.sleep(0.02)

    def wait_until(self, run: str, state: str) -> None:
        """Wait for a run to come into a state; if it ends otherwise, say how."""

        def stands_there() -> bool:
            shown = self.run(run)
            if shown["state"] != state and shown["state"] in ENDS:
                raise RuntimeError(f"expected {run} to be {state}, but it is {shown['state']}: {shown['error']}")
            return bool(shown["state"] == state)

        self.wait_for(f"{run} to be {state}", stands_there)

    @contextmanager
    def worker(self, name: str) -> Iterator[subprocess.Popen[bytes]]:
        """A worker process that works on whatever there is."""
        environment = {
            **os.environ,
            **{f"KEEPFACT_{door.upper()}_DSN": dsn for door, dsn in self.installation.dsns.items()},
            "KEEPFACT_MODEL_URL": self.outside.url,
            "KEEPFACT_TOOL_URL": self.outside.url,
            "KEEPFACT_RELEASE": "fund_overlap.program:RELEASE",
            "KEEPFACT_LOG": "ERROR",
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]),
        }
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "keepfact.impl.worker", "--all", "--worker", name], env=environment
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)


def main() -> None:
    """Tell the story; every line is read from the store or counted outside."""
    with postgres_server() as server, Installation.create(server.dsn) as installation:
        with installation.admin_connection() as admin:
            admin.execute("update keepfact.settings set lease_seconds = %s", [LEASE_SECONDS])
        outside = Outside()
        stage = Stage(Store(installation.dsns), outside, installation)
        try:
            _first_run_dies(stage)
            _what_is_known_of_it(stage)
            _second_run_goes_on(stage)
            _what_came_of_it(stage)
        finally:
            outside.close()
            stage.store.close()


def _first_run_dies(stage: Stage) -> None:
    _title("A first run, whose worker dies")
    for fund in FUNDS:
        stage.do("grant", source=fund, user_=ANALYST)
    stage.do("submit", run=FIRST, contract="settle", budget_cents=100, input=INPUT)
    stage.outside.silent.set()
    with stage.worker("worker-1") as worker:
        stage.wait_for("the model to be asked", stage.outside.model_was_asked.is_set)
        worker.send_signal(signal.SIGKILL)
    _tell("The model has done its work and been paid; its answer is on the way when the worker gets SIGKILL.")
    stage.outside.silent.clear()
    stage.outside.released.set()
    recovery = Recovery(stage.store, frozenset({"recover", "deliver"}))

    def is_settled() -> bool:
        recovery.once()
        return bool(stage.run(FIRST)["state"] == "unknown")

    stage.wait_for("the lease to lapse and the run to be settled", is_settled)


def _what_is_known_of_it(stage: Stage) -> None:
    run = stage.run(FIRST)
    _tell(f"Settled: it is [bold]{run['state']}[/], to end as {run['sealed_for']} once the last call is resolved.")
    _tell(f"Its cost lies in {_interval(run)}: {run['unresolved']} call is unresolved, and unknown is not zero.")
    _tell(f"Delivered, marked partial: {_delivered(run)}")
    stage.do("reconcile", run=FIRST, call=f"{FIRST}:attempt:1", evidence="confirmed", cost_cents=12)
    run = stage.run(FIRST)
    _tell(f"The provider's bill says 12 cents. Now it has ended: {run['state']}, and cost {_interval(run)}.")


def _second_run_goes_on(stage: Stage) -> None:
    _title("A second run, that continues the first")
    stage.wait_for("the figures of fund-b to be out of date", lambda: _is_stale(stage, "holdings:fund-b"))
    stage.do(
        "continue", run=SECOND, source=FIRST, user_=ANALYST, contract="settle", budget_cents=100, input=INPUT
    )  # fmt: skip
    for handed in stage.run(SECOND)["inherited"]:
        _tell(f"Handed over: {handed['material']}, {handed['label']}")
    with stage.worker("worker-2"):
        stage.wait_until(SECOND, "waiting_approval")
        wait = stage.run(SECOND)["waits"][0]
        shown = wait["shown"]
        _tell(f"Waiting, without worker and lease, for a person to approve {shown['call']}: {shown['risk']}.")
        wrong = stage.store.perform(
            "decide", command_id="d-1", run=SECOND, wait=wait["wait"], approved=True, digest="another report"
        )
        assert isinstance(wrong, Refused)  # what was shown is what is approved
        _tell(f"An approval of something that was not shown is refused: {wrong.reason}.")
        stage.do("decide", run=SECOND, wait=wait["wait"], approved=True, digest=shown["digest"])
        stage.wait_until(SECOND, "succeeded")
    _tell(f"Approved, sent, [bold]succeeded[/]: {_delivered(stage.run(SECOND))}")


def _what_came_of_it(stage: Stage) -> None:
    first, second, outside = stage.run(FIRST), stage.run(SECOND), stage.outside
    _title("Kept")
    _tell(
        f"{FIRST}: {len(first['history'])} events, {len(first['materials'])} findings, its body; nothing was changed."
    )
    _title("Reused")
    for handed in second["inherited"]:
        if handed["reads"]:
            _tell(f"{handed['material']} of {handed['run']}, read {handed['reads']} time")
    _title("Not repeated")
    _tell(f"fund-a was read {outside.times('read_holdings fund-a')} time by both runs together")
    _tell(f"the report was sent {outside.times('send_report')} time")
    _title("Done again, and why")
    _tell(f"fund-b was read {outside.times('read_holdings fund-b')} times: its figures had become stale")
    _tell(
        f"the model was asked {outside.times('model')} times: the first answer was lost, and is paid for all the same"
    )


def _is_stale(stage: Stage, material: str) -> bool:
    return any(one["material"] == material and one["fresh_seconds"] == 0 for one in stage.run(FIRST)["materials"])


def _delivered(run: dict[str, Any]) -> str:
    version = run["delivered"]["version"]
    body = next(one["body"] for one in run["publications"] if one["version"] == version)
    return f"[italic]{body}[/]"


def _interval(run: dict[str, Any]) -> str:
    return f"{run['known_cents']} to {run['known_cents'] + run['held_cents']} cents"


def _title(text: str) -> None:
    console.print(f"\n[bold]{text}[/]")


def _tell(text: str) -> None:
    console.print(f"  {text}")


if __name__ == "__main__":
    main()
