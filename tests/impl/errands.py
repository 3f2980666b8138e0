"""A program with everything that a run can do beside its calls.

The first word of its input says what it does, the second, if there is one, for how many seconds it waits.
"""

import os
from dataclasses import replace

from keepfact.impl.programs import steady
from keepfact.impl.programs.decisions import (
    FIRST_BUNDLE,
    Approval,
    CallFact,
    Decision,
    Fail,
    Progress,
    ReadMaterial,
    SaveMaterial,
    Spawn,
    Succeed,
    TakeBranch,
    UseTool,
    WaitFor,
)
from keepfact.impl.release import Bundle, Release

NAME = f"{__name__}:RELEASE"
WAIT_SECONDS = 120
WRONG = "the program is wrong"


def decide(progress: Progress) -> Decision:
    """First whatever the errand begins with, then the steady program, and before its end whatever the errand leaves."""
    errand, *more = (progress.input or "plain").split()
    seconds = int(more[0]) if more else WAIT_SECONDS
    first = _first(errand, seconds, progress)
    if first is not None:
        return first
    decision = steady.decide(progress)
    if errand == "approval" and isinstance(decision, UseTool):
        return _approved(decision, seconds, progress.calls.get(decision.operation))
    if errand == "finding" and isinstance(decision, Succeed) and "note" not in progress.saved:
        return SaveMaterial("note", "archive", "what was found", "2026-07-01", 3600)
    return decision


def _first(errand: str, seconds: int, progress: Progress) -> Decision | None:
    match errand:
        case "timer" if "nap" not in progress.woken:
            return WaitFor("nap", "timer", 1)
        case "callback" if "calls" not in progress.woken:
            return WaitFor("calls", "callback", seconds, arrivals=2)
        case "child" if "child" not in progress.children:
            return Spawn("child", 400, "plain")
        case "child" if "report" not in progress.woken:
            return WaitFor("report", "child", seconds, child="child")
        case "branch" if "change" not in progress.branches:
            return TakeBranch("change")
        case "reader":
            unread = (material for material, handed in progress.handed.items() if handed.content is None)
            return next((ReadMaterial(material) for material in unread), None)
        case "raising":
            raise ZeroDivisionError(WRONG)
        case "unspeakable":
            return UseTool("operation:1", "pay", {"amount": float("nan")}, 20)
        case "stubborn" if "operation:1" in progress.calls:
            return UseTool("operation:1", "pay", {"amount": 1}, 20)
        case "deadly":
            os._exit(1)
    return None


def _approved(decision: UseTool, seconds: int, known: CallFact | None) -> Decision:
    if known is not None and known.state == "denied":
        return Fail("it was denied")
    return replace(decision, approval=Approval("it costs money", "whoever may sign", seconds))


RELEASE = Release({FIRST_BUNDLE: Bundle(decide)})
