"""What a run amounts to: each verdict with its reason, nothing hidden, and full only when all of it was shown."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from keepfact.conformance.evidence import (
    DefectRecord,
    EvidenceReader,
    EvidenceWriter,
    ExperimentRecord,
    Footer,
    NotShownRecord,
    ScopeRecord,
    StoryRecord,
)
from keepfact.conformance.judge import MODEL, Violation
from keepfact.conformance.profiles import Profile
from keepfact.conformance.proof import SelfTest
from keepfact.conformance.systems.reference import Reference
from keepfact.conformance.verdicts import ExitCode, Level, Verdict
from keepfact.conformance.verification import Verification
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Capability, Claim, CommandId, Contract, Done, Observation, RunId, Step, WorkerId

from .conftest import SPINE_ONLY

EMPTY = Observation()
STEP = Step(EMPTY, Claim(CommandId("1"), RunId("r"), WorkerId("w")), Done(), EMPTY)
APPLYING = [rule for rule in BOOK.rules if rule.applies_to(*SPINE_ONLY)]
"""The rules that a system of the spine can be held to."""

PROVEN = SelfTest((), tuple(DefectRecord(name=f"d-{r.id}", predicted=(r.id,), killed_by=(r.id,)) for r in BOOK.rules))


class SpineOnly(Reference):
    contracts = frozenset({Contract.SETTLE})
    capabilities = frozenset[Capability]()


class OffersEverything(Reference):
    capabilities = frozenset(Capability)


class OffersWaits(SpineOnly):
    capabilities = frozenset({Capability.WAITS})


class OffersLookups(SpineOnly):
    capabilities = frozenset({Capability.LOOKUP})


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Verification]:
    with EvidenceWriter(tmp_path / "evidence") as evidence:
        yield Verification(SpineOnly(), evidence, Profile.QUICK, 1)


def speak(run: Verification, part: str = "lockstep") -> None:
    """Every rule met its condition, and held."""
    for rule in BOOK.rules:
        run.judge.spoken[rule.id][part] += 1


def scope(verdict: Verdict) -> ScopeRecord:
    return ScopeRecord(
        name="s", bounds="", states=1, edges=1, pinned_states=1, pinned_edges=1, checked={}, states_without_end=0,
        verdict=verdict,
    )  # fmt: skip


def test_a_run_in_which_nothing_was_tried_shows_nothing(run: Verification) -> None:
    conclusion = run.conclude()
    assert (conclusion.verdict, conclusion.level) == (Verdict.NOT_EXERCISED, Level.NONE)
    assert conclusion.exit_code is ExitCode.INCONCLUSIVE


def test_every_rule_exercised_and_known_to_fail_on_something_is_full(tmp_path: Path) -> None:
    with EvidenceWriter(tmp_path / "evidence") as evidence:
        run = Verification(OffersEverything(), evidence, Profile.QUICK, 1)
        speak(run)
        run.selftest(PROVEN)
        conclusion = run.conclude()
    assert {record.verdict for record in conclusion.rules} == {Verdict.HOLDS}
    assert (conclusion.verdict, conclusion.level) == (Verdict.HOLDS, Level.FULL)


def test_a_system_that_offers_less_than_everything_is_partial_at_best(run: Verification) -> None:
    speak(run)
    run.selftest(PROVEN)
    conclusion = run.conclude()
    assert (conclusion.verdict, conclusion.level) == (Verdict.HOLDS, Level.PARTIAL)
    skipped = {record.rule: record for record in conclusion.rules if record.verdict is Verdict.NOT_APPLICABLE}
    assert set(skipped) == {rule.id for rule in BOOK.rules if rule not in APPLYING}
    assert skipped["CANCEL.1"].reason == "the rule is about cancelling, which the system does not declare"
    assert skipped["SETTLE.7"].reason == "the rule is about runs under resume, which the system does not declare"


def test_what_is_not_offered_and_what_is_not_driven_is_said(tmp_path: Path) -> None:
    with EvidenceWriter(tmp_path / "evidence") as evidence:
        run = Verification(OffersLookups(), evidence, Profile.QUICK, 1)
        run.conclude()
    missing = ", ".join(sorted(set(Capability) - {Capability.LOOKUP}))
    assert f"What the system does not declare to offer: {missing}." in not_shown(run)
    assert "Lockstep does not drive lookup, which the system declares." in not_shown(run)


def test_what_is_declared_and_never_tried_is_no_pass(tmp_path: Path) -> None:
    with EvidenceWriter(tmp_path / "evidence") as evidence:
        run = Verification(OffersWaits(), evidence, Profile.QUICK, 1)
        for rule in APPLYING:
            run.judge.spoken[rule.id]["lockstep"] += 1
        run.selftest(PROVEN)
        conclusion = run.conclude()
    assert conclusion.verdict is Verdict.NOT_EXERCISED
    untried = {record.rule for record in conclusion.rules if record.verdict is Verdict.NOT_EXERCISED}
    assert "WAKE.1" in untried


def test_a_rule_that_never_caught_anything_may_not_be_able_to_fail(run: Verification) -> None:
    speak(run)
    run.selftest(SelfTest((), PROVEN.defects[1:]))
    first, *others = run.conclude(APPLYING).rules
    assert (first.verdict, {other.verdict for other in others}) == (Verdict.INCONCLUSIVE, {Verdict.HOLDS})
    assert "may not be able to fail" in first.reason


def test_a_defect_caught_by_another_rule_than_was_predicted_proves_nothing(run: Verification) -> None:
    speak(run)
    by_chance = DefectRecord(name="d", predicted=("FENCE.1",), killed_by=("FENCE.2",))
    run.selftest(SelfTest((), (by_chance,)))
    assert {record.verdict for record in run.conclude(APPLYING).rules} == {Verdict.INCONCLUSIVE}


def test_without_a_proof_of_the_model_nothing_holds(run: Verification) -> None:
    speak(run)
    assert run.conclude().verdict is Verdict.INCONCLUSIVE


def test_a_defect_that_one_of_its_rules_did_not_catch_leaves_no_pass(run: Verification) -> None:
    speak(run)
    missed = DefectRecord(name="missed", predicted=("FENCE.1", "FENCE.2"), killed_by=("FENCE.1",))
    run.selftest(replace(PROVEN, defects=(*PROVEN.defects, missed)))
    assert run.conclude(APPLYING).verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("said", [Verdict.VIOLATED, Verdict.INCONCLUSIVE])
def test_what_is_wrong_with_the_model_is_not_the_systems_fault_and_not_a_pass(run: Verification, said: Verdict) -> None:
    speak(run)
    run.selftest(replace(PROVEN, scopes=(scope(said),)))
    assert run.conclude().verdict is Verdict.INCONCLUSIVE


def test_a_rule_that_crashed_is_inconclusive_though_it_spoke(run: Verification) -> None:
    speak(run)
    run.selftest(PROVEN)
    run.judge.crashes["FENCE.1"] = "KeyError: 'x'"
    (record,) = [record for record in run.conclude().rules if record.rule == "FENCE.1"]
    assert (record.verdict, record.reason) == (Verdict.INCONCLUSIVE, "the rule crashed: KeyError: 'x'")


def test_a_violation_outweighs_a_crash(run: Verification) -> None:
    run.judge.crashes["FENCE.1"] = "KeyError"
    run.judge.convict(Violation("FENCE.1", STEP, "peace", "war"))
    (record,) = [record for record in run.conclude().rules if record.rule == "FENCE.1"]
    assert (record.verdict, record.violations) == (Verdict.VIOLATED, 1)


def test_what_only_the_model_saw_is_a_violation_though_no_rule_is(run: Verification) -> None:
    speak(run)
    run.selftest(PROVEN)
    run.judge.convict(Violation(MODEL, STEP, "peace", "war"))
    conclusion = run.conclude(APPLYING)
    assert {record.verdict for record in conclusion.rules} == {Verdict.HOLDS}
    assert (conclusion.verdict, conclusion.level) == (Verdict.VIOLATED, Level.NONE)


def test_a_part_of_the_book_is_never_full_and_hides_no_rule_that_was_broken(run: Verification) -> None:
    speak(run)
    run.selftest(PROVEN)
    first = BOOK.rules[:3]
    assert [run._found().verdict_of(rule).verdict for rule in first] == [Verdict.HOLDS] * 3
    run.judge.convict(Violation(BOOK.rules[-1].id, STEP, "peace", "war"))
    conclusion = run.conclude(first)
    assert [record.rule for record in conclusion.rules] == [rule.id for rule in (*first, BOOK.rules[-1])]
    assert conclusion.verdict is Verdict.VIOLATED


def test_a_part_of_the_book_that_holds_is_partial(run: Verification) -> None:
    speak(run)
    run.selftest(PROVEN)
    conclusion = run.conclude(BOOK.rules[:3])
    assert (conclusion.verdict, conclusion.level) == (Verdict.HOLDS, Level.PARTIAL)


def test_rules_about_the_world_outside_apply_only_where_an_experiment_ran(run: Verification) -> None:
    (outside,) = [rule for rule in BOOK.rules if rule.needs_world]
    assert run._found().verdict_of(outside).verdict is Verdict.NOT_APPLICABLE
    run.experiment(experiment(Verdict.HOLDS), ())
    assert run._found().verdict_of(outside).verdict is Verdict.NOT_EXERCISED


@pytest.mark.parametrize("said", list(Verdict))
def test_the_whole_is_no_better_than_any_part_of_it(run: Verification, said: Verdict) -> None:
    speak(run)
    run.selftest(PROVEN)
    run.experiment(experiment(said), ())
    expected = Verdict.HOLDS if said is Verdict.NOT_APPLICABLE else said
    assert run.conclude().verdict is expected


def test_a_part_that_does_not_apply_is_said_and_makes_it_partial(run: Verification) -> None:
    speak(run)
    run.selftest(PROVEN)
    run.not_applicable("no workers")
    conclusion = run.conclude()
    assert (conclusion.verdict, conclusion.level) == (Verdict.HOLDS, Level.PARTIAL)
    assert "no workers" in not_shown(run)


def test_what_an_experiment_could_not_do_with_the_system_is_said_and_makes_it_partial(run: Verification) -> None:
    speak(run)
    run.selftest(PROVEN)
    run.experiment(experiment(Verdict.HOLDS).model_copy(update={"not_applicable": ("the log is shut",)}), ())
    conclusion = run.conclude()
    assert (conclusion.verdict, conclusion.level) == (Verdict.HOLDS, Level.PARTIAL)
    assert "the log is shut" in not_shown(run)


def test_a_violation_of_an_experiment_is_told_once_for_each_rule(run: Verification) -> None:
    run.judge.part = "earthquake"
    for rule in ("COST.3", "COST.3", "SETTLE.1"):
        run.judge.convict(Violation(rule, STEP, "peace", "war", trace="earthquake-07", steps=(STEP, STEP)))
    run.experiment(experiment(Verdict.VIOLATED, "earthquake"), ("aftershocks",))
    stories = [record for record in EvidenceReader(run.evidence.directory) if isinstance(record, StoryRecord)]
    assert [(story.rule, story.trace, len(story.lines)) for story in stories] == [
        ("COST.3", "earthquake-07", 2),
        ("SETTLE.1", "earthquake-07", 2),
    ]
    assert "aftershocks" in not_shown(run)


def test_rules_for_a_contract_that_is_not_declared_do_not_apply(tmp_path: Path) -> None:
    class Resuming(SpineOnly):
        contracts = frozenset({Contract.RESUME})

    with EvidenceWriter(tmp_path / "evidence") as evidence:
        conclusion = Verification(Resuming(), evidence, Profile.QUICK, 1).conclude()
    only_settling = {rule.id for rule in BOOK.rules if rule.contracts == {Contract.SETTLE}}
    skipped = {record.rule for record in conclusion.rules if record.verdict is Verdict.NOT_APPLICABLE}
    assert only_settling
    assert only_settling <= skipped


def test_the_footer_says_what_the_conclusion_says(run: Verification) -> None:
    conclusion = run.conclude()
    footer = list(EvidenceReader(run.evidence.directory))[-1]
    assert isinstance(footer, Footer)
    said = (footer.verdict, footer.level, footer.exit_code)
    assert said == (conclusion.verdict, conclusion.level, conclusion.exit_code)


def experiment(said: Verdict, name: str = "experiment") -> ExperimentRecord:
    return ExperimentRecord(name=name, fault="", seams=(), runs=1, delivered=1, verdict=said)


def not_shown(run: Verification) -> list[str]:
    records = EvidenceReader(run.evidence.directory)
    return [record.text for record in records if isinstance(record, NotShownRecord)]
