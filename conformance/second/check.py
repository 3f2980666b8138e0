"""Folds a history, step by step, into the account and complains where what is shown cannot be squared with it."""

from collections.abc import Iterable
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

NOT_JUDGED: dict[str, str] = {}
"""The rules that cannot be judged from such a history, each with the reason."""


def check(history: Iterable[dict[str, Any]]) -> list[Complaint]:
    """Everything that is wrong, in order of steps; the same thing is said once a step."""
    account = Account()
    return [complaint for number, step in enumerate(history, 1) for complaint in _of_step(number, step, account)]


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
        yield from unlike_truth(seen)
        yield from never_acted(seen)
        yield from interval(seen)
        yield from unlike_store(seen, account)
