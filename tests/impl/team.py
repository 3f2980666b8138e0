"""A tenant of its own for one test, with workers of whatever release."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

import psycopg

from keepfact.impl.lease import Heartbeat
from keepfact.impl.outcomes import Done
from keepfact.impl.outside import Outside
from keepfact.impl.recovery import deliver_due
from keepfact.impl.release import Release
from keepfact.impl.replaying import Replayed, replay_all
from keepfact.impl.seams import Seams
from keepfact.impl.store import Store
from keepfact.impl.worker import Worker

from . import programs
from .driving import Driver, wait_until
from .outside_world import OutsideWorld

DOORS = frozenset({"work", "observe", "wake", "recover", "reconcile"})


@dataclass
class Team:
    """A tenant with its store, and workers of whatever release."""

    store: Store
    admin: psycopg.Connection
    world: OutsideWorld
    tenant: str
    heartbeat: Heartbeat

    def run(self, budget_cents: int = 100) -> Driver:
        run = Driver(self.store, self.admin)
        assert run.do("submit", contract="resume", budget_cents=budget_cents) == Done()
        return run

    def work(self, release: Release, until: Callable[[], bool]) -> None:
        """A worker of that release works on whatever there is, and is told of what is due, until the fact."""
        outside = Outside(self.world.url, self.world.url, 60)
        worker = Worker("w", self.store, outside, Seams(None), self.heartbeat, DOORS, release)
        thread = threading.Thread(target=worker.work_on_all)
        thread.start()
        try:
            wait_until(lambda: deliver_due(self.store) is None or until())
        finally:
            worker.drain()
            thread.join()
            outside.close()

    def work_to(self, release: Release, state: str, *runs: Driver) -> None:
        self.work(release, lambda: all(run.view["state"] == state for run in runs))

    def called(self, run: Driver) -> None:
        assert run.do("deliver", wait="called", kind="callback", number=1, digest="x") == Done()

    def greeted(self, release: Release = programs.FIRST) -> Driver:
        """A run of the greeting, to its end."""
        run = self.run()
        self.called(run)
        self.work_to(release, "succeeded", run)
        return run

    def replay(self, release: Release) -> Replayed:
        return replay_all(self.store, release, release.supports)
