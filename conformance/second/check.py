"""Folds a history, step by step, into the account and complains where what is shown cannot be squared with it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .account import Account
from .approvals import ill_decided, ill_shown, ill_used
from .complaint import Complaint, Findings
from .happenings import ill_happened, unlike_store
from .histories import ill_read, ill_recorded, ill_signed, ill_told, unexplained, unlike_fold
from .licences import unlicensed
from .objections import wrongly_answered
from .outside import ill_answered, interval, never_acted, unlike_truth
from .promises import unkept
from .seen import Seen
from .states import unlike_end, unlike_lease, unlike_ledger, unlike_lists
from .waits import ill_delivered, ill_sealed, unlike_waits
from .words import Thing, run_in

NOT_JUDGED = {
    "FENCE.5": "that check and write are one transaction shows only where commands meet; here one follows the other",
    "HISTORY.3": "that the database itself refuses a change shows only to somebody who tries; here that none was made",
    "HISTORY.5": "one host is seen at a time; here that the same history never has two next decisions",
    "HISTORY.8": "logs, reports and process images are not in a history; here what is shown and answered",
    "EFFECT.2": "what a tool does with a fence that comes too late is the tool's; here that key and fence travel",
    "EFFECT.8": "backoff, deadlines and what a tool refuses are not shown; here the number of sends and requests",
    "EFFECT.9": "streams of an answer under way are not shown; here that an answer is whole and stays",
    "CANCEL.2": "that a call was reached by what it was told is not shown; here that it was told",
    "VERSION.3": "the replay itself happens before the deployment; here what it is said to have come to",
    "VERSION.8": "what an old release does on new tables is not shown; here which releases are let in",
    "CONTINUE.7": "whether a source was asked again shows only to the source; here that reading writes nothing else",
    "TENANT.2": "roles of the database are not in a history; here that a session at the wrong door is refused",
}
"""What of a rule cannot be judged from such a history, and what is judged of it here. All others are judged whole."""

JUDGED_OF_A_STATE = (
    *("ENTRY.4", "FENCE.1", "FENCE.3", "FENCE.6", "FENCE.7", "HISTORY.1", "HISTORY.2", "HISTORY.3", "HISTORY.4"),
    *("HISTORY.5", "HISTORY.8", "HISTORY.9", "EFFECT.1", "EFFECT.2", "EFFECT.3", "EFFECT.5", "EFFECT.8", "EFFECT.12"),
    *("EFFECT.13", "COST.1", "COST.4", "COST.6", "COST.7", "COST.8", "SETTLE.1", "SETTLE.3", "SETTLE.4", "SETTLE.5"),
    *("SETTLE.6", "WAKE.1", "WAKE.3", "WAKE.4", "WAKE.5", "WAKE.7", "WAKE.8", "APPROVAL.6", "CANCEL.1", "CANCEL.3"),
    *("CANCEL.5", "VERSION.1", "VERSION.5", "CONTINUE.10"),
)
"""The rules that what is shown can break by itself, whatever was asked; of each only that part is judged."""


def check(history: Iterable[dict[str, Any]]) -> list[Complaint]:
    """Everything that is wrong, in order of steps; the same thing is said once a step."""
    checker = Checker()
    return [complaint for step in history for complaint in checker.see(step)]


@dataclass
class Checker:
    """Checks a history step by step. A step whose truth is None is judged without what happened outside."""

    account: Account = field(default_factory=Account)
    steps: int = 0

    def see(self, step: Thing) -> list[Complaint]:
        """What is wrong with the next step."""
        self.steps += 1
        return _of_step(self.steps, step, self.account)


def check_state(observation: Thing) -> list[Complaint]:
    """What is wrong with what a system shows, whatever came before. Nothing is known of what happened outside."""
    around = {"cause": {"is": "Restarted"}, **dict.fromkeys(("outcome", "truth_before", "truth", "repeats", "session"))}
    before = {**observation, "runs": []}  # so that every run is looked at
    seen, account = Seen(1, {"before": before, "after": observation, **around}), Account()
    account.learn(seen)
    return [Complaint(1, rule, sentence) for rule, sentence in dict.fromkeys(_as_it_stands(seen, account))]


def _of_step(number: int, step: Thing, account: Account) -> list[Complaint]:
    repeats = account.answer_to(step["cause"]) or step["repeats"]
    seen = Seen(number, step, repeats)
    found = list(_on_the_way(seen, account))
    account.learn(seen)
    found += account.contradictions(seen)
    found += _as_it_stands(seen, account)
    return list(dict.fromkeys(Complaint(number, rule, sentence) for rule, sentence in found))


def _on_the_way(seen: Seen, account: Account) -> Findings:
    """What is wrong with a step, given everything before it."""
    yield from unlicensed(seen, account)
    yield from wrongly_answered(seen, account)
    yield from unkept(seen, account)
    yield from ill_signed(seen)
    yield from ill_recorded(seen)
    yield from unexplained(seen)
    yield from ill_read(seen)
    if seen.truth is not None:
        yield from ill_answered(seen)
    yield from ill_happened(seen)
    yield from ill_sealed(seen)
    yield from ill_delivered(seen)
    yield from ill_shown(seen)
    yield from ill_decided(seen)
    yield from ill_used(seen)


def _as_it_stands(seen: Seen, account: Account) -> Findings:
    """What is wrong with what is shown now. What did not change has been judged before."""
    for run in seen.after["runs"]:
        before = run_in(seen.before, run["run"])
        if run is before or (run == before and seen.number > 1):
            continue
        yield from ill_told(run, account)
        yield from unlike_fold(run)
        yield from unlike_ledger(run)
        yield from unlike_lease(run)
        yield from unlike_end(run)
        yield from unlike_lists(run)
        yield from unlike_waits(run)
    if seen.changes or seen.truth != seen.truth_before or seen.number == 1:
        if seen.truth is not None:
            yield from unlike_truth(seen)
            yield from never_acted(seen)
            yield from interval(seen)
        yield from unlike_store(seen, account)
