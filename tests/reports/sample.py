"""Evidence as a run would leave it, written by the real writer over the real book."""

from collections.abc import Iterable
from pathlib import Path

from keepfact.conformance.evidence import (
    DefectRecord,
    EvidenceWriter,
    ExperimentRecord,
    FaultRecord,
    Header,
    LockstepRecord,
    MarkRecord,
    MeetingsRecord,
    NotShownRecord,
    Record,
    ScopeRecord,
    StepRecord,
    StoryRecord,
    VerdictRecord,
)
from keepfact.conformance.verdicts import Level, Verdict, exit_code_of
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import CommandId, Contract, Done, Observe, RunId

BROKEN = "FENCE.2"
SEAMS = (
    "model asked",
    "model answered",
    "answer sent to the database",
    "answer committed",
    "tool asked",
    "tool acted",
    "outcome committed",
)
SIDES = ("before", "after")


def header(system: str = "postgres", command: str = "keepfact verify --profile standard --seed 4711") -> Header:
    return Header(
        kit_version="0.1.0",
        command=command,
        profile="standard",
        seed=4711,
        system=system,
        contracts=(Contract.SETTLE,),
        capabilities=(),
        lease_seconds=30,
        versions={"Python": "3.11.9", "PostgreSQL": "18.6", "psycopg": "3.3.9", "schema": "1"},
        machine={"cpus": "2", "memory": "7.7 GiB", "platform": "Linux 6.8 x86_64"},
        book_digest=BOOK.digest,
        started_at="2026-03-02T09:14:05+00:00",
    )


def verdicts(*changed: VerdictRecord) -> list[VerdictRecord]:
    """One verdict a rule, all of which hold but those that are `changed`."""
    others = {record.rule: record for record in changed}
    return [others.get(rule.id, verdict(rule.id)) for rule in BOOK.rules]


def verdict(rule_id: str, said: Verdict = Verdict.HOLDS, **other: object) -> VerdictRecord:
    rule = BOOK.rule(rule_id)
    fields: dict[str, object] = {
        "rule": rule.id,
        "digest": rule.digest,
        "chapter": rule.chapter,
        "sentence": rule.sentence,
        "verdict": said,
        "exercised": {"model": 18_204, "lockstep": 911, "model_returned_then_killed": 14},
        "violations": 0,
        "caught": (f"{rule.name}_is_ignored",),
    }
    return VerdictRecord.model_validate(fields | other)


def experiment(name: str, missed: frozenset[tuple[str, str]] = frozenset()) -> list[Record]:
    """Faults at every seam and side but the last, with a timeline each; `missed` were not delivered."""
    points = [(seam, side) for seam in SEAMS for side in SIDES][:-1]
    records: list[Record] = []
    for place, (seam, side) in enumerate(points):
        number = SEAMS.index(seam) + 1
        trace = f"{name}/{place + 1}"
        struck = (seam, side) not in missed
        proof = f"worker {4100 + place} was alive at the seam and died of signal 9" if struck else "never got there"
        records.append(
            FaultRecord(experiment=name, trace=trace, seam=f"{number} {seam}", side=side, delivered=struck, proof=proof)
        )
        records.extend(marks(trace, place))
    delivered = len(points) - len(missed)
    records.append(
        ExperimentRecord(
            name=name,
            fault="The worker is killed by SIGKILL around the model's answer: before, during and after its commit.",
            seams=SEAMS,
            runs=len(points),
            delivered=delivered,
            verdict=Verdict.INCONCLUSIVE if missed else Verdict.HOLDS,
            note="Some faults were never delivered." if missed else "",
        )
    )
    return records


def marks(trace: str, place: int = 4) -> list[MarkRecord]:
    told = [
        ("worker", "seam", "w1 was granted the run under fence 1"),
        ("database", "commit", "the intent of attempt a1, ceiling 40 cents"),
        ("model", "request", "POST /v1/chat/completions under a1"),
        ("model", "answer", "200 with usage, 31 cents"),
        ("worker", "seam", "before the answer is sent to the database"),
        ("worker", "kill", "SIGKILL to worker 4104, which was alive"),
        ("recovery", "recovery", "a recoverer found the lapsed lease and sealed the run"),
        ("database", "commit", "a1 became unknown, the run was sealed for interrupted"),
        ("database", "refused", "a late write under fence 1: stale_fence"),
        ("tool", "evidence", "lookup of o1: not_found"),
        ("recovery", "end", "the last unresolved call had its evidence: interrupted"),
    ]
    shown = told if place % 3 else told[:6] + told[6:8]
    return [
        MarkRecord(trace=trace, lane=lane, at_ms=number * 37 + (30_000 if number > 5 else 0), shape=shape, text=text)
        for number, (lane, shape, text) in enumerate(shown)
    ]


def lockstep() -> LockstepRecord:
    commands = (
        "Submit Claim Renew Release Intend RecordAnswer MarkUnknown Publish Succeed Fail Recover Reconcile Observe"
    )
    reasons = ("stale_fence", "lease_lapsed", "sealed", "no_such_call", "command_id_conflict", "over_budget")
    outcomes = {
        command: {"done": 211 + 7 * place}
        | {f"refused: {reason}": 3 + place * step for step, reason in enumerate(reasons) if (place + step) % 3}
        | ({"lost": place} if place % 2 else {})
        for place, command in enumerate(commands.split())
    }
    return LockstepRecord(
        traces=200, steps=10_412, outcomes=outcomes, covered=90, reachable=100, beyond=3, verdict=Verdict.HOLDS
    )


def meetings() -> MeetingsRecord:
    return MeetingsRecord(
        known=488, pairs=20, meetings=204, preemptions=1, races=36, undecided=0, verdict=Verdict.HOLDS
    )


def scope(name: str = "two_workers_one_run", states: int = 18_204, pinned: int = 18_204) -> ScopeRecord:
    return ScopeRecord(
        name=name,
        bounds="2 workers, 1 run, 1 attempt and 1 operation, fences up to 3, a budget of 2 ceilings",
        states=states,
        edges=states * 9,
        pinned_states=pinned,
        pinned_edges=pinned * 9,
        checked={rule.id: 100 * rule.number + len(rule.chapter) for rule in BOOK.rules},
        states_without_end=0,
        verdict=Verdict.HOLDS if states == pinned else Verdict.VIOLATED,
    )


def defects() -> list[DefectRecord]:
    return [
        DefectRecord(
            name=f"{rule.name}_is_ignored", predicted=(rule.id,), killed_by=tuple(dict.fromkeys((rule.id, "SETTLE.3")))
        )
        for rule in BOOK.rules[::3]
    ]


def step(number: int) -> StepRecord:
    return StepRecord(
        trace="lockstep/1",
        number=number,
        cause=Observe(CommandId(f"c{number}"), RunId("r1")),
        outcome=Done(),
        runs=(),
        history_from={},
    )


def story(rule_id: str = BROKEN, trace: str = "worker_outlived_its_lease/5", **other: object) -> StoryRecord:
    fields: dict[str, object] = {
        "rule": rule_id,
        "trace": trace,
        "lines": (
            "Run r1 was admitted with a budget of 100 cents.",
            "Worker w1 was granted r1 under fence 1.",
            "w1 committed the intent of operation o1, ceiling 40 cents.",
            "w1 was stopped; 31 seconds passed on the store's clock.",
            "r1 was sealed by recovery; o1 became unknown.",
            "w1 went on and recorded the answer of o1 under fence 1: Done.",
        ),
        "expected": "Refused(stale_fence), and nothing changes.",
        "seen": "Done; o1 went from unknown to confirmed, and known cost from 0 to 31 cents.",
        "replay": "replays/test_fence_2_a_sleeper_writes.py",
    }
    return StoryRecord.model_validate(fields | other)


def not_shown() -> list[NotShownRecord]:
    return [
        NotShownRecord(text="Pairs of faults: a second kill during recovery was not tried in this profile."),
        NotShownRecord(text="Loss of a disk, or a promise of the operating system that it does not keep."),
    ]


def everything_but_verdicts() -> list[Record]:
    return [
        scope(),
        scope("lost_answers", 4_410, 4_410),
        *defects(),
        *(step(number) for number in range(1, 6)),
        lockstep(),
        meetings(),
        *experiment("model_returned_then_killed"),
        *experiment("worker_outlived_its_lease"),
        *not_shown(),
    ]


def green(directory: Path) -> Path:
    return write(directory, [*everything_but_verdicts(), *verdicts()], Verdict.HOLDS, Level.FULL)


def violated(directory: Path) -> Path:
    """One rule is broken and told, one does not apply, one was never reached, one could not be decided."""
    changed = (
        verdict(BROKEN, Verdict.VIOLATED, violations=3),
        verdict(
            "HISTORY.3", Verdict.NOT_APPLICABLE, reason="The system declares that it keeps no history.", exercised={}
        ),
        verdict("COST.7", Verdict.NOT_EXERCISED, exercised={}, reason="No amount was above its ceiling."),
        verdict("ENTRY.6", Verdict.INCONCLUSIVE, reason="The checker ran out of its 60 seconds."),
        verdict("EFFECT.4", caught=()),
    )
    missed = frozenset({("tool acted", "after")})
    records = [
        *everything_but_verdicts(),
        *experiment("tool_submitted_then_cut", missed),
        story(),
        story(trace="lockstep/17", seen="Done."),
        *verdicts(*changed),
    ]
    return write(directory, records, Verdict.VIOLATED, Level.NONE)


def inconclusive(directory: Path) -> Path:
    """A run to its end in which one rule could not be decided, one was never reached, and a fault missed."""
    changed = (
        verdict("ENTRY.6", Verdict.INCONCLUSIVE, reason="The checker ran out of its 60 seconds."),
        verdict("COST.7", Verdict.NOT_EXERCISED, exercised={}, reason="No amount was above its ceiling."),
    )
    missed = experiment("tool_submitted_then_cut", frozenset({("tool acted", "after")}))
    records = [*everything_but_verdicts(), *missed, *verdicts(*changed)]
    return write(directory, records, Verdict.INCONCLUSIVE, Level.NONE)


def cut_off(directory: Path) -> Path:
    """The run died while an experiment was under way: faults without their experiment, and no footer."""
    with EvidenceWriter(directory) as writer:
        for record in [header(), scope(), *experiment("model_returned_then_killed")[:30], story()]:
            writer.write(record)
    return directory


def write(
    directory: Path,
    records: Iterable[Record],
    verdict_said: Verdict = Verdict.HOLDS,
    level: Level = Level.FULL,
    first: Header | None = None,
) -> Path:
    """Write records between a header and a footer."""
    with EvidenceWriter(directory) as writer:
        writer.write(first or header())
        for record in records:
            writer.write(record)
        writer.finish(verdict_said, level, exit_code_of(verdict_said))
    return directory
