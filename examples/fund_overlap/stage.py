"""What the story is played on: a door to ask at, a world outside, and workers as processes."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from keepfact.impl.installation import Installation
from keepfact.impl.prepared import Value
from keepfact.impl.settings import dsn_name
from keepfact.impl.store import Store

from .outside import Outside

Who = Literal["analyst", "desk", "provider", "keeper"]
"""The analyst wants a comparison, the desk decides what leaves the house, the model's provider knows what was paid, and
the keeper of the funds' data says who may read them.
"""

PATIENCE_SECONDS = 60
ENDS = {"unknown", "succeeded", "failed", "cancelled", "interrupted"}


class Door(Protocol):
    """Where people ask: at the store itself, or over HTTP."""

    def ask(self, who: Who, command: str, **fields: Value) -> str | None:
        """Ask for a command. None when it was done, else the reason why it was refused."""

    def run(self, run: str) -> dict[str, Any]:
        """A run as its store shows it."""

    def follow(self, run: str) -> Iterator[dict[str, Any]]:
        """The events of a run as they come, to its end."""


@dataclass
class Stage:
    """`store` is for whoever recovers what was lost; everybody else asks at the door, or is a worker process."""

    door: Door
    store: Store
    outside: Outside
    installation: Installation

    def do(self, who: Who, command: str, **fields: Value) -> None:
        """One command; the story goes as planned, so that a refusal is a mistake of ours."""
        if reason := self.door.ask(who, command, **fields):
            raise RuntimeError(f"expected {command} to be done, but it was refused: {reason}")

    def run(self, run: str) -> dict[str, Any]:
        return self.door.run(run)

    def wait_for(self, what: str, fact: Callable[[], bool]) -> None:
        """Wait for a fact, with an end."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not fact():
            if time.monotonic() > deadline:
                raise TimeoutError(f"expected {what} within {PATIENCE_SECONDS} seconds")
            time.sleep(0.02)

    def wait_until(self, run: str, state: str) -> None:
        """Wait for a run to come into a state; if it ends otherwise, say how."""

        def stands_there() -> bool:
            shown = self.run(run)
            if shown["state"] != state and shown["state"] in ENDS:
                raise RuntimeError(f"expected {run} to be {state}, but it is {shown['state']}: {shown['error']}")
            return bool(shown["state"] == state)

        try:
            self.wait_for(f"{run} to be {state}", stands_there)
        except TimeoutError as error:
            shown = self.run(run)
            events = [event["type"] for event in shown["history"]]
            raise TimeoutError(f"{error}, but it is {shown['state']} after {', '.join(events)}") from None

    def end_lease(self, run: str) -> None:
        """Instead of waiting until it lapses: leases can be long then, and a busy machine costs no worker its own."""
        with self.installation.admin_connection() as admin:
            admin.execute("update keepfact.runs set lease_until = keepfact.store_now() where run = %s", [run])

    @contextmanager
    def worker(self, name: str) -> Iterator["subprocess.Popen[bytes]"]:
        """A worker process that works on whatever there is."""
        environment = {
            "KEEPFACT_LOG": "ERROR",
            **os.environ,
            **{dsn_name(door): dsn for door, dsn in self.installation.dsns.items()},
            "KEEPFACT_MODEL_URL": self.outside.url,
            "KEEPFACT_TOOL_URL": self.outside.url,
            "KEEPFACT_RELEASE": "fund_overlap.program:RELEASE",
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
