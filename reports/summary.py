"""What one evidence directory says, joined with the book of today; every report is made from this and nothing else.

It never says more than the evidence: without a footer, or with one that does not fit, nothing is concluded; a rule
that was reworded since has only suspect evidence; and what delivered nothing or met nothing is no pass.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from keepfact.conformance.evidence import (
    DefectRecord,
    ExperimentRecord,
    FaultRecord,
    Footer,
    Header,
    LockstepRecord,
    MarkRecord,
    MeetingsRecord,
    NotShownRecord,
    Record,
    ScopeRecord,
    StoryRecord,
    VerdictRecord,
    WrittenRecord,
)
from keepfact.conformance.harm import Harm
from keepfact.conformance.verdicts import Level, Verdict, exit_code_of, level_of, worst
from keepfact.spec.book import Book

from .answer import answer, counts_of
from .reading import Standing, read
from .rules import RuleFinding, findings

Kind = TypeVar("Kind", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ExperimentFinding:
    """One experiment, its faults, and what the log shows of it. Without a record of its own it was cut off."""

    name: str
    verdict: Verdict
    record: ExperimentRecord | None
    faults: tuple[FaultRecord, ...]
    written: WrittenRecord | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """The marks of one trace, in the order they were made, and the experiment it belongs to, if any."""

    name: str
    experiment: str | None
    marks: tuple[MarkRecord, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything a report may tell. `verdict`, `level` and `exit_code` are what the evidence supports today.

    `parts` are the verdicts of what is no rule: experiments, scopes, lockstep and meetings, by name. Of
    `traces_left_out` traces not all marks were kept. `digest` is SHA-256 of the evidence file, in hex.
    """

    answer: str
    verdict: Verdict
    level: Level
    exit_code: int
    standing: Standing
    counts: dict[Verdict, int]
    header: Header
    footer: Footer | None
    parts: dict[str, Verdict]
    chapters: dict[str, str]
    rules: tuple[RuleFinding, ...]
    experiments: tuple[ExperimentFinding, ...]
    lockstep: tuple[LockstepRecord, ...]
    meetings: tuple[MeetingsRecord, ...]
    scopes: tuple[ScopeRecord, ...]
    defects: tuple[DefectRecord, ...]
    stories: tuple[StoryRecord, ...]
    traces: tuple[Trace, ...]
    not_shown: tuple[str, ...]
    steps: int
    traces_left_out: int
    digest: str


def summarize(directory: Path, book: Book) -> Summary:
    """Read the evidence and say what it shows; raises EvidenceError when it cannot be read at all."""
    reading = read(directory)
    records = reading.records
    rules = findings(_of(VerdictRecord, records), reading.standing, book)
    experiments = _experiments(records)
    lockstep, scopes = _of(LockstepRecord, records), _of(ScopeRecord, records)
    parts = {f"experiment {finding.name}": finding.verdict for finding in experiments}
    parts |= {f"scope {scope.name}": scope.verdict for scope in scopes}
    parts |= {"lockstep": worst(record.verdict for record in lockstep)} if lockstep else {}
    meetings = _of(MeetingsRecord, records)
    parts |= {"meetings": worst(record.verdict for record in meetings)} if meetings else {}
    verdict = _total(reading.standing, reading.footer, rules, parts)
    stories = ranked(_of(StoryRecord, records))
    return Summary(
        answer=answer(reading.header.system, reading.standing, verdict, rules, parts, stories),
        verdict=verdict,
        level=_level(verdict, reading.footer, rules),
        exit_code=exit_code_of(verdict),
        standing=reading.standing,
        counts=counts_of(rules),
        header=reading.header,
        footer=reading.footer,
        parts=parts,
        chapters={chapter.name: chapter.title for chapter in book.chapters},
        rules=rules,
        experiments=experiments,
        lockstep=lockstep,
        meetings=meetings,
        scopes=scopes,
        defects=_of(DefectRecord, records),
        stories=stories,
        traces=_traces(records),
        not_shown=_inconclusive(reading.standing)
        + tuple(record.text for record in _of(NotShownRecord, records))
        + _unproven(rules),
        steps=reading.steps,
        traces_left_out=reading.traces_left_out,
        digest=reading.digest,
    )


def ranked(stories: tuple[StoryRecord, ...]) -> tuple[StoryRecord, ...]:
    """Those that did most harm first; where nobody looked at the harm, as if something had been written."""
    place = {harm: number for number, harm in enumerate(Harm)}
    return tuple(sorted(stories, key=lambda story: place[story.harm or Harm.WRITTEN]))


def _total(
    standing: Standing, footer: Footer | None, rules: tuple[RuleFinding, ...], parts: dict[str, Verdict]
) -> Verdict:
    """The worst of everything. Evidence that is not whole supports no verdict at all, not even a bad one."""
    if standing is not Standing.COMPLETE or footer is None:
        return Verdict.INCONCLUSIVE
    return worst([footer.verdict, *(finding.verdict for finding in rules), *parts.values()])


def _level(verdict: Verdict, footer: Footer | None, rules: tuple[RuleFinding, ...]) -> Level:
    """The lower of the level on record and the level that the rules support today."""
    if verdict in {Verdict.VIOLATED, Verdict.INCONCLUSIVE} or footer is None:
        return Level.NONE
    return max(footer.level, level_of(finding.verdict for finding in rules), key=list(Level).index)


def _experiments(records: tuple[Record, ...]) -> tuple[ExperimentFinding, ...]:
    concluded = {record.name: record for record in _of(ExperimentRecord, records)}
    written = {record.experiment: record for record in _of(WrittenRecord, records)}
    faults: dict[str, list[FaultRecord]] = {}
    for fault in _of(FaultRecord, records):
        faults.setdefault(fault.experiment, []).append(fault)
    names = dict.fromkeys([*concluded, *faults])
    return tuple(
        ExperimentFinding(
            name=name,
            verdict=_verdict_of(concluded.get(name)),
            record=concluded.get(name),
            faults=tuple(faults.get(name, ())),
            written=written.get(name),
        )
        for name in names
    )


def _verdict_of(record: ExperimentRecord | None) -> Verdict:
    """An experiment that was not concluded, or that delivered no fault, shows nothing."""
    if record is None:
        return Verdict.INCONCLUSIVE
    return record.verdict if record.delivered else worst([record.verdict, Verdict.INCONCLUSIVE])


def _traces(records: tuple[Record, ...]) -> tuple[Trace, ...]:
    experiment_of = {fault.trace: fault.experiment for fault in _of(FaultRecord, records)}
    marks: dict[str, list[MarkRecord]] = {}
    for mark in _of(MarkRecord, records):
        marks.setdefault(mark.trace, []).append(mark)
    return tuple(Trace(name, experiment_of.get(name), tuple(found)) for name, found in marks.items())


def _inconclusive(standing: Standing) -> tuple[str, ...]:
    whole = standing is Standing.COMPLETE
    return () if whole else ("Conformance to any rule: the evidence is not whole, so nothing is concluded from it.",)


def _unproven(rules: tuple[RuleFinding, ...]) -> tuple[str, ...]:
    """A rule that holds without a defect on record that it catches has not shown that it can fail."""
    names = [found.record.rule for found in rules if found.verdict is Verdict.HOLDS and not found.record.caught]
    return (f"That these rules can fail: no defect on record is caught by {', '.join(names)}.",) if names else ()


def _of(kind: type[Kind], records: tuple[Record, ...]) -> tuple[Kind, ...]:
    return tuple(record for record in records if isinstance(record, kind))
