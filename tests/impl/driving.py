"""Driving one run through the store, with ids that are used once."""

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg

from keepfact.impl.commands import COMMANDS
from keepfact.impl.outcomes import Done, Outcome
from keepfact.impl.prepared import Value
from keepfact.impl.store import Identity, Store

PATIENCE_SECONDS = 60
NUMBERS = itertools.count(1)
MOVE = "update keepfact.settings set frozen_at = frozen_at + make_interval(secs => %s)"


def fresh(word: str) -> str:
    """An id that no test of this process used before."""
    return f"{word}-{next(NUMBERS)}"


def wait_until(fact: Callable[[], bool]) -> None:
    """Wait for a fact, and fail if it does not come about."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not fact():
        assert time.monotonic() < deadline, "the fact did not come about"
        time.sleep(0.005)


def identity_of(run: "Driver") -> Identity:
    """For whom the run's commands are asked."""
    identity = run.store._behalf
    assert identity is not None
    return identity


@contextmanager
def all_logins(admin: psycopg.Connection, tenant: str, acts_for_others: bool) -> Iterator[None]:
    """For a while every login is that tenant's."""
    before = admin.execute("select login, tenant, acts_for_others from keepfact.logins").fetchall()
    admin.execute("update keepfact.logins set tenant = %s, acts_for_others = %s", [tenant, acts_for_others])
    try:
        yield
    finally:
        restored = "update keepfact.logins set tenant = %s, acts_for_others = %s where login = %s"
        for login, *rest in before:
            admin.execute(restored, [*rest, login])


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
        return self.submitted(budget_cents, contract).granted("claim", worker="w")

    def granted(self, command: str, **fields: Value) -> "Driver":
        """The run, after a command that must grant it; its worker believes in the new fence."""
        outcome = self.do(command, **fields)
        assert isinstance(outcome, Done), outcome
        assert outcome.grant is not None
        self.fence = outcome.grant.fence
        return self

    def with_call(self, call: str = "a", **fields: Value) -> "Driver":
        assert self.do("intend", call=call, **fields) == Done()
        return self

    def lapsed(self) -> "Driver":
        """The same run after its lease ran out on the store's clock."""
        self.admin.execute("update keepfact.settings set frozen_at = frozen_at + make_interval(secs => lease_seconds)")
        return self

    def later(self, seconds: int) -> "Driver":
        """The same run, so much later on the store's clock."""
        self.admin.execute(MOVE, [seconds])
        return self

    def drifts(self, what: str) -> "Driver":
        """The same run after something changed that its tenant's approvals are bound to."""
        self.admin.execute("select keepfact.change_in_force(%s, %s)", [self.view["tenant"], what])
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
