"""A worker: is granted runs, and has its release's programs decide what to do with each, one durable step at a time."""

import argparse
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .bell import Bell
from .calling import Calling
from .consequences import Consequences
from .errors import SetupError
from .insisting import RefusedError, StoppedError, insist, read
from .lease import Heartbeat, Lease
from .outcomes import Done, Grant
from .outside import Outside
from .patience import Patience
from .reconcile import look_up
from .release import Release, load_release
from .seams import Seams
from .settings import WorkerSettings
from .stint import Stint
from .store import ConnectionLostError, Identity, Store
from .waking import digest_at
from .writing import Writing

log = logging.getLogger("keepfact.worker")

CLAIMING_SECONDS_MAX = 30
STARTING_SECONDS = 10.0
POLL_SECONDS = 0.2
SOMEBODY_WAS_FASTER = frozenset({"wake_consumed", "wait_closed", "sealed"})
"""Reasons for which a wake is refused that was accepted a moment ago."""


@dataclass
class Worker:
    """One worker. `drain` makes it stop at the next safe point and hand its run back.

    `doors` are the entry points that its store can be asked at; without that of wake, recover or reconcile it does
    nothing there.
    """

    name: str
    store: Store
    outside: Outside
    seams: Seams
    heartbeat: Heartbeat
    doors: frozenset[str] = frozenset({"work", "observe"})
    release: Release = field(default_factory=Release)
    heartbeat_seconds: float | None = None
    step_seconds: float = WorkerSettings.step_seconds
    draining: Bell = field(default_factory=Bell)
    patience: Patience = field(default_factory=Patience)
    is_unserved: bool = False

    def drain(self, *_: object) -> None:
        """Finish what is in flight, start nothing new, hand the run back."""
        self.draining.set()

    def work(self, run: str | None) -> None:
        """Take up a run in whichever way is open to it, or claim the next one in the queue, and work on it to its end.

        Raises StoppedError.
        """
        asked_at = time.monotonic()
        deadline = asked_at + CLAIMING_SECONDS_MAX
        before, after, ask = self._way_to(run, lambda: time.monotonic() < deadline)
        self.seams.reach(before)
        done = ask()
        self.seams.reach(after)
        self._work_on(done, asked_at)

    def _way_to(self, run: str | None, may_go_on: Callable[[], bool]) -> tuple[str, str, Callable[[], Done]]:
        """The seams before and after, and between them."""
        if run is not None:
            for wake in read(self._accepted_wakes, may_go_on):
                if wake["run"] == run:
                    return "waking", "woken", partial(self._wake, wake)
            for lost in read(self._lost_runs, may_go_on):
                if lost["run"] == run:
                    return "recovering", "recovered", partial(self._recover, lost)
        return "claiming", "claimed", lambda: self._claim(run, may_go_on)

    def work_on_all(self) -> None:
        """Work on whatever there is, until told to drain. What happens to one run ends nothing but its own stint."""
        while not self.draining.is_set():
            try:
                found = self.take_up()
            except (ConnectionLostError, StoppedError) as reason:
                log.warning("looks again later: %s", reason)
                found = False
            if not found:
                self.draining.wait(POLL_SECONDS)

    def take_up(self) -> bool:
        """Work on one run, if there is any; whether there was. Raises ConnectionLostError, and StoppedError."""
        return any(self._try(grant) for grant in self._grants())

    def _grants(self) -> Iterator[Callable[[], Done]]:
        """The ways to a run that are open now: a wake that was accepted, a run that lost its worker, the queue."""
        wakes = self._accepted_wakes()
        self.patience.keep({(wake["run"], wake["wait"]) for wake in wakes})
        for wake in wakes:
            if self.patience.is_due((wake["run"], wake["wait"])):
                yield partial(self._wake, wake)
        for lost in self._lost_runs():
            yield partial(self._recover, lost)
        yield lambda: self._claim(None, lambda: not self.draining.is_set())

    def _accepted_wakes(self) -> list[dict[str, Any]]:
        """The wakes that this worker could take up; none without the door."""
        return self.store.accepted_wakes(self.release.supports) if "wake" in self.doors else []

    def _lost_runs(self) -> list[dict[str, Any]]:
        """The runs that lost their worker and that this one could go on with; none without the door."""
        return [
            lost
            for lost in (self.store.lost_runs() if "recover" in self.doors else [])
            if lost["contract"] == "resume" and lost["state"] == "running" and lost["bundle"] in self.release.supports
        ]

    def _try(self, ask: Callable[[], Done]) -> bool:
        """Be granted a run and work on it; false if there was none to be had."""
        if self.draining.is_set():
            return False
        asked_at = time.monotonic()
        try:
            done = ask()
        except RefusedError as refusal:  # somebody was faster, or there is nothing
            self._tell(refusal)
            return False
        try:
            self._work_on(done, asked_at)
        except StoppedError as reason:
            log.warning("stopped: %s", reason)
        except Exception:  # nobody foresaw it; the run is left to recovery, which counts how often that happens
            log.exception("stopped")
        return True

    def _tell(self, refusal: RefusedError) -> None:
        """That nobody of this release is served is told once: it ends when the schema is migrated, or never."""
        is_news = refusal.reason == "unsupported_schema" and not self.is_unserved
        self.is_unserved = refusal.reason == "unsupported_schema"
        log.log(logging.WARNING if is_news else logging.DEBUG, "%s", refusal)

    def _claim(self, run: str | None, may_go_on: Callable[[], bool]) -> Done:
        return insist(
            self.store,
            "claim",
            may_go_on,
            run=run,
            worker=self.name,
            supports=self.release.supports,
            schema=self.release.schema,
        )

    def _wake(self, wake: dict[str, Any]) -> Done:
        """The digest is not taken over from the checkpoint, but made again from what this release would wait for.

        One that is refused stays visibly waiting, and is tried again, but not at every look.
        """
        history = self._history(wake["run"], lambda: not self.draining.is_set())
        try:
            return insist(
                self.store,
                "wake",
                lambda: not self.draining.is_set(),
                run=wake["run"],
                wait=wake["wait"],
                worker=self.name,
                digest=digest_at(self.release, history, wake["wait"]),
                supports=self.release.supports,
                schema=self.release.schema,
            )
        except RefusedError as refusal:
            if refusal.reason not in SOMEBODY_WAS_FASTER:
                log.warning("%s stays at %s: %s", wake["run"], wake["wait"], refusal)
                self.patience.tried((wake["run"], wake["wait"]))
            raise

    def _recover(self, lost: dict[str, Any]) -> Done:
        return insist(
            self.store,
            "recover",
            lambda: not self.draining.is_set(),
            run=lost["run"],
            worker=self.name,
            supports=self.release.supports,
            seen_fence=lost["fence"],
            schema=self.release.schema,
        )

    def _work_on(self, done: Done, asked_at: float) -> None:
        if done.grant is None:
            return  # a recovery that settled the run
        grant: Grant = done.grant
        with Lease(self.heartbeat, grant, asked_at, self.step_seconds, self.heartbeat_seconds) as lease:
            first = read(lambda: self.store.read_events(grant.run, 0, 1), lambda: lease.is_live)
            assert first is not None  # it was granted
            bundle = self.release.bundle_of(first["events"])
            writing = Writing(self.store, self.seams, lease)
            consequences = Consequences(grant.run, bundle)
            calling = Calling(writing, self.outside, consequences, partial(self._look_up, lease))
            Stint(writing, calling, consequences, bundle.program, self.draining.is_set).work()

    def _look_up(self, lease: Lease) -> None:
        """What became of operations whose answer was lost is asked before the run goes on."""
        if "reconcile" in self.doors:
            read(lambda: look_up(self.store, self.outside, lease.grant.run, _is_asked_about), lambda: lease.is_live)

    def _history(self, run: str, may_go_on: Callable[[], bool]) -> list[dict[str, Any]]:
        shown = read(lambda: self.store.observe([run], payloads=True), may_go_on)
        history: list[dict[str, Any]] = shown[0]["history"]
        return history


def _is_asked_about(run: Mapping[str, Any], call: Mapping[str, Any]) -> bool:
    """A tool that recognises the id is sent it once more instead: that gives the answer too."""
    return not (call["recognises"] and call["state"] == "unknown" and call["sends"] < call["sends_max"])


def main() -> None:
    """Work on one run and exit: 0 when it ended or was handed back, 3 when it was taken away, 2 when set up wrongly."""
    parser = argparse.ArgumentParser(prog="keepfact.impl.worker", description="Claims one run and works on it.")
    parser.add_argument("--run", help="the run to claim; without it the next one in the queue")
    parser.add_argument("--all", action="store_true", help="work on whatever there is, until told to stop")
    parser.add_argument("--worker", required=True, help="the name of this worker, for the record")
    arguments = parser.parse_args()
    logging.basicConfig(level=os.environ.get("KEEPFACT_LOG", "WARNING"), format="%(name)s: %(message)s")
    try:
        sys.exit(serve(from_environment(arguments.worker), arguments.run, is_for_all=arguments.all))
    except SetupError as error:
        log.error("%s", error)
        sys.exit(2)


def serve(worker: Worker, run: str | None, *, is_for_all: bool) -> int:
    """Work, and at SIGTERM stop in good order; 0, or 3 when the run was taken away."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, worker.drain)
    try:
        with closing(worker.heartbeat):
            worker.heartbeat.start()
            if is_for_all:
                worker.heartbeat.is_ready(STARTING_SECONDS)  # a short lease would be over before it could be renewed
                worker.work_on_all()
            else:
                worker.work(run)
    except StoppedError as reason:
        log.warning("stopped: %s", reason)
        return 3
    return 0


def from_environment(name: str, environment: Mapping[str, str] = os.environ) -> Worker:
    """The worker that the environment asks for, logged in at every door that it gives. Raises SetupError."""
    settings = WorkerSettings.read(environment)
    identity = None if settings.tenant is None else Identity(settings.tenant, settings.principal)
    return Worker(
        name,
        Store.opened(settings.dsns, identity),
        Outside(
            settings.model_url,
            settings.tool_url,
            settings.request_seconds,
            tool_protocol=settings.tool_protocol,
            prices=settings.model_prices,
            streams=settings.model_streams,
        ),
        Seams.read(environment),
        Heartbeat(settings.dsns["work"], identity),
        frozenset(settings.dsns),
        load_release(settings.release) if settings.release else Release(),
        settings.heartbeat_seconds,
        settings.step_seconds,
    )


if __name__ == "__main__":
    main()
