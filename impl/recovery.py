"""Bringing what was left behind to where it can go on or end: lost runs, due timers, operations nobody knows of.

Nothing is dispatched here, and what is done is decided by the store at each write, whatever a list said before.
"""

import argparse
import logging
import os
import signal
import sys
import threading
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import SetupError
from .outcomes import Lost, Outcome
from .outside import Outside
from .prepared import Value
from .reconcile import look_up
from .settings import RecoverySettings
from .store import ConnectionLostError, Identity, Store

log = logging.getLogger("keepfact.recovery")

ATTEMPTS_MAX = 5
RUNS_AT_ONCE = 100
PAUSE_SECONDS = 1.0


def settle(store: Store, run: str) -> Outcome:
    """Settle one run."""
    return _ask(store, "recover", run=run)


def sweep(store: Store) -> dict[str, Outcome]:
    """Settle every run that lost its worker and did not promise to go on. Under resume a worker takes it up again."""
    return {lost["run"]: settle(store, lost["run"]) for lost in store.lost_runs() if not _goes_on(lost)}


def deliver_due(store: Store) -> dict[tuple[str, str], Outcome]:
    """Tell each wait whose timer is due or whose child has ended; by run and wait what came of it."""
    return {
        (due["run"], due["wait"]): _ask(
            store,
            "deliver",
            run=due["run"],
            wait=due["wait"],
            kind=due["kind"],
            number=1,
            digest=due["child"] or "due",
        )
        for due in store.due_deliveries()
    }


def look_up_all(store: Store, outside: Outside) -> dict[str, Outcome]:
    """Ask the tools about every operation that nobody knows the end or the cost of; by operation what came of it."""
    return {
        call: outcome
        for run in _unresolved_runs(store)
        for call, outcome in look_up(store, outside, run).items()
    }  # fmt: skip


@dataclass
class Recovery:
    """The three, over and over. `doors` are those that the store can be asked at; without `outside` no tool is."""

    store: Store
    doors: frozenset[str]
    outside: Outside | None = None
    stopping: threading.Event = field(default_factory=threading.Event)

    def stop(self, *_: object) -> None:
        """End after the pass that is under way."""
        self.stopping.set()

    def once(self) -> int:
        """One pass; how many commands were answered. Raises ConnectionLostError."""
        outcomes: list[Outcome] = []
        if "recover" in self.doors:
            outcomes += sweep(self.store).values()
        if "deliver" in self.doors:
            outcomes += deliver_due(self.store).values()
        if self.outside is not None and {"reconcile", "observe"} <= self.doors:
            outcomes += look_up_all(self.store, self.outside).values()
        return len(outcomes)

    def run(self) -> None:
        """Pass after pass, until told to stop; a store that cannot be reached is tried again."""
        while not self.stopping.is_set():
            try:
                if count := self.once():
                    log.info("%d answered", count)
            except ConnectionLostError as error:
                log.warning("the store cannot be reached: %s", error.__cause__)
            self.stopping.wait(PAUSE_SECONDS)


def _goes_on(lost: Mapping[str, Any]) -> bool:
    """Its worker is lost, and under resume another will take it up."""
    return bool(lost["contract"] == "resume" and lost["state"] == "running")


def _unresolved_runs(store: Store) -> Iterator[str]:
    after = 0
    while page := store.unresolved_runs(after, RUNS_AT_ONCE):
        yield from (one["run"] for one in page)
        after = page[-1]["admitted"]


def _ask(store: Store, command: str, **fields: Value) -> Outcome:
    """While nobody knows whether it was done it is asked again under the same id, a few times."""
    command_id = str(uuid.uuid4())
    outcome: Outcome = Lost()
    for _ in range(ATTEMPTS_MAX):
        outcome = store.perform(command, command_id=command_id, **fields)
        if not isinstance(outcome, Lost):
            break
    return outcome


def main() -> None:
    """Recover until told to stop, or with --once in one pass; 2 when set up wrongly."""
    parser = argparse.ArgumentParser(prog="keepfact.impl.recovery", description="Settles, delivers and looks up.")
    parser.add_argument("--once", action="store_true", help="one pass, then end")
    arguments = parser.parse_args()
    logging.basicConfig(level=os.environ.get("KEEPFACT_LOG", "WARNING"), format="%(name)s: %(message)s")
    try:
        recovery = from_environment()
    except SetupError as error:
        log.error("%s", error)
        sys.exit(2)
    serve(recovery, is_once=arguments.once)


def serve(recovery: Recovery, *, is_once: bool) -> None:
    """One pass; or pass after pass, and at SIGTERM an end after the one that is under way."""
    if is_once:
        recovery.once()
        return
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, recovery.stop)
    recovery.run()


def from_environment() -> Recovery:
    """The recovery that the environment asks for, logged in at every door that it gives. Raises SetupError."""
    settings = RecoverySettings.read(os.environ)
    store = Store(settings.dsns)
    store.check()
    if settings.tenant is not None:
        store = store.speaking_for(Identity(settings.tenant, settings.principal))
    outside = Outside("", settings.tool_url, settings.request_seconds) if settings.tool_url else None
    return Recovery(store, frozenset(settings.dsns), outside)


if __name__ == "__main__":
    main()
