"""The probe as it goes on under faults: what was lost is asked again, as often as that can do no harm and no further.

A worker with this release is started with KEEPFACT_RELEASE=keepfact.impl.programs.steady:RELEASE.
"""

import json

from ..release import Bundle, Release
from .decisions import FIRST_BUNDLE, AskModel, CallFact, Decision, Fail, Progress, Publish, Succeed, UseTool
from .probe import MESSAGES, MODEL_CEILING_CENTS, OPERATION, TOOL_CEILING_CENTS, read_object, read_plan

ATTEMPTS_MAX, SENDS_MAX = 4, 3
RECOGNISING = frozenset({"pay"})
"""Tools that promise to answer an id which they have seen with its first result."""


def decide(progress: Progress) -> Decision:
    """One step after the other; a step whose answer was lost is done again before the next."""
    number = _attempts(progress)
    attempt = progress.calls.get(_attempt(number))
    if attempt is None or attempt.state != "answered":
        return _ask(progress, number, attempt)
    plan = read_plan(attempt.answer)
    if plan is None:
        return Fail("the model's answer calls no tool")
    if progress.publications == 0:
        return Publish(f"Planned: {plan.content}", qualified=True)
    use = UseTool(
        OPERATION,
        plan.tool,
        plan.arguments,
        TOOL_CEILING_CENTS,
        recognises=plan.tool in RECOGNISING,
        sends_max=SENDS_MAX,
    )
    operation = progress.calls.get(OPERATION)
    if operation is None or operation.state == "not_found" or (operation.state == "lost" and use.recognises):
        return use  # a further sending is refused once all are spent
    if operation.state not in ("answered", "confirmed"):
        return Fail("what the tool did is not known")
    return _conclude(progress, plan.content, operation)


def _attempts(progress: Progress) -> int:
    """How often the model was asked."""
    number = 0
    while _attempt(number + 1) in progress.calls:
        number += 1
    return number


def _attempt(number: int) -> str:
    return f"attempt:{number}"


def _ask(progress: Progress, number: int, earlier: CallFact | None) -> Decision:
    """Ask, for the first time or anew. An attempt that is known to have been answered is not superseded."""
    if number == ATTEMPTS_MAX:
        return Fail(f"the model's answer was lost {number} times")
    messages = MESSAGES if progress.input is None else (*MESSAGES, {"role": "user", "content": progress.input})
    is_lost = earlier is not None and earlier.state in ("lost", "not_found")
    return AskModel(_attempt(number + 1), messages, MODEL_CEILING_CENTS, _attempt(number) if is_lost else None)


def _conclude(progress: Progress, content: str, operation: CallFact) -> Decision:
    """An operation that is confirmed by evidence alone has acted, and nobody can say with which result."""
    if operation.state == "confirmed":
        said = "confirmed; its answer was lost"
    else:
        answer = read_object(operation.answer)
        if "result" not in answer:
            return Fail("the tool's answer has no result")
        said = json.dumps(answer["result"], sort_keys=True)
    if progress.publications == 1:
        return Publish(f"Done: {content}\n{said}", qualified=True)
    return Succeed()


RELEASE = Release({FIRST_BUNDLE: Bundle(decide)})
