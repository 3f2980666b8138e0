"""Bringing what was left behind to where it can go on or end: lost runs, due timers, operations nobody knows of.

Nothing is dispatched here, and what is done is decided by the store at each write, whatever a list said before.
"""

import argparse
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .bell import Bell
from .errors import SetupError
from .insisting import ask_a_few_times
from .outcomes import Done, Outcome
from .outside import Outside
from .patience import Patience
from .reconcile import look_up
from .seams import Seams
from .settings import RecoverySettings
from .store import ConnectionLostError, Identity, Store

log = logging.getLogger("keepfact.recovery")

Thing = TypeVar("Thing", bound=Hashable)
Outcomes = TypeVar("Outcomes")

RUNS_AT_ONCE = 100
PAUSE_SECONDS = 1.0


def settle(store: Store, run: str) -> Outcome:
    """Settle one run."""
    return ask_a_few_times(store, "recover", run=run)


def sweep(store: Store) -> dict[str, Outcome]:
    """Settle every run that lost its worker and did not promise to go on. Under resume a worker takes it up again."""
    return _of_each((lost["run"] for lost in store.lost_runs() if not _goes_on(lost)), lambda run: settle(store, run))


def deliver_due(store: Store) -> dict[tuple[str, str], Outcome]:
    """Tell each wait whose timer is due or whose child has ended; by run and wait what came of it."""
    due = {(one["run"], one["wait"]): one for one in store.due_deliveries()}
    return _of_each(due, lambda wait: _deliver(store, due[wait]))


def look_up_all(store: Store, outside: Outside, patience: Patience | None = None) -> dict[str, Outcome]:
    """Ask the tools about every operation that nobody knows the end or the cost of; by operation what came of it.

    A run that is at work is left to its worker. With `patience`, tools that do not know are asked less and less often.
    """
    patience = patience or Patience()
    runs = list(_unresolved_runs(store))
    patience.keep(set(runs))
    due = [run for run in runs if patience.is_due(run)]
    for run in due:
        patience.tried(run)
    found = _of_each(due, lambda run: look_up(store, outside, run, _is_not_at_work))
    return {call: outcome for outcomes in found.values() for call, outcome in outcomes.items()}


@dataclass
class Recovery:
    """All three, over and over, at the `doors` that the store can be asked at; without `outside` no tool is asked."""

    store: Store
    doors: frozenset[str]
    outside: Outside | None = None
    stopping: Bell = field(default_factory=Bell)
    patience: Patience = field(default_factory=Patience)

    def stop(self, *_: object) -> None:
        """End after the pass that is under way."""
        self.stopping.set()

    def of_one(self, run: str, seams: Seams) -> None:
        """Settle one run, and ask the tools about what it has left unresolved. Raises ConnectionLostError."""
        seams.reach("recovering")
        if isinstance(settle(self.store, run), Done):
            seams.reach("recovered")
        if self.outside is not None:
            look_up(self.store, self.outside, run, _is_not_at_work, seams)

    def once(self) -> int:
        """One pass; how many commands were answered. Raises ConnectionLostError."""
        return self.settle_and_deliver() + self.look_up()

    def run(self) -> None:
        """Pass after pass, until told to stop. Tools are asked in a thread of its own: nobody waits for a slow one."""
        threading.Thread(target=self._repeat, args=(self.look_up,), name="lookups", daemon=True).start()
        self._repeat(self.settle_and_deliver)

    def settle_and_deliver(self) -> int:
        """What the store alone can decide."""
        swept = sweep(self.store) if "recover" in self.doors else {}
        told = deliver_due(self.store) if "deliver" in self.doors else {}
        return len(swept) + len(told)

    def look_up(self) -> int:
        """What only tools know."""
        if self.outside is None or not {"reconcile", "observe"} <= self.doors:
            return 0
        return len(look_up_all(self.store, self.outside, self.patience))

    def _repeat(self, one_pass: Callable[[], int]) -> None:
        """Whatever happens in a pass, there is a next one."""
        while not self.stopping.is_set():
            try:
                if count := one_pass():
                    log.info("%d answered", count)
            except ConnectionLostError as error:
                log.warning("the store cannot be reached: %s", error.__cause__)
            except Exception:
                log.exception("a pass was broken off")
            self.stopping.wait(PAUSE_SECONDS)


def _of_each(things: Iterable[Thing], do: Callable[[Thing], Outcomes]) -> dict[Thing, Outcomes]:
    """What came of each. One that goes wrong is left out, and keeps nobody else from having their turn."""
    outcomes = {}
    for thing in things:
        try:
            outcomes[thing] = do(thing)
        except ConnectionLostError:
            raise
        except Exception:
            log.exception("%s is left as it is", thing)
    return outcomes


def _deliver(store: Store, due: Mapping[str, Any]) -> Outcome:
    return ask_a_few_times(
        store,
        "deliver",
        run=due["run"],
        wait=due["wait"],
        kind=due["kind"],
        number=1,
        digest=due["child"] or "due",
    )


def _is_not_at_work(run: Mapping[str, Any], call: Mapping[str, Any]) -> bool:
    return bool(run["state"] != "running")


def _goes_on(lost: Mapping[str, Any]) -> bool:
    """Its worker is lost, and under resume another will take it up."""
    return bool(lost["contract"] == "resume" and lost["state"] == "running")


def _unresolved_runs(store: Store) -> Iterator[str]:
    after = 0
    while page := store.unresolved_runs(after, RUNS_AT_ONCE):
        yield from (one["run"] for one in page)
        after = page[-1]["admitted"]


def main() -> None:
    """Recover until told to stop, or with --once in one pass, or one run only; 2 when set up wrongly."""
    parser = argparse.ArgumentParser(prog="keepfact.impl.recovery", description="Settles, delivers and looks up.")
    parser.add_argument("--once", action="store_true", help="one pass, then end")
    parser.add_argument("--run", help="recover this run alone, then end")
    arguments = parser.parse_args()
    logging.basicConfig(level=os.environ.get("KEEPFACT_LOG", "WARNING"), format="%(name)s: %(message)s")
    try:
        recovery = from_environment()
    except SetupError as error:
        log.error("%s", error)
        sys.exit(2)
    if arguments.run is None:
        serve(recovery, is_once=arguments.once)
    else:
        recovery.of_one(arguments.run, Seams.read(os.environ))


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
    identity = None if settings.tenant is None else Identity(settings.tenant, settings.principal)
    outside = (
        Outside("", settings.tool_url, settings.request_seconds, tool_protocol=settings.tool_protocol)
        if settings.tool_url
        else None
    )
    return Recovery(Store.opened(settings.dsns, identity), frozenset(settings.dsns), outside)


if __name__ == "__main__":
    main()
