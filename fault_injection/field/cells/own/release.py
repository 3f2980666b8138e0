"""The probe program as a program of ours: a pure function of what is known. Release 2 changes it in place."""

from outside import RELEASE as NUMBER
from outside import transfer

from keepfact.impl.programs.decisions import Approval, AskModel, Decision, Fail, Progress, Publish, Succeed, UseTool
from keepfact.impl.programs.probe import read_plan
from keepfact.impl.release import Bundle, Release

ASKED = {"role": "user", "content": "Settle the invoice."}
DONE = {"role": "tool", "content": "done"}
ATTEMPTS_MAX, SENDS_MAX = 4, 4
APPROVAL = Approval(risk="money leaves the house", basis="treasury", seconds=3600)


def decide(progress: Progress) -> Decision:
    """Plan, pay, transfer once that is approved, say so."""
    planned = _asked(progress, "plan", (ASKED,))
    if not isinstance(planned, str):
        return planned
    plan = read_plan(planned)
    if plan is None:
        return Fail("the plan names no tool")
    paid = _used(progress, UseTool("pay", "pay", plan.arguments, 20, recognises=True, sends_max=SENDS_MAX))
    if paid is not None:
        return paid
    moving = UseTool("transfer", "transfer", transfer(), 20, APPROVAL, recognises=True, sends_max=SENDS_MAX)
    moved = _used(progress, moving)
    if moved is not None:
        return moved
    words = _asked(progress, "words", (ASKED, DONE, DONE))
    if not isinstance(words, str):
        return words
    return Publish("The invoice is settled.", qualified=True) if progress.publications == 0 else Succeed()


def _asked(progress: Progress, name: str, messages) -> str | Decision:
    """The model's answer; or an attempt, which names the lost one that it replaces."""
    lost = None
    for number in range(1, ATTEMPTS_MAX + 1):
        attempt = progress.calls.get(f"{name}:{number}")
        if attempt is None:
            return AskModel(f"{name}:{number}", messages, 10, supersedes=lost)
        if attempt.state == "answered":
            return attempt.answer
        lost = f"{name}:{number}" if attempt.state == "lost" else None
    return Fail(f"the model's answer was lost {ATTEMPTS_MAX} times")


def _used(progress: Progress, use: UseTool) -> Decision | None:
    """None once it is known to have acted. A tool that recognises the id is sent it again, which is a lookup."""
    operation = progress.calls.get(use.operation)
    if operation is not None and operation.state in ("answered", "confirmed"):
        return None
    if operation is not None and operation.state == "denied":
        return Fail(f"{use.tool} was not approved")
    return use


RELEASE = Release({"bundle-1": Bundle(decide, model=f"probe-{NUMBER}")})
