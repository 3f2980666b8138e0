"""Driving one run through the store, with ids that are used once."""

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import psycopg

from keepfact.impl.commands import COMMANDS
from keepfact.impl.outcomes import Done, Outcome
from keepfact.impl.prepared import Value
from keepfact.impl.store import Store

PATIENCE_SECONDS = 60
NUMBERS = itertools.count(1)


def fresh(word: str) -> str:
    """An id that no test of this process used before."""
    return f"{word}-{next(NUMBERS)}"


def wait_until(fact: Callable[[], bool]) -> None:
    """Wait for a fact, and fail if it does not come about."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not fact():
        assert time.monotonic() < deadline, "the fact did not come about"
        time.sleep(0.005)


@dataclass
class Driver:
    """A run of its own; `fence` is what its worker believes."""

    store: Store
    admin: psycopg.Connection
    run: str = field(default_factory=lambda: fresh("run"))
    fence: int = 0

    def do(self, command: str, **fields: Value) -> Outcome:
        """One command about the run; what is not said is filled in."""
        types = COMMANDS[command].types
        if "run" in types:
            fields.setdefault("run", self.run)
        if "fence" in types:
            fields.setdefault("fence", self.fence)
        if command == "intend":
            fields = {"kind": "attempt", "digest": "d", "ceiling_cents": 10, **fields}
        for name in ("call", "supersedes", "compensates"):
            if isinstance(name_of := fields.get(name), str):
                fields[name] = self.id_of(name_of)
        fields.setdefault("command_id", fresh("command"))
        return self.store.perform(command, **fields)

    def submitted(self, budget_cents: int = 100, contract: str = "settle") -> "Driver":
        assert self.do("submit", contract=contract, budget_cents=budget_cents) == Done()
        return self

    def claimed(self, budget_cents: int = 100, contract: str = "settle") -> "Driver":
        """The run, admitted and granted."""
        granted = self.submitted(budget_cents, contract).do("claim", worker="w")
        assert isinstance(granted, Done)
        assert granted.grant is not None
        self.fence = granted.grant.fence
        return self

    def with_call(self, call: str = "a", **fields: Value) -> "Driver":
        assert self.do("intend", call=call, **fields) == Done()
        return self

    def lapsed(self) -> "Driver":
        """The same run after its lease ran out on the store's clock."""
        self.admin.execute("update keepfact.settings set frozen_at = frozen_at + make_interval(secs => lease_seconds)")
        return self

    @property
    def view(self) -> dict[str, Any]:
        return self.store.observe([self.run], payloads=True)[0]

    @property
    def events(self) -> list[str]:
        return [event["type"] for event in self.view["history"]]

    def call(self, call: str = "a") -> dict[str, Any]:
        found: dict[str, Any] = next(shown for shown in self.view["calls"] if shown["call"] == self.id_of(call))
        return found

    def id_of(self, call: str) -> str:
        """The id of a call of this run: a tenant's calls have ids of their own."""
        return f"{self.run}:{call}" if call else call
