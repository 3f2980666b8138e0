"""Rules of the book, judged from outside: by what the servers saw, and what the engine says of the run.

Each judge says HOLDS, VIOLATED, or why it has nothing to say. It knows nothing of how an engine works.
"""

import json
from collections.abc import Callable, Iterable

from keepfact.conformance.field import ENDED, OVER, About, Finding, Standing
from keepfact.conformance.verdicts import Verdict

from ..world.ledger import Endpoint
from .facts import CHANGED_CENTS, SHOWN_CENTS, Facts, tool_of, transfer_of

Said = tuple[Verdict, str]
Judge = Callable[[Facts], Said]

HOLDS, VIOLATED = Verdict.HOLDS, Verdict.VIOLATED
SILENT, NO, OPEN = Verdict.NOT_EXERCISED, Verdict.NOT_APPLICABLE, Verdict.INCONCLUSIVE


def judged(facts: Facts, rules: Iterable[str], about: About) -> list[Finding]:
    """What the facts say of each of these rules, beside what the engine promises of it."""
    return [_finding(rule, JUDGED[rule][1](facts), about) for rule in rules]


def undecided(why: str, rules: Iterable[str], about: About) -> list[Finding]:
    """When the fault could not be brought, or what came of it not be seen."""
    return [_finding(rule, (OPEN, why), about) for rule in rules]


def _finding(rule: str, said: Said, about: About) -> Finding:
    promise = next((f"{one.says} ({one.source})" for one in about.promises if one.rule == rule), "")
    return Finding(rule=rule, sentence=JUDGED[rule][0], verdict=said[0], why=said[1], promise=promise)


def one_key_for_every_sending(facts: Facts) -> Said:
    """EFFECT.2: the program uses each tool once, so every request to it is the same operation."""
    asked_again = [tool for tool in facts.tools if len(facts.to(tool)) > 1]
    if not asked_again:
        return SILENT, "no tool was asked a second time"
    for tool in asked_again:
        keys = {one.key for one in facts.to(tool)}
        if len(keys) > 1 or None in keys:
            return VIOLATED, f"{len(facts.to(tool))} requests to {tool} for one operation came under {_keys(keys)}"
    return HOLDS, f"{asked_again[0]} was asked {len(facts.to(asked_again[0]))} times, each time under the same key"


def acts_at_most_once(facts: Facts) -> Said:
    """EFFECT.4"""
    if not facts.tools:
        return SILENT, "no tool was asked"
    for tool in facts.tools:
        if facts.acts(tool) > 1:
            return VIOLATED, f"{tool} took effect {facts.acts(tool)} times, and the program uses it once"
    return HOLDS, "each tool took effect once at most"


def lost_is_unknown(facts: Facts) -> Said:
    """EFFECT.5: an effect nobody heard of must be visible as such in the end."""
    if not facts.lost_effects:
        return SILENT, "in the end every effect had been heard of"
    lost, state = ", ".join(facts.lost_effects), facts.last.native or facts.last.state
    if facts.last.state == "unknown" or facts.last.unresolved:
        return HOLDS, f"{lost} took effect unheard, and the engine says that something is unresolved"
    return VIOLATED, f"{lost} took effect and nobody heard of it; the run is {state}, and nothing is said to be unknown"


def cost_is_within(facts: Facts) -> Said:
    """COST.2"""
    if facts.last.recorded_cents is None:
        return NO, "the engine's record of the run has no results to add up"
    low, high = facts.last.recorded_cents, facts.last.recorded_cents + facts.last.held_cents
    interval = f"{low}" if low == high else f"{low} to {high}"
    if low <= facts.true_cents <= high:
        return HOLDS, f"{facts.true_cents} cents were spent, and what is recorded gives {interval}"
    return VIOLATED, f"{facts.true_cents} cents were spent, but what is recorded gives {interval}"


def asking_again_is_an_attempt(facts: Facts) -> Said:
    """HISTORY.7: that a request to the model was lost stays visible; in doubt an attempt of the run was one of it."""
    asked = [one for one in facts.requests if one.endpoint is Endpoint.MODEL]
    if len(asked) == len({one.digest for one in asked}):
        return SILENT, "the model was asked nothing twice"
    shown = facts.last.model_attempts
    if shown is None:
        return NO, "the engine does not show how often a step was attempted"
    if shown < len(asked):
        return VIOLATED, f"the model was asked {len(asked)} times, and the record of the run shows {shown}"
    return HOLDS, f"the model was asked {len(asked)} times, and the record of the run has {shown} attempts"


def what_is_done_is_reused(facts: Facts) -> Said:
    """SETTLE.7: once a later step has begun, no earlier one is done again."""
    if facts.killed_at is None or not any(one.at > facts.killed_at for one in facts.requests):
        return SILENT, "nothing was sent after a worker had been killed"
    stages = dict.fromkeys((one.endpoint, tool_of(one), one.digest) for one in facts.requests)
    order = [list(stages).index((one.endpoint, tool_of(one), one.digest)) for one in facts.requests]
    for number, (stage, before) in enumerate(zip(order[1:], order, strict=False), 2):
        if stage < before:
            one = facts.requests[number - 1]
            return VIOLATED, f"request {number} asks {tool_of(one) or 'the model'} again, after a later step had begun"
    return HOLDS, "after the kill no step was repeated that a later one had followed"


def an_end_is_reached(facts: Facts) -> Said:
    """SETTLE.10"""
    end = facts.first_end or facts.last
    if end.state in OVER:
        return HOLDS, f"the run came to its end: {end.native or end.state}"
    return OPEN, f"it had not ended as long as it was looked at: {facts.last.native or facts.last.state}"


def an_end_is_written_once(facts: Facts) -> Said:
    """FENCE.6"""
    if facts.first_end is None or facts.woken_at is None:
        return SILENT, "no worker woke after the run had ended"
    first, last = _end(facts.first_end), _end(facts.last)
    if first != last:
        return VIOLATED, f"the run had ended as {first}; after the sleeper woke it is {last}"
    return HOLDS, "the end is as it was before the sleeper woke"


def nothing_is_sent_after_the_end(facts: Facts) -> Said:
    """FENCE.7"""
    if facts.woken_at is None or facts.first_end is None:
        return SILENT, "no worker woke after the run had ended"
    late = [tool_of(one) or "the model" for one in facts.requests if one.at > facts.woken_at]
    if late:
        return VIOLATED, f"after the run had ended, the worker that woke asked {', '.join(late)}"
    return HOLDS, "the worker that woke sent nothing"


def drift_invalidates(facts: Facts) -> Said:
    """APPROVAL.3"""
    sent = [one.digest for one in facts.to("transfer")]
    if transfer_of(CHANGED_CENTS) in sent:
        return VIOLATED, f"{SHOWN_CENTS} cents were shown and approved, and {CHANGED_CENTS} were sent"
    if transfer_of(SHOWN_CENTS) in sent:
        return HOLDS, f"what was sent is what was shown: {SHOWN_CENTS} cents{_meanwhile(facts)}"
    return HOLDS, f"nothing was sent{_meanwhile(facts)}"


def its_own_branch(facts: Facts) -> Said:
    """VERSION.5"""
    sent = [one.digest for one in facts.to("transfer")]
    if transfer_of(CHANGED_CENTS) in sent:
        return VIOLATED, "the run that had waited went on along the branch of the new release"
    if transfer_of(SHOWN_CENTS) in sent:
        return HOLDS, f"the run went on along its own branch{_meanwhile(facts)}"
    if facts.last.state in ENDED:
        return HOLDS, f"it was refused visibly: {facts.last.native or facts.last.state} {facts.last.error[:200]}"
    return OPEN, f"it did not go on, and had not ended: {facts.last.native or facts.last.state}"


def nothing_is_sent_after_cancelling(facts: Facts) -> Said:
    """CANCEL.1"""
    if facts.cancelled_at is None:
        return SILENT, "nothing was cancelled"
    late = [tool_of(one) or "the model" for one in facts.requests if one.at > facts.cancelled_at]
    if late:
        return VIOLATED, f"after the request to cancel it was sent to {', '.join(late)}"
    return HOLDS, "after the request to cancel nothing was sent"


def a_late_answer_has_no_effect(facts: Facts) -> Said:
    """CANCEL.5"""
    if facts.cancelled_at is None:
        return SILENT, "nothing was cancelled"
    state = facts.last.native or facts.last.state
    if facts.to("transfer"):
        return VIOLATED, f"an approval that came after the cancelling had its effect; the run is {state}"
    if facts.last.state != "cancelled":
        return OPEN, f"the approval had no effect, but the run is {state}, and not cancelled"
    return HOLDS, "the approval came too late, and the run stayed cancelled"


JUDGED: dict[str, tuple[str, Judge]] = {
    "EFFECT.2": ("Every request for one operation carries the same key.", one_key_for_every_sending),
    "EFFECT.4": ("For one operation a tool takes effect once at most.", acts_at_most_once),
    "EFFECT.5": ("An effect nobody heard of is said to be unknown in the end.", lost_is_unknown),
    "COST.2": ("What was spent lies between what is recorded and what is recorded or held.", cost_is_within),
    "HISTORY.7": (
        "That a request to the model was lost stays visible, be it only as one more attempt of the run.",
        asking_again_is_an_attempt,
    ),
    "SETTLE.7": ("After a worker died, no step is repeated that a later one had followed.", what_is_done_is_reused),
    "SETTLE.10": ("The run comes to an end.", an_end_is_reached),
    "FENCE.6": ("The end of a run is written once.", an_end_is_written_once),
    "FENCE.7": ("After the end nothing is sent.", nothing_is_sent_after_the_end),
    "APPROVAL.3": ("What is sent is what whoever approved was shown.", drift_invalidates),
    "CANCEL.1": ("After the request to cancel nothing is sent.", nothing_is_sent_after_cancelling),
    "CANCEL.5": ("An approval that comes after the cancelling has no effect.", a_late_answer_has_no_effect),
    "VERSION.5": ("A run that waited through an upgrade goes on along its own branch, or is refused.", its_own_branch),
}
"""What can be judged without looking inside: by the id of the rule, how much of it."""


def _keys(keys: set[str | None]) -> str:
    return "no key" if keys == {None} else f"{len(keys)} different keys"


def _end(standing: Standing) -> str:
    """State and result in a form in which two can be compared: engines reorder the names in JSON."""
    return f"{standing.native or standing.state} {json.dumps(standing.result, sort_keys=True, default=str)}"


def _meanwhile(facts: Facts) -> str:
    """What became of it as long as only the new release was there."""
    if facts.upgraded is None or facts.upgraded.state in ENDED:
        return ""
    return f"; with the new release alone it was {facts.upgraded.native or facts.upgraded.state}"
