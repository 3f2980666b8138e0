"""The proof that the rules can fail: real, from the model, and worth nothing when it did not come to its end."""

import os
import signal
from dataclasses import replace

import pytest

from keepfact.conformance.selftest import (
    Proving,
    SelfTest,
    fitting_defects,
    fitting_scopes,
    how_it_shows,
    hunt,
    near,
    prove_the_model,
    scope_record,
)
from keepfact.conformance.verdicts import Verdict
from keepfact.model.defects import DEFECTS
from keepfact.model.explore import explore
from keepfact.model.scopes import SCOPES, SPINE, Scope
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Capability, Contract

from .conftest import SPINE_ONLY

SMALLEST: Scope = min(SCOPES, key=lambda scope: scope.edges)
EVERYTHING = (frozenset(Contract), frozenset(Capability))


def scope_named(name: str) -> Scope:
    return next(scope for scope in SCOPES if scope.name == name)


# What is proved


def test_every_rule_is_caught_on_something_by_a_defect_that_was_predicted_for_it(proof: SelfTest) -> None:
    applying = [rule.id for rule in BOOK.rules if rule.applies_to(*SPINE_ONLY)]
    assert [rule for rule in applying if rule not in proof.caught()] == []
    assert [defect.name for defect in proof.defects if not set(defect.predicted) <= set(defect.killed_by)] == []


def test_a_system_that_can_do_everything_is_proved_with_everything() -> None:
    assert fitting_scopes(*EVERYTHING) == SCOPES
    assert fitting_defects(*EVERYTHING) == tuple(DEFECTS.values())


def test_a_system_of_the_spine_is_proved_with_nothing_that_it_cannot_do() -> None:
    assert set(SPINE) <= set(fitting_scopes(*SPINE_ONLY)) < set(SCOPES)
    for defect in fitting_defects(*SPINE_ONLY):
        assert not defect.needs
        assert all(BOOK.rule(rule).applies_to(*SPINE_ONLY) for rule in defect.predicted)


def test_what_is_declared_in_addition_is_proved_in_addition() -> None:
    more = (SPINE_ONLY[0], frozenset({Capability.WAITS}))
    assert {scope.name for scope in set(fitting_scopes(*more)) - set(fitting_scopes(*SPINE_ONLY))} == {
        "waits",
        "timers",
    }
    added = set(fitting_defects(*more)) - set(fitting_defects(*SPINE_ONLY))
    assert added
    assert all(any(BOOK.rule(rule).needs for rule in defect.predicted) or defect.needs for defect in added)


def test_a_contract_that_is_not_declared_is_not_explored() -> None:
    assert {scope.contract for scope in fitting_scopes(SPINE_ONLY[0], frozenset(Capability))} == {Contract.SETTLE}


def test_a_proof_explores_what_fits_and_hunts_what_fits_there(monkeypatch: pytest.MonkeyPatch) -> None:
    scopes = (scope_named("neighbours"), scope_named("waits"))
    chosen = {name: DEFECTS[name] for name in ("the_fence_is_not_checked", "a_child_reports_before_it_has_ended")}
    monkeypatch.setattr("keepfact.conformance.selftest.SCOPES", scopes)
    monkeypatch.setattr("keepfact.conformance.selftest.DEFECTS", chosen)
    proof = prove_the_model(*SPINE_ONLY)
    assert [(record.name, record.verdict) for record in proof.scopes] == [("neighbours", Verdict.HOLDS)]
    assert [record.name for record in proof.defects] == ["the_fence_is_not_checked"]


def test_of_some_rules_it_is_proven_that_they_can_fail_and_nothing_else() -> None:
    proof = prove_the_model(*SPINE_ONLY, frozenset({"FENCE.1"}))
    assert proof.scopes == ()
    assert "FENCE.1" in proof.caught()
    assert all("FENCE.1" in defect.predicted for defect in proof.defects)


# Hunting


def test_a_defect_that_changes_nothing_is_caught_by_nothing() -> None:
    defect = DEFECTS["the_fence_is_not_checked"]
    harmless = replace(defect, step=step, show=view)
    assert hunt(harmless, (SMALLEST,)).killed_by == ()


@pytest.mark.parametrize(
    ("name", "first"), [("a_child_reports_before_it_has_ended", "children"), ("drift_is_not_looked_at", "approvals")]
)
def test_a_defect_is_hunted_first_where_something_happens_that_its_rules_are_about(name: str, first: str) -> None:
    names = [scope.name for scope in near(DEFECTS[name], SCOPES)]
    assert sorted(names) == sorted(scope.name for scope in SCOPES)
    assert first in names[:4]
    assert "core" in names[-4:]


@pytest.mark.parametrize("name", ["a_child_reports_before_it_has_ended", "the_fence_is_not_checked"])
def test_how_a_defect_shows_ends_in_a_rule_that_was_to_catch_it(name: str) -> None:
    shown = how_it_shows(DEFECTS[name])
    assert {broken.rule for broken in shown} & set(DEFECTS[name].predicted)
    assert all(BOOK.rule(broken.rule).holds(broken.path[-1]) is False for broken in shown)


# Exploring


def test_a_scope_that_is_right_and_as_large_as_pinned_holds() -> None:
    record = scope_record(explore(SMALLEST))
    assert record.verdict is Verdict.HOLDS
    assert (record.states, record.edges) == (SMALLEST.states, SMALLEST.edges)
    assert record.checked


def test_a_scope_of_another_size_than_pinned_decides_nothing() -> None:
    record = scope_record(explore(replace(SMALLEST, states=SMALLEST.states + 1)))
    assert record.verdict is Verdict.INCONCLUSIVE


def test_a_scope_in_which_a_rule_breaks_is_violated() -> None:
    defect = DEFECTS["the_fence_is_not_checked"]
    assert scope_record(explore(SCOPES[0], defect.step, stop_at=lambda found: bool(found.broken))).verdict is (
        Verdict.VIOLATED
    )


# In a process of its own


def test_a_proof_whose_process_was_killed_proves_nothing() -> None:
    with Proving(*SPINE_ONLY) as proving:
        pid = proving._process.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        assert proving.result() == SelfTest((), ())


def test_a_proof_that_nobody_waits_for_is_stopped() -> None:
    with Proving(*SPINE_ONLY) as proving:
        process = proving._process
        assert process.is_alive()
    assert not process.is_alive()


def test_ctrl_c_does_not_reach_the_proof_however_early_it_comes() -> None:
    """A terminal sends it to the whole group; here it goes to the process alone, before that can have done anything."""
    with Proving(*SPINE_ONLY) as proving:
        pid = proving._process.pid
        assert pid is not None
        os.kill(pid, signal.SIGINT)
        assert not proving._answer.poll(1)  # a closed pipe would be readable
        assert proving._process.is_alive()
