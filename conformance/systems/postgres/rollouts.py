"""The releases of our workers that experiments roll out; each has the name of its Rollout.

The probe goes on under faults as far as that can do no harm, has a person approve a transfer, waits until what it has
ordered was delivered, saves what it finds in an invoice, and uses what others have found.
"""

from collections.abc import Iterator
from dataclasses import replace

from keepfact.conformance.abilities import SECOND_BUNDLE
from keepfact.impl.programs import steady
from keepfact.impl.programs.decisions import (
    FIRST_BUNDLE,
    Approval,
    AskModel,
    Decision,
    Fail,
    Progress,
    Publish,
    ReadMaterial,
    SaveMaterial,
    Succeed,
    UseTool,
    WaitFor,
)
from keepfact.impl.programs.probe import ATTEMPT, OPERATION, read_plan
from keepfact.impl.release import Bundle, Release

APPROVAL = Approval("it moves money", "whoever may sign", seconds=3600)
DELIVERY = WaitFor("delivery", "callback", seconds=3600, arrivals=3)

_AS_OF, _FRESH_SECONDS = "2031-05-01", 30 * 24 * 3600
FINDINGS = (
    SaveMaterial("amount", "ledger", "The ledger has 42.00 for it.", _AS_OF, _FRESH_SECONDS),
    SaveMaterial("summary", "notes", "In short, 42.00 is due.", _AS_OF, _FRESH_SECONDS, derived_from=("amount",)),
    SaveMaterial("address", "register", "It is due to somebody in Bern.", _AS_OF, _FRESH_SECONDS),
)
CONCLUSION = SaveMaterial("conclusion", "conclusions", "So it is to be paid.", _AS_OF, _FRESH_SECONDS)


def findings() -> tuple[SaveMaterial, ...]:
    """All that runs of these releases save."""
    return (*FINDINGS, CONCLUSION)


def decide(progress: Progress) -> Decision:
    """The program of the first bundle."""
    decision = _without_approval(progress)
    if isinstance(decision, UseTool) and decision.tool == "transfer":
        return replace(decision, approval=APPROVAL)
    if isinstance(decision, AskModel) and not any(one.content for one in progress.handed.values()):
        return next(_reading(progress), decision)
    if isinstance(decision, Publish) and progress.publications == 1:
        return next(_before_it_is_done(progress), decision)
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


def _before_it_is_done(progress: Progress) -> Iterator[Decision]:
    """What is still to be done once the tool has acted."""
    tool = _tool_of(progress)
    if tool == "order" and DELIVERY.wait not in progress.woken:
        yield DELIVERY
    yield from _reading(progress)
    found = FINDINGS if tool == "read_invoice" else ()
    concluded = (replace(CONCLUSION, derived_from=tuple(progress.handed)),) if progress.handed else ()
    yield from (finding for finding in (*found, *concluded) if finding.material not in progress.saved)


def _reading(progress: Progress) -> Iterator[Decision]:
    """What was handed over and not read yet."""
    yield from (ReadMaterial(name) for name, one in progress.handed.items() if one.content is None)


def _tool_of(progress: Progress) -> str | None:
    """The one that the model wants used."""
    attempts = [fact for name, fact in progress.calls.items() if name.startswith(_ATTEMPTS) and fact.answer]
    plan = read_plan(attempts[-1].answer) if attempts else None
    return None if plan is None else plan.tool


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
