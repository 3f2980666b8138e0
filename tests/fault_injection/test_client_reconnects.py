"""Clients that are cut come back to every event once, to nothing else, and nobody writes for it: or it is noticed."""

from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from keepfact.conformance.evidence import EvidenceReader, EvidenceWriter, ExperimentRecord, FaultRecord, WrittenRecord
from keepfact.conformance.judge import Judge
from keepfact.conformance.systems.defective import UNSEEN, Defective
from keepfact.conformance.systems.postgres import Postgres
from keepfact.conformance.verdicts import Verdict
from keepfact.fault_injection.experiment import Experiment, find_experiments
from keepfact.fault_injection.experiments import client_reconnects
from keepfact.fault_injection.experiments.client_reconnects import EXPERIMENT, Side
from keepfact.fault_injection.strikes import Sample
from keepfact.impl.server import Server
from keepfact.spec.vocabulary import Contract, RunId

from . import streaming_toy
from .leaving import nothing_is_left
from .streaming_toy import StreamingToy
from .toy import Toy


def _quietly(done: int, total: int, text: str) -> None:
    """Tells nobody."""


FEW = Sample(12, 0)


def _run(
    system: StreamingToy | Postgres,
    *,
    sample: Sample | None = FEW,
    evidence: EvidenceWriter | None = None,
    deliver: bool = True,
    experiment: Experiment = EXPERIMENT,
) -> tuple[ExperimentRecord, Judge]:
    judge = Judge(system.contracts, capabilities=system.capabilities)
    if isinstance(system, Postgres):
        system.stream_address(RunId("nobody"))  # the gateway that this starts stays
    with closing(system), nothing_is_left(system) if isinstance(system, Postgres) else nullcontext():
        return experiment.run(system, judge, evidence, _quietly, deliver=deliver, sample=sample), judge


BRIEFLY = replace(EXPERIMENT, contracts=(Contract.SETTLE,))
"""Under one contract."""


def _broken(judge: Judge) -> set[str]:
    return {violation.rule for violation in judge.violations}


def test_a_system_that_streams_well_holds_and_every_cut_is_proven(tmp_path: Path) -> None:
    with EvidenceWriter(tmp_path / "evidence") as evidence:
        record, judge = _run(StreamingToy(), sample=None, evidence=evidence)
    assert [(broken.rule, broken.expected, broken.seen) for broken in judge.violations] == []
    assert (record.verdict, judge.crashes, record.not_applicable) == (Verdict.HOLDS, {}, ())
    faults = [line for line in EvidenceReader(tmp_path / "evidence") if isinstance(line, FaultRecord)]
    assert record.delivered == len(faults) > 100
    assert all(fault.delivered and "was established" in fault.proof for fault in faults)
    assert {fault.side for fault in faults} == {side.value for side in Side}
    assert any("a part of the next" in fault.proof for fault in faults)
    assert {fault.seam.partition(" ")[2] for fault in faults} == {*record.seams, "the run has ended"}


def test_clients_whom_nobody_cuts_show_nothing(tmp_path: Path) -> None:
    with EvidenceWriter(tmp_path / "evidence") as evidence:
        record, judge = _run(StreamingToy(), evidence=evidence, deliver=False)
    assert (record.verdict, record.delivered, _broken(judge)) == (Verdict.NOT_EXERCISED, 0, set())
    faults = [line for line in EvidenceReader(tmp_path / "evidence") if isinstance(line, FaultRecord)]
    assert {(fault.delivered, fault.proof) for fault in faults} == {(False, "withheld")}


@pytest.mark.parametrize(
    ("bad", "rules"),
    [
        (streaming_toy.PassesOver, {"HISTORY.6"}),
        (streaming_toy.Repeats, {"HISTORY.6"}),
        (streaming_toy.SaysOtherwiseTheSecondTime, {"HISTORY.6"}),
        (streaming_toy.TellsWhatIsNotCommitted, {"HISTORY.6"}),
        (streaming_toy.EndsTwice, {"HISTORY.6"}),
        (streaming_toy.AsksTheModel, {"ENTRY.1"}),
    ],
)
def test_a_bad_system_is_caught_by_the_rule_that_it_breaks(
    bad: type[StreamingToy], rules: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_reconnects, "PATIENCE_SECONDS", 0.5)
    record, judge = _run(bad())
    assert (record.verdict, record.delivered > 0) == (Verdict.VIOLATED, True)
    assert rules <= _broken(judge)


def test_a_stream_that_never_ends_leaves_the_experiment_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_reconnects, "PATIENCE_SECONDS", 0.5)
    record, judge = _run(streaming_toy.NeverEnds())
    assert (record.verdict, _broken(judge)) == (Verdict.INCONCLUSIVE, set())
    assert "to get the end of a run that has ended" in record.note


def test_it_is_found_and_says_what_a_system_lacks_for_it() -> None:
    assert EXPERIMENT in find_experiments()
    with closing(Toy()) as toy:
        assert "needs streams, which toy does not declare" in (EXPERIMENT.why_not(toy) or "")
        toy.capabilities = StreamingToy.capabilities  # type: ignore[attr-defined]  # declared, and not kept
        assert "streams of events over HTTP, which toy does not offer" in (EXPERIMENT.why_not(toy) or "")


def test_the_reference_implementation_loses_no_reader_and_writes_nothing_for_one(
    server: Server, tmp_path: Path
) -> None:
    with EvidenceWriter(tmp_path / "evidence") as evidence:
        record, judge = _run(Postgres(server=server), evidence=evidence)
    assert [(broken.rule, broken.seen) for broken in judge.violations] == []
    assert (record.verdict, record.not_applicable) == (Verdict.HOLDS, ())
    [written] = [line for line in EvidenceReader(tmp_path / "evidence") if isinstance(line, WrittenRecord)]
    assert (written.verdict, set(written.rows)) == (Verdict.HOLDS, {"submit", "work"})


def test_a_row_that_a_reconnect_leaves_is_seen_in_the_log_though_nothing_else_shows_it(server: Server) -> None:
    record, judge = _run(
        Defective(UNSEEN["reconnect_leaves_a_row"], server=server), sample=Sample(6, 0), experiment=BRIEFLY
    )
    assert record.verdict is Verdict.VIOLATED
    assert {"ENTRY.1", "ENTRY.2"} == _broken(judge)
    assert any("wrote insert answers" in broken.seen for broken in judge.violations if broken.rule == "ENTRY.1")
