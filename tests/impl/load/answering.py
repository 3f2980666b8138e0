"""Those whom runs wait for: they approve or deny, and send what was asked for, out of order and sometimes twice."""

import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from keepfact.impl.store import ConnectionLostError, Store

from .asking import Asker

PAUSE_SECONDS = 0.2
RUNS_AT_ONCE = 1_000


@dataclass
class Answerer:
    """Looks for runs that wait, and answers each of their waits once; through the same asker, which remembers."""

    store: Store
    asker: Asker
    answered: set[tuple[str, str]] = field(default_factory=set)
    over: threading.Event = field(default_factory=threading.Event)

    def answer_all(self) -> None:
        """Until told that it is over."""
        while not self.over.is_set():
            try:
                for run, wait in self._open_waits():
                    self.answered.add((run, wait["wait"]))
                    self._answer(run, wait, random.Random(f"{self.asker.seed} {run} {wait['wait']}"))
            except ConnectionLostError:
                pass
            time.sleep(PAUSE_SECONDS)

    def _open_waits(self) -> Iterator[tuple[str, dict[str, Any]]]:
        after: str | None = None
        while page := self.store.list_runs(after, RUNS_AT_ONCE):
            after = page[-1]["run"]
            waiting = [run["run"] for run in page if run["state"].startswith("waiting")]
            for shown in self.store.observe(waiting):
                for wait in shown["waits"]:
                    if wait["state"] == "waiting" and (shown["run"], wait["wait"]) not in self.answered:
                        yield shown["run"], wait

    def _answer(self, run: str, wait: dict[str, Any], chance: random.Random) -> None:
        name = wait["wait"]
        if wait["kind"] == "approval":
            digest = wait["checkpoint"]["digest"]
            approved = chance.random() < 0.8
            self.asker.ask("decide", f"decide-{run}-{name}", run=run, wait=name, approved=approved, digest=digest)
        if wait["kind"] == "callback":
            numbers = [1, 2, chance.choice((1, 2))]  # one of them twice
            chance.shuffle(numbers)
            for place, number in enumerate(numbers):
                self.asker.ask(
                    "deliver",
                    f"deliver-{run}-{name}-{place}",
                    run=run,
                    wait=name,
                    kind="callback",
                    number=number,
                    digest=f"news {number}",
                )
