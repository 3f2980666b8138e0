"""Programs of releases that follow each other, for tests; given to commands as `programs:NAME`."""

from dataclasses import dataclass, replace

from keepfact.impl.programs.decisions import (
    Approval,
    AskModel,
    Decision,
    Fail,
    Progress,
    Publish,
    SaveMaterial,
    Spawn,
    Succeed,
    TakeBranch,
    UseTool,
    WaitFor,
)
from keepfact.impl.release import Bundle, Release

LONG = "long " * 400
"""Kept once, by its digest."""


def everything(progress: Progress) -> Decision:
    """Something of every kind that can be decided; a child only says so."""
    steps = iter(_steps(progress))
    return next(decision for is_open, decision in steps if is_open)


def _steps(progress: Progress) -> list[tuple[bool, Decision]]:
    calls = progress.calls
    tool = UseTool("operation:1", "pay", {"amount": 1}, 5, recognises=True, sends_max=2)
    is_sent = "operation:1" in calls and calls["operation:1"].state == "answered"
    return [
        (progress.input == "child" and progress.publications == 0, Publish("child", True)),
        (progress.input == "child", Succeed()),
        ("attempt:1" not in calls, AskModel("attempt:1", ({"role": "user", "content": "hello"},), 5)),
        ("found" not in progress.saved, SaveMaterial("found", "web", "text", "2026-01-01", 60)),
        ("helper" not in progress.children, Spawn("helper", 5, "child")),
        ("helped" not in progress.woken, WaitFor("helped", "child", 3600, child="helper")),
        ("called" not in progress.woken, WaitFor("called", "callback", 3600)),
        (not is_sent, tool),
        ("operation:2" not in calls, replace(tool, operation="operation:2", approval=Approval("high", "policy", 3600))),
        (progress.publications == 0, Publish(LONG + calls["attempt:1"].answer if "attempt:1" in calls else "", True)),
        (True, Succeed()),
    ]


@dataclass(frozen=True)
class Greeting:
    """Publishes once it was called, and ends; `is_marked` tells whether it says that what it publishes has changed."""

    says: str = "good day"
    is_marked: bool = False
    asks_first: bool = False

    def __call__(self, progress: Progress) -> Decision:
        branch = progress.branches.get("greeting")
        if self.is_marked and branch is None:
            return TakeBranch("greeting")
        if "called" not in progress.woken:
            return WaitFor("called", "callback", 3600)
        if self.asks_first and "attempt:1" not in progress.calls:
            return AskModel("attempt:1", (), 5)
        if progress.publications == 0:
            return Publish(self.says if branch != "old" else "good day", True)
        return Succeed()


def raising(progress: Progress) -> Decision:
    """A program that has a fault."""
    raise LookupError("no such thing")


def gives_up(progress: Progress) -> Decision:
    return Fail("no")


NEW, MARKED = Greeting("hello"), Greeting("hello", is_marked=True)
FIRST = Release({"bundle-1": Bundle(Greeting())})
CHANGED = Release({"bundle-1": Bundle(NEW)})
RAISING = Release({"bundle-1": Bundle(raising)})
BEHIND_MARKER = Release({"bundle-1": Bundle(MARKED), "bundle-2": Bundle(MARKED, markers=("greeting",))})
UNMARKED = Release({"bundle-1": Bundle(NEW), "bundle-2": Bundle(NEW)})
