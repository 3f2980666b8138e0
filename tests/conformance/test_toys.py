"""Systems and adapters that are wrong in one way each: none passes, and each is told what is wrong with it."""

from pathlib import Path

import pytest

from keepfact.conformance.asking import AdapterError
from keepfact.conformance.evidence import Footer, LockstepRecord, NotShownRecord, StoryRecord
from keepfact.conformance.patience import VARIABLE
from keepfact.conformance.verdicts import ExitCode, Level, Verdict

from .conftest import Verified, Verify


def test_a_right_system_holds_and_every_rule_that_was_judged_is_known_to_fail_on_something(verify: Verify) -> None:
    verified = verify("toys:SpineOnly")
    assert verified.conclusion.verdict is Verdict.HOLDS
    assert verified.conclusion.exit_code is ExitCode.CONFORMANT
    assert verified.conclusion.level is Level.PARTIAL  # it offers no more than the spine
    holding = [record for record in verified.conclusion.rules if record.verdict is Verdict.HOLDS]
    assert holding
    assert all(record.caught and sum(record.exercised.values()) for record in holding)


def test_refusing_everything_is_not_a_pass(verify: Verify) -> None:
    """What it says is not so: no run has to be there for one to be submitted."""
    verified = verify("toys:RefusesEverything")
    assert verified.conclusion.verdict is Verdict.VIOLATED
    assert _story(verified).rule == "ENTRY.5"


def test_refusing_everything_for_a_reason_that_may_be_so_is_not_a_pass(verify: Verify) -> None:
    """The model says what can be done; a system that does not do it disagrees."""
    verified = verify("toys:ForbidsEverything")
    assert verified.conclusion.verdict is Verdict.VIOLATED
    story = _story(verified)
    assert (story.rule, story.expected, story.seen) == ("MODEL", "it was done", "it was refused (not_allowed)")


def test_losing_everything_is_not_a_pass(verify: Verify) -> None:
    verified = verify("toys:LosesEverything")
    assert verified.conclusion.verdict is Verdict.INCONCLUSIVE
    assert verified.conclusion.exit_code is ExitCode.INCONCLUSIVE
    assert verified.conclusion.level is Level.NONE
    assert verified.lockstep.note.startswith("never once done: Claim, Fail, Intend")


def test_answers_that_are_lost_on_a_bad_line_break_no_rule(verify: Verify) -> None:
    verified = verify("toys:LosesSome")
    assert verified.conclusion.verdict is Verdict.HOLDS
    assert all(outcomes.get("Lost") for outcomes in verified.lockstep.outcomes.values())


def test_observing_that_writes_is_found(verify: Verify) -> None:
    verified = verify("toys:WritesWhenWatched")
    assert verified.conclusion.exit_code is ExitCode.VIOLATED
    assert _story(verified).lines


def test_a_defect_of_the_model_in_a_system_is_named_by_the_rule_it_breaks(verify: Verify) -> None:
    verified = verify("toys:TakesLapsedRuns")
    assert verified.verdict_of("ENTRY.4") == "VIOLATED"
    assert verified.conclusion.exit_code is ExitCode.VIOLATED
    story = _story(verified)
    assert story.rule == "ENTRY.4"
    assert len(story.lines) == 4  # submitted, claimed, time passed, claimed by another
    assert story.replay == "replay_entry_4.py"


def test_the_adapter_to_start_from_is_told_what_is_naive_in_it(verify: Verify, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples"))
    verified = verify("toy_store:ToyStore")
    assert verified.verdict_of("FENCE.2") == "VIOLATED"
    assert _story(verified).rule == "FENCE.2"


@pytest.mark.parametrize("name", ["PromisesToResume", "PromisesBoth", "OffersWaits"])
def test_whatever_is_declared_is_tried(verify: Verify, name: str) -> None:
    """What is lacking to a pass is the proof of the additional rules, which these tests do not make."""
    verified = verify(f"toys:{name}")
    assert verified.lockstep.verdict is Verdict.HOLDS
    untried = {record.rule for record in verified.conclusion.rules if record.verdict is Verdict.NOT_EXERCISED}
    assert untried == ({"WAKE.10", "WAKE.11"} if name == "OffersWaits" else set())  # of approvals, and of children


def test_what_is_offered_and_not_driven_is_said_and_is_not_a_pass(verify: Verify) -> None:
    verified = verify("toys:OffersLookups")
    assert verified.conclusion.verdict is Verdict.NOT_EXERCISED
    assert verified.conclusion.exit_code is ExitCode.INCONCLUSIVE
    assert verified.verdict_of("VERSION.7") == "NOT_EXERCISED"
    assert verified.verdict_of("CANCEL.1") == "NOT_APPLICABLE"
    said = [record.text for record in verified.records if isinstance(record, NotShownRecord)]
    assert "Lockstep does not drive lookup, which the system declares." in said


def test_a_system_that_is_wrong_once_is_violated_and_said_not_to_have_done_it_again(verify: Verify) -> None:
    verified = verify("toys:WrongOnce")
    assert verified.conclusion.verdict is Verdict.VIOLATED
    assert verified.lockstep.note.startswith("the same commands, given again, did not break the rule again")
    assert _story(verified).replay is None


BROKEN_ADAPTERS = [
    "RaisesOnTheThird",
    "ExitsOnTheThird",
    "RaisesOnTick",
    "AnswersNothing",
    "ShowsStrings",
]


@pytest.mark.parametrize("name", BROKEN_ADAPTERS)
def test_a_broken_adapter_is_no_verdict(verify: Verify, name: str) -> None:
    with pytest.raises(AdapterError, match=r"^expected the adapter of .* to .*, but .*"):
        verify(f"broken:{name}")


_RAISES_LATE = (
    r"^expected the adapter of raises late to perform .*lockstep-\d+-run-\d.*, but .* ValueError: a field was renamed"
)


def test_a_broken_adapter_is_told_though_it_breaks_once_deep_in_the_search(verify: Verify) -> None:
    """There Hypothesis makes the same moves again, and would say that the failure is not reliable."""
    with pytest.raises(AdapterError, match=_RAISES_LATE):
        verify("broken:RaisesLate")


@pytest.mark.parametrize("name", ["HangsOnTheThird", "HangsStubbornly"])
def test_a_system_that_hangs_is_a_broken_adapter(verify: Verify, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(VARIABLE, "0.2")
    with pytest.raises(AdapterError, match=r"to perform .* had not answered after 0\.2 seconds\. Have it answer Lost"):
        verify(f"broken:{name}")


@pytest.mark.parametrize("name", ["ClockJumps", "ClockStands", "ClockRunsBack", "DeclaresMore"])
def test_what_is_not_as_declared_is_violated(verify: Verify, name: str) -> None:
    verified = verify(f"toys:{name}")
    assert (verified.conclusion.exit_code, verified.conclusion.level) == (ExitCode.VIOLATED, Level.NONE)
    assert _story(verified).lines


def test_a_verdict_is_in_the_footer_and_nowhere_without_one(verify: Verify) -> None:
    records = verify("toys:TakesLapsedRuns").records
    assert isinstance(records[-1], Footer)
    assert (records[-1].verdict, records[-1].exit_code) == (Verdict.VIOLATED, ExitCode.VIOLATED)
    assert records[-1].counts["lockstep"] == sum(isinstance(record, LockstepRecord) for record in records) == 1


def _story(verified: Verified) -> StoryRecord:
    return next(record for record in verified.records if isinstance(record, StoryRecord))
