"""What a small run leaves behind: a few commands beside the model, a story if they go wrong, reports and a manifest."""

from pathlib import Path

from keepfact import reports
from keepfact.conformance.evidence import DefectRecord, EvidenceWriter, LockstepRecord
from keepfact.conformance.judge import LOCKSTEP
from keepfact.conformance.lockstep import Search
from keepfact.conformance.profiles import Profile
from keepfact.conformance.proof import SelfTest
from keepfact.conformance.recorder import Move
from keepfact.conformance.system import System
from keepfact.conformance.trial import Trial
from keepfact.conformance.verdicts import Verdict
from keepfact.conformance.verification import Conclusion, Verification
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import (
    Act,
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
    Submit,
    Succeed,
    Tick,
    WorkerId,
)

RUN, CALL = RunId("run"), CallId("call")


def moves(run: RunId = RUN) -> list[Move]:
    """A run from its beginning to its end; on the way its first worker hands it back, and is heard again."""
    ids = (CommandId(f"{run}-{number}") for number in range(1, 100))
    first, second = Fence(1), Fence(2)
    return [
        Move(Submit(next(ids), run, Contract.SETTLE, 5)),
        Move(Claim(next(ids), run, WorkerId("one"))),
        Move(Tick(1)),
        Move(Release(next(ids), run, first)),
        Move(Claim(next(ids), run, WorkerId("two"))),
        Move(Publish(next(ids), run, first, "late", False)),
        Move(Intend(next(ids), run, second, CALL, CallKind.ATTEMPT, "ask", 3)),
        Move(Act(run, CALL, 2)),
        Move(RecordAnswer(next(ids), run, second, CALL, "said", 2)),
        Move(Publish(next(ids), run, second, "said", True)),
        Move(Observe(next(ids), run)),
        Move(Succeed(next(ids), run, second)),
        Move(Observe(next(ids), run), "never sent"),
    ]


def left(directory: Path, system: System, traces: int = 2, formats: tuple[str, ...] = ("json",)) -> Conclusion:
    """Leave it there, sealed."""
    with EvidenceWriter(directory) as evidence:
        run = Verification(system, evidence, Profile.QUICK, 1)
        run.judge.enter(LOCKSTEP, evidence, played=True)
        found = Search()
        for number in range(traces):
            found.begin_trace()
            trial = Trial(system, run.judge, evidence, f"lockstep-{number}", found.count)
            if failure := trial.run_through(moves(RunId(f"run-{number}"))):
                found.failures.append(failure)
        run._tell(found)
        record = LockstepRecord(
            traces=traces,
            steps=found.steps,
            outcomes=found.outcomes,
            covered=1,
            reachable=1,
            beyond=0,
            verdict=Verdict.VIOLATED if found.failures else Verdict.HOLDS,
        )
        evidence.write(record)
        run._parts.append(record.verdict)
        run.selftest(SelfTest((), caught_by_every_rule()))
        conclusion = run.conclude(rule for rule in BOOK.rules if run.judge.spoken[rule.id])
        reports.write(directory, formats)
        evidence.seal()
    return conclusion


def caught_by_every_rule() -> tuple[DefectRecord, ...]:
    return tuple(DefectRecord(name="d", predicted=(rule.id,), killed_by=(rule.id,)) for rule in BOOK.rules)
