"""Seconds and memory of `keepfact audit` and `keepfact report` on a long evidence, made here of any number of steps.

One short run is recorded once, and then told again and again: half of the steps as traces of lockstep, half as strikes
of an experiment, with a fault and a timeline each, as many as real ones have. Both commands run as processes of their
own; the seconds are those of the processor, since other work on a machine is noise. Linear means that the seconds for
100,000 steps stay the same, whatever their number; the memory must, too.

    python benchmarks/auditing.py 100000
    python benchmarks/auditing.py 100000 1000000

Seen, in one run: `audit` took 21.8 s of processor time for 100,000 steps (151 MiB of evidence) and 212.7 s for
1,000,000 (1,510 MiB), ten times as many in 9.8 times the time, with 70 and 74 MiB at most; `report` 4.4 s and 37.3 s,
8.5 times, with 84 and 150 MiB: it keeps the faults, and there were ten times as many. Seven tenths of an audit are the
judging of steps, and most of the rest is reading them.
"""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from keepfact.conformance.concluding import Found
from keepfact.conformance.evidence import (
    DefectRecord,
    EvidenceWriter,
    ExperimentRecord,
    FaultRecord,
    Header,
    LockstepRecord,
    MarkRecord,
    PartRecord,
    StepRecord,
    record_of,
)
from keepfact.conformance.judge import LOCKSTEP, Judge
from keepfact.conformance.recorder import Recorder
from keepfact.conformance.systems.reference import Reference
from keepfact.conformance.verdicts import Verdict
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import (
    CallId,
    CallKind,
    Claim,
    CommandId,
    Contract,
    Fence,
    Intend,
    Observe,
    Publish,
    RecordAnswer,
    Release,
    RunId,
    Step,
    Submit,
    Succeed,
    WorkerId,
)

EXPERIMENT = "model_returned_then_killed"
MARKS = 25
"""Of each strike."""

MEBIBYTE = 1024


def main() -> None:
    """A line for each number of steps and each command."""
    steps = recorded()
    for number in map(int, sys.argv[1:] or ["100000"]):
        with tempfile.TemporaryDirectory() as folder:
            directory = Path(folder) / "evidence"
            traces = write(directory, steps, number)
            size = (directory / "evidence.ndjson").stat().st_size / 2**20
            print(f"{number:,} steps in {traces:,} traces, {size:,.0f} MiB")
            for command in (["audit"], ["report", "--out", f"{folder}/reports", "--format", FORMATS]):
                seconds, kibibytes = _measured([command[0], str(directory), *command[1:]])
                per = seconds * 100_000 / number
                print(f"  {command[0]:8}{seconds:8.1f} s {per:8.1f} s per 100,000 {kibibytes / MEBIBYTE:8.0f} MiB")


FORMATS = "html,junit,json,markdown,sarif,intoto"


def recorded() -> Sequence[Step]:
    """A run from its beginning to its end, handed from one worker to another."""
    run, call, first, second = RunId("run"), CallId("call"), Fence(1), Fence(2)
    ids = (CommandId(f"command-{number}") for number in range(100))
    commands = [
        Submit(next(ids), run, Contract.SETTLE, 5),
        Claim(next(ids), run, WorkerId("one")),
        Publish(next(ids), run, first, "a beginning", False),
        Release(next(ids), run, first),
        Claim(next(ids), run, WorkerId("two")),
        Publish(next(ids), run, first, "too late", False),
        Intend(next(ids), run, second, call, CallKind.ATTEMPT, "a question", 3),
        RecordAnswer(next(ids), run, second, call, "an answer", 2),
        Observe(next(ids), run),
        *(Publish(next(ids), run, second, f"part {number}", False) for number in range(10)),
        Publish(next(ids), run, second, "the end", True),
        Succeed(next(ids), run, second),
    ]
    recorder = Recorder(Reference(), Judge(Contract), None, "recorded")
    for command in commands:
        recorder.perform(command)
    return recorder.steps


def write(directory: Path, steps: Sequence[Step], number: int) -> int:
    """Evidence of so many steps, and a verdict that an audit comes to again; how many traces it has."""
    half = max(1, number // len(steps) // 2)
    judges = {part: _judge(part, steps) for part in (LOCKSTEP, EXPERIMENT)}
    told = [record_of("", place, step) for place, step in enumerate(steps, 1)]
    defects = [DefectRecord(name="d", predicted=(rule.id,), killed_by=(rule.id,)) for rule in BOOK.rules]
    with EvidenceWriter(directory) as evidence:
        evidence.write(_header())
        evidence.write(PartRecord(name=LOCKSTEP, played=True))
        for trace in range(half):
            _tell(evidence, told, f"lockstep-{trace}")
        evidence.write(_lockstep(steps, half))
        evidence.write(PartRecord(name=EXPERIMENT, played=False))
        (directory / f"truth-{EXPERIMENT}.ndjson").touch()  # nothing of ours acts outside
        for trace in range(half):
            _strike(evidence, told, f"{EXPERIMENT}-{trace}")
        evidence.write(_experiment(half))
        for defect in defects:
            evidence.write(defect)
        judge = Judge(Contract)
        for part, once in judges.items():
            for rule, spoken in once.spoken.items():
                judge.spoken[rule][part] = spoken[part] * half
        found = Found(
            judge.contracts,
            judge.capabilities,
            judge,
            (Verdict.HOLDS, Verdict.HOLDS),
            {rule.id: ("d",) for rule in BOOK.rules},
            True,
        )
        concluded = found.conclude(rule for rule in BOOK.rules if judge.spoken[rule.id])
        for record in concluded.rules:
            evidence.write(record)
        evidence.finish(concluded.verdict, concluded.level, concluded.exit_code)
        evidence.seal()
    return 2 * half


def _judge(part: str, steps: Sequence[Step]) -> Judge:
    judge = Judge(Contract)
    judge.part = part
    for step in steps:
        assert not judge.see(step)
    return judge


def _tell(evidence: EvidenceWriter, told: Sequence[StepRecord], trace: str) -> None:
    for record in told:
        evidence.write(record.model_copy(update={"trace": trace}))


def _strike(evidence: EvidenceWriter, told: Sequence[StepRecord], trace: str) -> None:
    _tell(evidence, told, trace)
    for mark in range(MARKS):
        evidence.write(
            MarkRecord(trace=trace, lane="worker", at_ms=mark, shape="seam", text=f"the worker is at {mark}")
        )
    evidence.write(
        FaultRecord(experiment=EXPERIMENT, trace=trace, seam="1 claimed", side="kill", delivered=True, proof="it died")
    )


def _header() -> Header:
    return Header(
        kit_version="0.1.0",
        command="keepfact verify",
        profile="deep",
        seed=1,
        system="reference",
        contracts=tuple(sorted(Contract)),
        capabilities=tuple(sorted(Judge(Contract).capabilities)),
        lease_seconds=30,
        versions={},
        machine={},
        book_digest=BOOK.digest,
        started_at="2026-01-01T00:00:00+00:00",
    )


def _lockstep(steps: Sequence[Step], traces: int) -> LockstepRecord:
    outcomes: dict[str, Counter[str]] = {}
    for step in steps:
        outcomes.setdefault(type(step.cause).__name__, Counter())[type(step.outcome).__name__] += traces
    return LockstepRecord(
        traces=traces,
        steps=traces * len(steps),
        outcomes={name: dict(counted) for name, counted in outcomes.items()},
        covered=1,
        reachable=1,
        beyond=0,
        verdict=Verdict.HOLDS,
    )


def _experiment(runs: int) -> ExperimentRecord:
    return ExperimentRecord(
        name=EXPERIMENT, fault="a kill", seams=("claimed",), runs=runs, delivered=runs, verdict=Verdict.HOLDS
    )


def _measured(arguments: list[str]) -> tuple[float, int]:
    """Seconds and KiB at most of one command; it must end well."""
    null = os.open(os.devnull, os.O_WRONLY)
    command = [sys.executable, "-m", "keepfact", *arguments]
    pid = os.posix_spawn(sys.executable, command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
    os.close(null)
    _, status, usage = os.wait4(pid, 0)
    if code := os.waitstatus_to_exitcode(status):
        sys.exit(f"expected keepfact {arguments[0]} to end with 0, but it ended with {code}.")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


if __name__ == "__main__":
    main()
