"""The proof that the rules can fail: real, from the model, and worth nothing when it did not come to its end."""

import os
import signal
from dataclasses import replace

from keepfact.conformance.selftest import Proving, SelfTest, hunt, scope_record
from keepfact.conformance.verdicts import Verdict
from keepfact.model.defects import DEFECTS
from keepfact.model.explore import explore
from keepfact.model.scopes import SCOPES, Scope
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec.book import BOOK

SMALLEST: Scope = min(SCOPES, key=lambda scope: scope.edges)


def test_every_rule_is_caught_on_something_by_a_defect_that_was_predicted_for_it(proof: SelfTest) -> None:
    assert [rule.id for rule in BOOK.rules if not proof.caught_by(rule.id)] == []
    assert [defect.name for defect in proof.defects if not set(defect.predicted) <= set(defect.killed_by)] == []


def test_a_defect_that_changes_nothing_is_caught_by_nothing() -> None:
    defect = DEFECTS["the_fence_is_not_checked"]
    harmless = replace(defect, step=step, show=view)
    assert hunt(harmless, (SMALLEST,)).killed_by == ()


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


def test_a_proof_whose_process_was_killed_proves_nothing() -> None:
    with Proving() as proving:
        pid = proving._process.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        assert proving.result() == SelfTest((), ())


def test_a_proof_that_nobody_waits_for_is_stopped() -> None:
    with Proving() as proving:
        process = proving._process
        assert process.is_alive()
    assert not process.is_alive()


def test_ctrl_c_does_not_reach_the_proof_however_early_it_comes() -> None:
    """A terminal sends it to the whole group; here it goes to the process alone, before that can have done anything."""
    with Proving() as proving:
        pid = proving._process.pid
        assert pid is not None
        os.kill(pid, signal.SIGINT)
        assert not proving._answer.poll(1)  # a closed pipe would be readable
        assert proving._process.is_alive()
