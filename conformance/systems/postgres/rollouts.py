"""The releases of our workers that experiments roll out; each has the name of its Rollout.

The probe goes on under faults as far as that can do no harm, has a person approve a transfer, and waits until what it
has ordered was delivered.
"""

from dataclasses import replace

from keepfact.conformance.system import SECOND_BUNDLE
from keepfact.impl.programs import steady
from keepfact.impl.programs.decisions import (
    FIRST_BUNDLE,
    Approval,
    Decision,
    Fail,
    Progress,
    Publish,
    Succeed,
    UseTool,
    WaitFor,
)
from keepfact.impl.programs.probe import ATTEMPT, OPERATION, read_plan
from keepfact.impl.release import Bundle, Release

APPROVAL = Approval("it moves money", "whoever may sign", seconds=3600)
DELIVERY = WaitFor("delivery", "callback", seconds=3600, arrivals=3)


def decide(progress: Progress) -> Decision:
    """The program of the first bundle."""
    decision = _without_approval(progress)
    if isinstance(decision, UseTool) and decision.tool == "transfer":
        return replace(decision, approval=APPROVAL)
    is_done = isinstance(decision, Publish) and progress.publications == 1
    if is_done and DELIVERY.wait not in progress.woken and _has_ordered(progress):
        return DELIVERY
    return decision


def decide_otherwise(progress: Progress) -> Decision:
    """The same with other arguments."""
    decision = decide(progress)
    if isinstance(decision, UseTool):
        return replace(decision, arguments={**decision.arguments, "amount_cents": 999_900})
    return decision


def decide_without_it(progress: Progress) -> Decision:
    """The same without the tool, and so without anything to approve."""
    decision = _without_approval(progress)
    if not isinstance(decision, UseTool):
        return decision
    return Publish("It is better not to.", qualified=True) if progress.publications == 1 else Succeed()


def _has_ordered(progress: Progress) -> bool:
    attempts = [fact for name, fact in progress.calls.items() if name.startswith(_ATTEMPTS) and fact.answer]
    plan = read_plan(attempts[-1].answer) if attempts else None
    return plan is not None and plan.tool == "order"


def _without_approval(progress: Progress) -> Decision:
    known = progress.calls.get(OPERATION)
    if known is not None and known.state == "denied":
        return Fail("it was denied")
    return steady.decide(progress)


_ATTEMPTS = ATTEMPT.partition(":")[0]

FIRST = Release({FIRST_BUNDLE: Bundle(decide)})
SECOND = Release({FIRST_BUNDLE: Bundle(decide), SECOND_BUNDLE: Bundle(decide_otherwise)})
SECOND_ALONE = Release({SECOND_BUNDLE: Bundle(decide_otherwise)})
CHANGED_ARGUMENTS = Release({FIRST_BUNDLE: Bundle(decide_otherwise)})
CHANGED_PLAN = Release({FIRST_BUNDLE: Bundle(decide_without_it)})
