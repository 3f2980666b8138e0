"""The sweep works on a system that is not ours, proves what it delivered, and catches what is wrong."""

import os
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import httpx
import pytest

from keepfact.conformance.abilities import Outside
from keepfact.conformance.asking import AdapterError
from keepfact.conformance.evidence import (
    EvidenceReader,
    EvidenceWriter,
    ExperimentRecord,
    FaultRecord,
    MarkRecord,
    Record,
    StepRecord,
)
from keepfact.conformance.judge import Judge
from keepfact.conformance.verdicts import Verdict
from keepfact.fault_injection.experiment import find_experiments
from keepfact.fault_injection.experiments.model_returned_then_killed import EXPERIMENT, Side
from keepfact.fault_injection.processes import members_of
from keepfact.fault_injection.subject import ExperimentError
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import CallState, Command, Done, Outcome, Recover, RunId, RunState, Worked

from .toy import Toy


def _quietly(done: int, total: int, text: str) -> None:
    """Tells nobody."""


def _run(toy: Toy, *, evidence: EvidenceWriter | None = None, deliver: bool = True) -> tuple[ExperimentRecord, Judge]:
    """The whole sweep; whatever comes of it, no worker is left alive."""
    judge = Judge(toy.contracts)
    with closing(toy):
        try:
            return EXPERIMENT.run(toy, judge, evidence, _quietly, deliver=deliver), judge
        finally:
            assert toy.workers
            assert all(worker.returncode is not None for worker in toy.workers)
            assert not any(members_of(worker.pid) for worker in toy.workers)


def _broken(judge: Judge) -> set[str]:
    return {violation.rule for violation in judge.violations}


@dataclass(frozen=True)
class _Sweep:
    record: ExperimentRecord
    judge: Judge
    evidence: Path
    descriptors_left: int

    @cached_property
    def records(self) -> list[Record]:
        return list(EvidenceReader(self.evidence))

    @cached_property
    def faults(self) -> list[FaultRecord]:
        return [line for line in self.records if isinstance(line, FaultRecord)]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> _Sweep:
    """One sweep over the well-behaved toy."""
    directory = tmp_path_factory.mktemp("good") / "evidence"
    descriptors = len(os.listdir("/proc/self/fd"))
    with EvidenceWriter(directory) as evidence:
        record, judge = _run(Toy(), evidence=evidence)
    return _Sweep(record, judge, directory, len(os.listdir("/proc/self/fd")) - descriptors)


def test_a_good_system_holds(good: _Sweep) -> None:
    assert (good.record.verdict, _broken(good.judge), good.judge.crashes) == (Verdict.HOLDS, set(), {})
    assert good.descriptors_left == 0


def test_every_fault_is_delivered_and_proven_on_every_side(good: _Sweep) -> None:
    assert good.record.delivered == good.record.runs == len(good.faults) > len(good.record.seams) > 0
    assert all(fault.delivered and "died by signal 9" in fault.proof for fault in good.faults)
    assert {fault.side for fault in good.faults} == {side.value for side in Side}
    assert good.records[-1] == good.record


def test_the_evidence_tells_each_trial_as_steps_and_as_marks_in_order(good: _Sweep) -> None:
    for fault in good.faults:
        marks = [line for line in good.records if isinstance(line, MarkRecord) and line.trace == fault.trace]
        steps = [line.number for line in good.records if isinstance(line, StepRecord) and line.trace == fault.trace]
        assert steps == list(range(1, len(steps) + 1))
        assert [mark.at_ms for mark in marks] == sorted(mark.at_ms for mark in marks)
        assert [mark.shape for mark in marks].count("kill") == 1
        assert {"seam", "commit", "recovery"} <= {mark.shape for mark in marks}
    assert (good.evidence / "truth-model_returned_then_killed.ndjson").is_file()


def test_every_rule_that_it_says_it_judges_had_something_to_judge(good: _Sweep) -> None:
    assert set(EXPERIMENT.rules) <= {rule.id for rule in BOOK.rules}
    assert [rule for rule in EXPERIMENT.rules if not good.judge.spoken[rule][EXPERIMENT.name]] == []


def test_a_fault_that_is_withheld_shows_nothing(tmp_path: Path) -> None:
    toy = Toy()
    with EvidenceWriter(tmp_path / "evidence") as evidence:
        record, judge = _run(toy, evidence=evidence, deliver=False)
    assert (record.verdict, record.delivered, _broken(judge)) == (Verdict.NOT_EXERCISED, 0, set())
    assert {worker.returncode for worker in toy.workers} == {0}
    faults = [line for line in EvidenceReader(tmp_path / "evidence") if isinstance(line, FaultRecord)]
    assert {(fault.delivered, fault.proof) for fault in faults} == {(False, "withheld")}


class _SendsAgainUnderANewKey(Toy):
    """Recovery that would rather be sure: it sends the operation once more, under a key of its own."""

    def look_up(self, run: RunId, outside: Outside) -> None:
        for call in self.observe([run]).runs[0].calls:
            if call.state is CallState.UNKNOWN:
                headers = {"Idempotency-Key": f"again-{call.call}"}
                httpx.post(f"{outside.tool_url}/tools/pay", json={}, headers=headers, trust_env=False)
        super().look_up(run, outside)


class _SendsAgainInRecovery(Toy):
    """Recovery that sends under the old key: the tool does not act twice, and still it was not recovery's to send."""

    def perform(self, command: Command) -> Outcome:
        outcome = super().perform(command)
        if isinstance(command, Recover) and isinstance(outcome, Done):
            for call in self.observe([command.run]).runs[0].calls:
                address = f"{self.outside[command.run].tool_url}/tools/pay"
                httpx.post(address, json={}, headers={"Idempotency-Key": call.call}, trust_env=False)
        return outcome


class _BooksUnknownAsZero(Toy):
    """Recovery that closes the books: what it does not know has cost nothing."""

    def perform(self, command: Command) -> Outcome:
        outcome = super().perform(command)
        if isinstance(command, Recover) and isinstance(outcome, Done):
            run = self.state.run(command.run)
            assert run is not None
            calls = tuple(
                replace(call, state=CallState.CONFIRMED, cost_cents=0) if call.is_unresolved else call
                for call in run.calls
            )
            self.state = self.state.with_run(replace(run, calls=calls, state=RunState.INTERRUPTED, sealed_for=None))
        return outcome


class _BelievesDeadWorkers(Toy):
    """Says yes to whatever a worker still sends."""

    def perform(self, command: Command) -> Outcome:
        outcome = super().perform(command)
        return Done() if isinstance(command, Worked) else outcome


class _ForgetsWhatItRecovered(Toy):
    """Recovery that clears up: the run is gone."""

    def perform(self, command: Command) -> Outcome:
        outcome = super().perform(command)
        if isinstance(command, Recover) and isinstance(outcome, Done):
            self.state = replace(self.state, runs=tuple(run for run in self.state.runs if run.run != command.run))
        return outcome


class _SendsBeforeItIntends(Toy):
    habit = "sends before it intends"


@pytest.mark.parametrize(
    ("bad", "rules"),
    [
        (_SendsAgainUnderANewKey, {"EFFECT.1", "EFFECT.4", "EFFECT.6"}),
        (_SendsAgainInRecovery, {"ENTRY.3"}),
        (_BooksUnknownAsZero, {"COST.2", "COST.3", "EFFECT.5", "SETTLE.1"}),
        (_BelievesDeadWorkers, {"FENCE.3", "FENCE.8"}),
        (_ForgetsWhatItRecovered, {"HISTORY.3", "SETTLE.3"}),
        (_SendsBeforeItIntends, {"EFFECT.1"}),
    ],
)
def test_a_bad_system_is_caught_by_the_rules_it_breaks(bad: type[Toy], rules: set[str]) -> None:
    record, judge = _run(bad())
    assert record.verdict is Verdict.VIOLATED
    assert record.delivered > 0
    assert rules <= _broken(judge)


def test_a_worker_that_does_not_get_to_its_seam_leaves_the_sweep_undecided() -> None:
    class _LosesItsWay(Toy):
        habit = "loses its way"

    record, judge = _run(_LosesItsWay())
    assert (record.verdict, _broken(judge)) == (Verdict.INCONCLUSIVE, set())
    assert 0 < record.delivered < record.runs
    assert "the worker ended after" in record.note


def test_a_worker_without_seams_is_an_error() -> None:
    class _NamesNoSeams(Toy):
        habit = "names no seams"

    with pytest.raises(ExperimentError, match="A worker must connect"):
        _run(_NamesNoSeams())


def test_a_broken_adapter_ends_the_sweep_and_leaves_nothing_behind() -> None:
    class _Breaks(Toy):
        def perform(self, command: Command) -> Outcome:
            if isinstance(command, Recover):
                raise RuntimeError("the adapter is broken")
            return super().perform(command)

    with pytest.raises(AdapterError, match="the adapter is broken"):
        _run(_Breaks())


def test_experiments_are_found_and_say_why_they_do_not_fit() -> None:
    assert EXPERIMENT in find_experiments()
    with closing(Toy()) as toy:
        assert EXPERIMENT.why_not(toy) is None
        toy.contracts = frozenset()
        assert "does not declare" in (EXPERIMENT.why_not(toy) or "")
