"""Each rule that is judged from outside accepts what is right, rejects what is wrong, and stays silent else."""

from datetime import date

import pytest

from keepfact.conformance.field import About, Promise, Standing, added_up
from keepfact.conformance.verdicts import Verdict
from keepfact.fault_injection.field.facts import Facts
from keepfact.fault_injection.field.judging import JUDGED, judged

from .told import SUCCEEDED, WHOLE, facts, request

HOLDS, VIOLATED, SILENT = Verdict.HOLDS, Verdict.VIOLATED, Verdict.NOT_EXERCISED
OPEN, NO = Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE

PLAN, PAID, MOVED, WORDS = WHOLE
UNHEARD = request("pay", heard=False)
ABOUT = About(engine="an engine", mode="default", key="an id", document="its manual")


def standing(state: str = "succeeded", **more: object) -> Standing:
    return SUCCEEDED.model_copy(update={"state": state, "native": state, **more})


@pytest.mark.parametrize(
    ("rule", "seen", "verdict"),
    [
        ("EFFECT.2", facts(*WHOLE), SILENT),
        ("EFFECT.2", facts(PLAN, UNHEARD, request("pay", acts=False), MOVED, WORDS), HOLDS),
        ("EFFECT.2", facts(PLAN, UNHEARD, request("pay", key="other"), MOVED, WORDS), VIOLATED),
        ("EFFECT.2", facts(PLAN, request("pay", key=None), request("pay", key=None)), VIOLATED),
        ("EFFECT.4", facts(PLAN), SILENT),
        ("EFFECT.4", facts(PLAN, UNHEARD, request("pay", acts=False)), HOLDS),
        ("EFFECT.4", facts(PLAN, UNHEARD, request("pay", key="other")), VIOLATED),
        ("EFFECT.5", facts(PLAN, UNHEARD, request("pay", acts=False)), SILENT),
        ("EFFECT.5", facts(PLAN, UNHEARD, last=standing("unknown", unresolved=1)), HOLDS),
        ("EFFECT.5", facts(PLAN, UNHEARD, last=standing("failed")), VIOLATED),
        ("EFFECT.5", facts(PLAN, UNHEARD, request("pay", key="other")), VIOLATED),
        ("COST.2", facts(*WHOLE), HOLDS),
        ("COST.2", facts(PLAN, *WHOLE, last=standing(recorded_cents=29, held_cents=10)), HOLDS),
        ("COST.2", facts(PLAN, *WHOLE), VIOLATED),
        ("COST.2", facts(PLAN, last=standing("failed", recorded_cents=29)), VIOLATED),
        ("COST.2", facts(*WHOLE, last=standing(recorded_cents=None)), NO),
        ("HISTORY.7", facts(*WHOLE), SILENT),
        ("HISTORY.7", facts(PLAN, *WHOLE, last=standing(model_attempts=3)), HOLDS),
        ("HISTORY.7", facts(PLAN, *WHOLE), VIOLATED),
        ("HISTORY.7", facts(PLAN, *WHOLE, last=standing(model_attempts=None)), NO),
        ("SETTLE.7", facts(*WHOLE), SILENT),
        ("SETTLE.7", facts(*WHOLE, killed_at=2.0), SILENT),
        ("SETTLE.7", facts(PLAN, request("pay", at=3.0), killed_at=2.0), HOLDS),
        ("SETTLE.7", facts(PLAN, PAID, request("plan", at=3.0), killed_at=2.0), VIOLATED),
        ("SETTLE.10", facts(*WHOLE), HOLDS),
        ("SETTLE.10", facts(PLAN, last=standing("unknown")), HOLDS),
        ("SETTLE.10", facts(PLAN, last=standing("running")), OPEN),
        ("FENCE.6", facts(*WHOLE), SILENT),
        ("FENCE.6", facts(*WHOLE, first_end=SUCCEEDED, woken_at=2.0), HOLDS),
        ("FENCE.6", facts(*WHOLE, first_end=SUCCEEDED, woken_at=2.0, last=standing("waiting")), VIOLATED),
        ("FENCE.6", facts(*WHOLE, first_end=standing(result={"a": 1, "b": 2}), woken_at=2.0,
                          last=standing(result={"b": 2, "a": 1})), HOLDS),
        ("FENCE.7", facts(*WHOLE), SILENT),
        ("FENCE.7", facts(*WHOLE, first_end=SUCCEEDED, woken_at=2.0), HOLDS),
        ("FENCE.7", facts(*WHOLE, request("pay", at=3.0), first_end=SUCCEEDED, woken_at=2.0), VIOLATED),
        ("APPROVAL.3", facts(PLAN, PAID, last=standing("waiting")), HOLDS),
        ("APPROVAL.3", facts(*WHOLE), HOLDS),
        ("APPROVAL.3", facts(PLAN, PAID, request("transfer", cents=1000)), VIOLATED),
        ("CANCEL.1", facts(*WHOLE), SILENT),
        ("CANCEL.1", facts(PLAN, PAID, cancelled_at=2.0), HOLDS),
        ("CANCEL.1", facts(PLAN, PAID, request("transfer", at=3.0), cancelled_at=2.0), VIOLATED),
        ("CANCEL.5", facts(*WHOLE), SILENT),
        ("CANCEL.5", facts(PLAN, PAID, cancelled_at=2.0, last=standing("cancelled")), HOLDS),
        ("CANCEL.5", facts(PLAN, PAID, cancelled_at=2.0, last=standing("waiting")), OPEN),
        ("CANCEL.5", facts(PLAN, PAID, MOVED, cancelled_at=2.0), VIOLATED),
        ("VERSION.5", facts(*WHOLE), HOLDS),
        ("VERSION.5", facts(PLAN, PAID, last=standing("failed")), HOLDS),
        ("VERSION.5", facts(PLAN, PAID, last=standing("waiting")), OPEN),
        ("VERSION.5", facts(PLAN, PAID, request("transfer", cents=1000)), VIOLATED),
    ],
)  # fmt: skip
def test_a_rule_is_judged_by_what_was_seen(rule: str, seen: Facts, verdict: Verdict) -> None:
    [finding] = judged(seen, [rule], ABOUT)
    assert finding.verdict is verdict, finding.why
    assert finding.why


def test_every_judge_is_seen_to_accept_and_to_reject() -> None:
    [mark] = [mark for mark in test_a_rule_is_judged_by_what_was_seen.pytestmark if mark.name == "parametrize"]  # type: ignore[attr-defined]  # set by the decorator
    shown = {(rule, verdict) for rule, _, verdict in mark.args[1]}
    assert {rule for rule in JUDGED if (rule, HOLDS) in shown} == set(JUDGED)
    assert {rule for rule in JUDGED if {(rule, VIOLATED), (rule, OPEN)} & shown} == set(JUDGED)


def test_what_is_promised_stands_beside_what_was_seen() -> None:
    promise = Promise(rule="COST.2", says="costs are kept", document="the manual")
    [finding] = judged(facts(PLAN, *WHOLE), ["COST.2"], ABOUT.model_copy(update={"promises": (promise,)}))
    assert finding.promise == "costs are kept (the manual, not looked up)"


def test_it_is_said_when_and_where_a_promise_was_looked_up() -> None:
    document = "https://example.org/manual#costs"
    promise = Promise(rule="COST.2", says="costs are kept", document=document, checked=date(2026, 1, 31))
    [finding] = judged(facts(PLAN, *WHOLE), ["COST.2"], ABOUT.model_copy(update={"promises": (promise,)}))
    assert finding.promise == f"costs are kept ({document}, looked up 2026-01-31)"


def test_what_was_seen_in_one_trial_is_not_said_of_others_that_broke_the_rule_otherwise() -> None:
    broken = [judged(facts(PLAN, *more, *WHOLE), ["COST.2"], ABOUT)[0] for more in ((), (WORDS,))]
    [both] = added_up(broken)
    assert both.why == "broken in 2 of 2 trials; for example: 32 cents were spent, but what is recorded gives 29"


def test_what_one_trial_shows_is_not_undone_by_another_in_which_it_did_not_come_up() -> None:
    silent, broken, sound = (judged(seen, ["EFFECT.2"], ABOUT)[0] for seen in (
        facts(*WHOLE),
        facts(PLAN, UNHEARD, request("pay", key="other")),
        facts(PLAN, UNHEARD, request("pay", acts=False)),
    ))  # fmt: skip
    [both] = added_up([silent, sound])
    assert both.verdict is HOLDS
    [all_three] = added_up([sound, silent, broken])
    assert all_three.verdict is VIOLATED
    assert all_three.why.endswith("(so in 1 of 3 trials)")
