"""Those who ask for runs, and remember every answer that they were given."""

import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from keepfact.impl.insisting import StoppedError
from keepfact.impl.outcomes import Lost, Outcome, Refused
from keepfact.impl.store import ConnectionLostError, Store

from .door import Door

PAUSE_SECONDS = 0.02
ERRANDS = {
    "plain": 55,
    "timer": 9,
    "callback": 9,
    "approval": 9,
    "child": 9,
    "branch": 3,
    "finding": 3,
    "raising": 2,
    "deadly": 1,
}
"""What runs are to do, and how often."""

WAIT_SECONDS = 12
"""For how long they wait for anything, which may never come: a child that stays unknown does not report."""


@dataclass(frozen=True)
class Asked:
    """A command, and what it was answered."""

    command: str
    command_id: str
    fields: dict[str, Any]
    outcome: Outcome


@dataclass
class Asker:
    """Submits runs and cancels some. What has no answer is asked again under the same id, until there is one."""

    store: Store
    seed: int
    runs_max: int
    door: Door
    answers: list[Asked] = field(default_factory=list)
    lost: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def submit_all(self, pace_seconds: float) -> None:
        """Submit every run, one after the other, and cancel a few a little later."""
        chance = random.Random(self.seed)
        to_cancel: list[str] = []
        for number in range(self.runs_max):
            run = f"run-{number}"
            self.ask(
                "submit",
                f"submit-{number}",
                run=run,
                contract=("settle", "resume")[number % 2],
                budget_cents=chance.choice((400,) * 19 + (15,)),
                request=f"request-{number}",
                input=f"{chance.choices([*ERRANDS], [*ERRANDS.values()])[0]} {WAIT_SECONDS}",
            )
            if chance.random() < 0.06:
                to_cancel.append(run)
            if len(to_cancel) > 3:
                self._cancel(to_cancel.pop(0))
            time.sleep(pace_seconds)
        for run in to_cancel:
            self._cancel(run)

    def ask(self, command: str, command_id: str, **fields: Any) -> None:
        """Ask, and remember the answer."""
        self.answers.append(Asked(command, command_id, fields, self.hear(self.door, command, command_id, **fields)))

    def hear(self, door: Door, command: str, command_id: str, **fields: Any) -> Outcome:
        """The answer, asked for until there is one."""
        while isinstance(outcome := door.perform(command, command_id=command_id, **fields), Lost):
            if self.over.is_set():
                raise StoppedError(f"{command_id} was never answered")
            self.lost += 1
            time.sleep(PAUSE_SECONDS)
        return outcome

    def acknowledged(self) -> Iterator[Asked]:
        """The commands that were done."""
        return (asked for asked in self.answers if not isinstance(asked.outcome, Refused))

    def _cancel(self, run: str) -> None:
        self.ask("cancel", f"cancel-{run}", run=run)


@dataclass
class Reader:
    """Looks at every history, over and over, and remembers what it saw last: by run, a number and its digest."""

    store: Store
    runs_at_once: int = 50
    seen: dict[str, tuple[int, str]] = field(default_factory=dict)
    looks: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def read(self) -> None:
        """Until told that it is over."""
        after: str | None = None
        while not self.over.wait(PAUSE_SECONDS):
            try:
                page = self.store.list_runs(after, self.runs_at_once)
                for run in page:
                    self._look_at(run["run"])
                after = page[-1]["run"] if page else None
            except ConnectionLostError:
                continue

    def _look_at(self, run: str) -> None:
        after = self.seen.get(run, (0, ""))[0]
        shown = self.store.read_events(run, after, 100)
        self.looks += 1
        if shown and shown["events"]:
            last = shown["events"][-1]
            self.seen[run] = (last["number"], last["digest"])
