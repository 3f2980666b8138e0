"""What each part of a run says of itself is held against what was written while it lasted."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from keepfact.conformance.audit import audit
from keepfact.conformance.audit.finding import Difference
from keepfact.conformance.audit.judging import Bench
from keepfact.conformance.evidence import (
    AskedRecord,
    DefectRecord,
    EvidenceWriter,
    ExpectationRecord,
    ExperimentRecord,
    FaultRecord,
    Header,
    LockstepRecord,
    MeetingRecord,
    MeetingsRecord,
    NotShownRecord,
    PartRecord,
    Record,
    ScopeRecord,
    StepRecord,
    WrittenRecord,
)
from keepfact.conformance.judge import LOCKSTEP, MEETINGS
from keepfact.conformance.verdicts import ExitCode, Level, Verdict
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import (
    CallId,
    CallKind,
    CallTruth,
    Claim,
    CommandId,
    Contract,
    Lost,
    Observation,
    RunId,
    Tick,
    Truth,
    WorkerId,
)

HEADER = Header(
    kit_version="1",
    command="keepfact verify",
    profile="quick",
    seed=7,
    system="toy",
    contracts=(Contract.SETTLE,),
    capabilities=(),
    lease_seconds=30,
    versions={},
    machine={},
    book_digest="0" * 64,
    started_at="2025-01-01T00:00:00+00:00",
)
STORM = PartRecord(name="storm", played=False)


class Seen:
    """A bench with these records on it, and what it has found."""

    def __init__(self, records: Iterable[Record], directory: Path = Path("/nowhere")) -> None:
        self.findings: list[tuple[object, ...]] = []
        self.bench = Bench(
            directory,
            BOOK,
            HEADER,
            lambda *found: self.findings.append(found),
            lambda *found: self.findings.append(found),
        )
        for number, record in enumerate(records, 2):
            self.bench.take(number, record)

    def _find(self, *found: object) -> None:
        self.findings.append(found)

    @property
    def differences(self) -> list[str]:
        return [difference.about for difference in self.bench.differences]

    @property
    def verdict(self) -> Verdict:
        return self.bench.found().conclude(()).verdict


def experiment(**said: object) -> ExperimentRecord:
    record = ExperimentRecord(name="storm", fault="", seams=(), runs=1, delivered=0, verdict=Verdict.HOLDS)
    return record.model_copy(update=said)


def fault(*, delivered: bool = True) -> FaultRecord:
    return FaultRecord(experiment="storm", trace="t", seam="1", side="s", delivered=delivered, proof="")


def expectation(*, holds: bool, rule: str = "EFFECT.4") -> ExpectationRecord:
    return ExpectationRecord(rule=rule, trace="t", holds=holds, expected="once", seen="twice")


def test_what_was_expected_of_whole_stories_counts_for_rules_and_against_them() -> None:
    seen = Seen([STORM, expectation(holds=True), expectation(holds=True), experiment()])
    assert (seen.differences, seen.verdict) == ([], Verdict.HOLDS)
    assert seen.bench.judge.spoken["EFFECT.4"] == {"storm": 2}
    seen = Seen([STORM, expectation(holds=False), experiment(verdict=Verdict.VIOLATED)])
    assert (seen.differences, seen.verdict) == ([], Verdict.VIOLATED)
    assert seen.bench.broken_first["EFFECT.4"] == "line 3, trace t: twice"


def test_an_expectation_of_a_rule_that_nobody_knows_is_told() -> None:
    seen = Seen([STORM, expectation(holds=True, rule="MAGIC.1")])
    assert seen.findings == [(3, "the book has no rule of this id")]
    assert "MAGIC.1" not in seen.bench.judge.spoken


def test_an_experiment_in_which_something_broke_did_not_hold() -> None:
    seen = Seen([STORM, expectation(holds=False), experiment()])
    assert Difference("storm", "HOLDS", "VIOLATED") in seen.bench.differences
    assert seen.verdict is Verdict.VIOLATED


def test_an_experiment_that_is_called_violated_without_anything_broken_stays_that() -> None:
    seen = Seen([STORM, expectation(holds=True), experiment(verdict=Verdict.VIOLATED)])
    assert Difference("storm", "VIOLATED", "INCONCLUSIVE") in seen.bench.differences
    assert seen.verdict is Verdict.VIOLATED


def test_what_broke_in_one_part_is_not_put_on_the_next() -> None:
    seen = Seen([STORM, expectation(holds=False), experiment(verdict=Verdict.VIOLATED), STORM, experiment()])
    assert seen.differences == []


def test_faults_that_were_not_delivered_are_not_counted_as_if_they_were() -> None:
    assert Seen([STORM, fault(), fault(delivered=False), experiment(delivered=1)]).differences == []
    seen = Seen([STORM, fault(), fault(delivered=False), experiment(delivered=2)])
    assert seen.bench.differences == [Difference("faults that storm delivered", "2", "1")]


def written(**said: object) -> WrittenRecord:
    record = WrittenRecord(
        experiment="storm", transactions=5, of_the_harness=0, rows={}, judged=5, verdict=Verdict.HOLDS
    )
    return record.model_copy(update=said)


def test_what_the_log_shows_counts_for_the_rule_about_writers() -> None:
    seen = Seen([STORM, written(), experiment()])
    assert (seen.differences, seen.bench.judge.spoken["ENTRY.2"]) == ([], {"storm": 5})


def test_what_the_log_shows_counts_against_it_whatever_was_said() -> None:
    objected = written(objected=2, objections=("a row that nobody signed",))
    seen = Seen([STORM, objected, experiment(verdict=Verdict.VIOLATED)])
    assert seen.differences == ["what was written during storm"]
    assert (seen.bench.judge.broken["ENTRY.2"], seen.bench.judge.spoken["ENTRY.2"]["storm"]) == (2, 5)


def met(explained: bool | None) -> MeetingRecord:
    claim = Claim(CommandId("c"), RunId("r"), WorkerId("w"))
    asked = AskedRecord(cause=claim, outcome=Lost(), sent=1, answered=2)
    return MeetingRecord(trace="m", schedule=(), asked=(asked,), observed=Observation(), explained=explained)


def meetings(**said: object) -> MeetingsRecord:
    record = MeetingsRecord(known=1, pairs=1, meetings=1, preemptions=1, races=1, undecided=0, verdict=Verdict.HOLDS)
    return record.model_copy(update=said)


@pytest.mark.parametrize(
    ("records", "about"),
    [
        ([met(True), met(True), meetings()], []),
        ([met(True), met(None), meetings()], ["meetings that are undecided"]),
        ([met(True), met(False), meetings()], ["commands that meet"]),
        ([met(True), meetings()], ["meetings and races"]),
    ],
)
def test_meetings_are_counted_again(records: list[Record], about: list[str]) -> None:
    assert Seen([PartRecord(name=MEETINGS, played=True), *records]).differences == about


def test_steps_of_lockstep_are_counted_again_without_the_shortest_form_of_a_failure() -> None:
    steps = [
        StepRecord(trace=trace, number=1, cause=Tick(1), outcome=None, runs=(), history_from={})
        for trace in ("tour-1", "tour-2", "shortest")
    ]
    said = LockstepRecord(traces=2, steps=2, outcomes={}, covered=0, reachable=0, beyond=0, verdict=Verdict.HOLDS)
    assert Seen([PartRecord(name=LOCKSTEP, played=True), *steps, said]).differences == []
    assert Seen([PartRecord(name=LOCKSTEP, played=True), *steps[1:], said]).differences == ["steps in lockstep"]


def scope(states: int, verdict: Verdict) -> ScopeRecord:
    return ScopeRecord(
        name="core", bounds="", states=states, edges=1, pinned_states=7, pinned_edges=1, checked={},
        states_without_end=0, verdict=verdict,
    )  # fmt: skip


def test_a_scope_of_another_size_than_is_pinned_does_not_hold() -> None:
    assert Seen([scope(7, Verdict.HOLDS)]).differences == []
    seen = Seen([scope(8, Verdict.HOLDS)])
    assert (seen.differences, seen.verdict) == (["scope core"], Verdict.INCONCLUSIVE)


def test_a_defect_that_was_missed_leaves_no_pass() -> None:
    assert Seen([DefectRecord(name="d", predicted=("A",), killed_by=("A", "B"))]).verdict is Verdict.NOT_EXERCISED
    assert Seen([DefectRecord(name="d", predicted=("A", "B"), killed_by=("A",))]).verdict is Verdict.INCONCLUSIVE


def test_what_could_not_be_done_keeps_the_level_from_being_full() -> None:
    seen = Seen([NotShownRecord(text="no workers", not_applicable=True), STORM, experiment()])
    assert seen.bench.found().conclude(()).level is not Level.FULL
    assert seen.bench._parts == [Verdict.NOT_APPLICABLE, Verdict.HOLDS]


def acted(acts: int, trace: str = "run", number: int = 1, **said: object) -> StepRecord:
    truth = Truth((CallTruth(CallId("run:1"), CallKind.OPERATION, acts, acts, 3 * acts),))
    return StepRecord(
        trace=trace, number=number, cause=Tick(1), outcome=None, runs=(), history_from={}, truth=truth
    ).model_copy(update=said)


ENTRY = {"at": 1.0, "request": 1, "endpoint": "tool", "run": "run", "key": "run:1", "fence": None, "digest": ""}
ARRIVED = json.dumps({**ENTRY, "happened": "arrived"})
ACTED = json.dumps({**ENTRY, "happened": "acted", "cost_cents": 3})


@pytest.mark.parametrize(
    ("ledger", "told", "verdict", "about"),
    [
        ([ARRIVED, ACTED], [acted(1)], Verdict.HOLDS, []),
        ([ARRIVED, ACTED], [acted(2)], Verdict.HOLDS, ["what happened outside in run"]),
        ([ARRIVED, ACTED] * 2, [acted(1)], Verdict.HOLDS, ["what happened outside in run"]),
        ([ARRIVED, ACTED] * 2, [acted(1)], Verdict.INCONCLUSIVE, []),
        ([ARRIVED, ACTED], [acted(2)], Verdict.INCONCLUSIVE, ["what happened outside in run"]),
        ([ARRIVED, ACTED], [], Verdict.HOLDS, ["what happened outside in run"]),
        ([], [acted(1)], Verdict.HOLDS, ["what happened outside in run"]),
    ],
)
def test_steps_say_of_the_world_outside_what_the_ledger_says(
    ledger: list[str], told: list[Record], verdict: Verdict, about: list[str], tmp_path: Path
) -> None:
    (tmp_path / "truth-storm.ndjson").write_text("".join(f"{line}\n" for line in ledger))
    seen = Seen([STORM, *told, experiment(verdict=verdict)], tmp_path)
    assert [one for one in seen.differences if one.startswith("what happened outside")] == about


def test_a_line_that_is_no_entry_of_the_ledger_is_named(tmp_path: Path) -> None:
    (tmp_path / "truth-storm.ndjson").write_text("\n")
    assert Seen([STORM, experiment()], tmp_path).findings == [
        ("truth-storm.ndjson", 1, "it is no entry of a ledger of truth")
    ]


def test_a_ledger_that_was_taken_away_is_missed_though_nothing_names_it_any_more(tmp_path: Path) -> None:
    """An experiment whose outside was not played had servers, and they wrote one: whoever leaves it out says so."""
    directory = tmp_path / "evidence"
    with EvidenceWriter(directory) as evidence:
        (directory / "truth-storm.ndjson").write_text(f"{ARRIVED}\n{ACTED}\n")
        for record in (HEADER, STORM, acted(1), experiment()):
            evidence.write(record)
        evidence.finish(Verdict.HOLDS, Level.FULL, ExitCode.CONFORMANT)
        evidence.seal()
        assert audit(directory).findings == ()
        (directory / "truth-storm.ndjson").unlink()
        evidence.seal()
    (found,) = audit(directory).findings
    assert str(found).startswith("truth-storm.ndjson: it is missing: this experiment had servers outside")
    assert audit(directory).exit_code is ExitCode.BROKEN


def test_an_experiment_whose_outside_was_played_has_no_ledger_to_be_missed() -> None:
    assert Seen([PartRecord(name="storm", played=True), experiment()]).findings == []
