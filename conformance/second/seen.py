"""One exported step, with the questions that every part of the checker asks of it."""

from dataclasses import dataclass, field
from typing import Any

from .journal import Change, changes
from .words import Thing, run_in

READS = {"Observe", "Stream", "Replay", "LookUp"}
HAPPENINGS = {"Tick", "Act", "Drifted", "Restarted", "ToolReleased", "WorkerRan", "LookedUp"}
ALONE = {"WorkerRan", "LookedUp"}
"""Happenings in which a process of the system gave any commands of one entry point by itself."""

DOORS = {
    **dict.fromkeys(("Observe", "Stream", "Replay"), "observe"),
    **dict.fromkeys(("LookUp", "Reconcile"), "reconcile"),
    **dict.fromkeys(("Assess", "Decide"), "decide"),
    **dict.fromkeys(("Grant", "Revoke"), "grant"),
    **dict.fromkeys(("Deploy", "Retire", "Migrate", "EndMigration"), "deploy"),
    "Submit": "submit",
    "Continue": "continue",
    "Recover": "recover",
    "Cancel": "cancel",
    "Deliver": "deliver",
    "Wake": "wake",
    "Purge": "purge",
}
"""The entry point that each command belongs to; every other one is a worker's."""


@dataclass
class Seen:
    """A step, unpacked. `repeats` is the answer that the same command was given before, by our own account."""

    number: int
    step: Thing
    repeats: Thing | None = None
    changes: list[Change] = field(init=False)
    old: Thing | None = field(init=False)
    new: Thing | None = field(init=False)

    def __post_init__(self) -> None:
        step = self.step
        self.before, self.after, self.cause = step["before"], step["after"], step["cause"]
        self.outcome: Thing | None = step["outcome"]
        self.name: str = self.cause["is"]
        self.run: str | None = self.cause.get("run")
        self.session: Thing | None = step["session"]
        self.truth_before, self.truth = step["truth_before"], step["truth"]
        self.old, self.new = run_in(self.before, self.run), run_in(self.after, self.run)
        self.changes = changes(self.before, self.after)

    @property
    def is_command(self) -> bool:
        return self.name not in HAPPENINGS

    @property
    def door(self) -> str:
        """Where it was asked; a worker that ran by itself says where it wrote, which is at its own unless it says."""
        return str(self.cause.get("door", DOORS.get(self.name, "work")))

    @property
    def is_work(self) -> bool:
        """A command of a worker under a fence."""
        return "fence" in self.cause

    def ended(self, how: str) -> bool:
        return self.outcome is not None and self.outcome["is"] == how

    @property
    def is_done(self) -> bool:
        return self.ended("Done")

    @property
    def is_refused(self) -> bool:
        return self.ended("Refused")

    @property
    def is_unheard(self) -> bool:
        """Its answer was lost and nothing changed: perhaps it never arrived."""
        return self.ended("Lost") and not self.changes

    @property
    def is_repeat(self) -> bool:
        """The same command was done before; after a lost answer perhaps, if it is done now and changes nothing."""
        if self.repeats is None or self.name in READS:
            return False
        return bool(self.repeats["is"] == "Done") or not (self.changes or self.is_refused)

    @property
    def took_effect(self) -> bool:
        """It was done now, for the first time: as it says, or as what changed says."""
        return self.is_command and not self.is_repeat and (self.is_done or (self.ended("Lost") and bool(self.changes)))

    @property
    def new_events(self) -> list[Thing]:
        """What was added to the history of the run at hand."""
        return [one.new for one in self.changes if one.run == self.run and one.what == "history +"]

    def changed(self, what: str) -> list[Change]:
        """The changes of one kind in the run at hand."""
        return [one for one in self.changes if one.run == self.run and one.what == what]

    def get(self, key: str) -> Any:
        return self.cause.get(key)
