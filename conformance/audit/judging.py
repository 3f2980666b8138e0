"""Judges a whole evidence again, record by record, with the rules of today and in constant memory."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from keepfact.conformance.concluding import Found
from keepfact.conformance.evidence import (
    DefectRecord,
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
    ShownRecord,
    StepRecord,
    VerdictRecord,
    WrittenRecord,
)
from keepfact.conformance.evidence.steps import MissingStepError, Traces
from keepfact.conformance.judge import MODEL, Judge, Violation
from keepfact.conformance.proof import SelfTest
from keepfact.conformance.verdicts import Verdict, worst
from keepfact.spec.book import Book
from keepfact.spec.vocabulary import NOTHING, Observation, RunId, Step, Truth, WorkerRan

from .finding import FINDINGS_MAX, Difference
from .outside import unlike_the_ledger

WRITERS = "ENTRY.2"
"""The rule that the write-ahead log is held against."""

SHORTEST = "shortest"
"""The trace in which lockstep tells a failure again: no part of the search, and not counted with it."""


@dataclass
class Bench:
    """Where the records are put, one after the other. `said` are the verdicts of the run, `broken_first` where each
    rule was broken for the first time, as found now.

    Nothing is kept of a step but counts, and of a trace what its next step needs.
    """

    directory: Path
    book: Book
    header: Header
    find: Callable[[int, str], None]
    find_in: Callable[[str, int | None, str], None]
    said: dict[str, VerdictRecord] = field(default_factory=dict)
    broken_first: dict[str, str] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)
    steps: int = 0

    def __post_init__(self) -> None:
        header = self.header
        self.judge = Judge(header.contracts, self.book.rules, header.capabilities)
        self._known = {rule.id for rule in self.book.rules}
        self._traces = Traces()
        self._part = _Part()
        self._parts: list[Verdict] = []
        self._scopes: list[ScopeRecord] = []
        self._defects: list[DefectRecord] = []
        self._saw_world = False

    def take(self, line: int, record: Record) -> None:
        """Take in the next record."""
        match record:
            case PartRecord():
                self._begin(record.name, played=record.played)
            case StepRecord():
                self._judge(line, record)
            case ShownRecord():
                self._traces.show(record)
            case ExpectationRecord():
                self._expect(line, record)
            case WrittenRecord():
                self._see_written(record)
            case FaultRecord():
                self._part.delivered += record.delivered
            case MeetingRecord():
                self._part.meetings[record.explained] += 1
            case LockstepRecord():
                self._end(line, "lockstep", record.verdict, self._part.unlike_lockstep(record))
            case MeetingsRecord():
                self._end(line, "commands that meet", record.verdict, self._part.unlike_meetings(record))
            case ExperimentRecord():
                self._saw_world |= record.name not in self.judge.played
                self._end(line, record.name, record.verdict, self._unlike_experiment(record))
            case ScopeRecord():
                self._scopes.append(self._pinned(record))
            case DefectRecord():
                self._defects.append(record)
            case NotShownRecord():
                self._parts += [Verdict.NOT_APPLICABLE] if record.not_applicable else []
            case VerdictRecord():
                self.said[record.rule] = record
            case _:
                pass  # marks and stories tell what other records prove

    def found(self) -> Found:
        """What the verdicts rest on, as found now."""
        proof = SelfTest(tuple(self._scopes), tuple(self._defects))
        return Found(
            self.judge.contracts,
            self.judge.capabilities,
            self.judge,
            (*self._parts, *proof.verdicts()),
            proof.caught(),
            self._saw_world,
            self.book,
        )

    def _begin(self, name: str, *, played: bool) -> None:
        self.judge.part = name
        self.judge.played |= {name} if played else set()
        self._part = _Part(name, is_played=name in self.judge.played)
        self._traces.forget()

    def _judge(self, line: int, record: StepRecord) -> None:
        self.steps += 1
        try:
            step = self._traces.go_on(record)
        except MissingStepError as error:
            self.find(line, str(error))
            return
        except Exception as error:  # evidence may be as strange as whoever wrote it likes
            self.find(line, f"it cannot be joined to the step before it: {type(error).__name__}: {error}")
            return
        self._part.count(record, step)
        for violation in self.judge.see(step, record.trace):
            self._part.broken += 1
            self.broken_first.setdefault(violation.rule, f"line {line}, trace {record.trace}: {violation.seen}")
        self.judge.violations.clear()

    def _expect(self, line: int, record: ExpectationRecord) -> None:
        if record.rule != MODEL and record.rule not in self._known:
            self.find(line, "the book has no rule of this id")
            return
        if record.holds:
            self.judge.acquit(record.rule)
            return
        self._part.broken += 1
        self._convict(record.rule, record.expected, record.seen, record.trace)
        self.broken_first.setdefault(record.rule, f"line {line}, trace {record.trace}: {record.seen}")

    def _see_written(self, record: WrittenRecord) -> None:
        objected, told = record.objected, record.objections
        for _ in range(record.judged - objected):
            self.judge.acquit(WRITERS)
        for place in range(objected):
            self._part.broken += 1
            self._convict(WRITERS, "", told[place] if place < len(told) else "", record.experiment)
        if objected and record.verdict is not Verdict.VIOLATED:
            self._differ(f"what was written during {record.experiment}", record.verdict, Verdict.VIOLATED)

    def _convict(self, rule: str, expected: str, seen: str, trace: str) -> None:
        nothing = Observation()
        step = Step(nothing, WorkerRan(RunId(trace)), None, nothing, NOTHING, NOTHING)
        self.judge.convict(Violation(rule, step, expected, seen, trace=trace))
        self.judge.violations.clear()

    def _end(self, line: int, name: str, said: Verdict, unlike: Iterator[Difference]) -> None:
        """A part is over: it is violated if anything was broken in it, and no better than it was said to be."""
        self.differences += islice(unlike, FINDINGS_MAX)
        found = said
        if self._part.broken:
            found = Verdict.VIOLATED
        elif said is Verdict.VIOLATED:
            found = Verdict.INCONCLUSIVE
        if found is not said:
            self._differ(name, said, found)
        self._parts.append(worst([said, found]))
        self._begin(self.judge.part, played=False)

    def _unlike_experiment(self, record: ExperimentRecord) -> Iterator[Difference]:
        yield from self._part.unlike_experiment(record)
        ledger = self.directory / f"truth-{record.name}.ndjson"
        if record.name != self._part.name:
            return
        if ledger.is_file():
            is_whole = record.verdict is Verdict.HOLDS
            yield from unlike_the_ledger(ledger, self._part.truths, self.find_in, is_whole=is_whole)
        elif not self._part.is_played:
            self.find_in(ledger.name, None, "it is missing: this experiment had servers outside, which wrote it")

    def _pinned(self, record: ScopeRecord) -> ScopeRecord:
        """A scope that was found larger or smaller than it is pinned does not hold."""
        pinned = (record.states, record.edges) == (record.pinned_states, record.pinned_edges)
        if record.verdict is Verdict.HOLDS and not pinned:
            self._differ(f"scope {record.name}", record.verdict, Verdict.INCONCLUSIVE)
            return record.model_copy(update={"verdict": Verdict.INCONCLUSIVE})
        return record

    def _differ(self, about: str, said: str, found: str) -> None:
        if len(self.differences) < FINDINGS_MAX:
            self.differences.append(Difference(about, said, found))


@dataclass
class _Part:
    """What was counted in one part of the run, to be held against what its record says of it."""

    name: str = ""
    is_played: bool = False
    broken: int = 0
    steps: int = 0
    delivered: int = 0
    truths: dict[str, Truth] = field(default_factory=dict)
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    meetings: Counter[bool | None] = field(default_factory=Counter)

    def count(self, record: StepRecord, step: Step) -> None:
        if not self.is_played:
            self.truths[record.trace] = step.truth
        if record.trace != SHORTEST:
            self.steps += 1
            if step.outcome is not None:
                self.outcomes[type(step.cause).__name__, type(step.outcome).__name__] += 1

    def unlike_lockstep(self, record: LockstepRecord) -> Iterator[Difference]:
        if record.steps != self.steps:
            yield Difference("steps in lockstep", f"{record.steps}", f"{self.steps}")
        said = {(cause, name): times for cause, told in record.outcomes.items() for name, times in told.items()}
        for cause, name in sorted(said.keys() | self.outcomes.keys()):
            times = said.get((cause, name), 0)
            if times != self.outcomes[cause, name]:
                yield Difference(f"{cause} that was {name}", f"{times}", f"{self.outcomes[cause, name]}")

    def unlike_meetings(self, record: MeetingsRecord) -> Iterator[Difference]:
        self.broken += self.meetings[False]
        if record.undecided != self.meetings[None]:
            yield Difference("meetings that are undecided", f"{record.undecided}", f"{self.meetings[None]}")
        if record.meetings + record.races != self.meetings.total():
            yield Difference("meetings and races", f"{record.meetings + record.races}", f"{self.meetings.total()}")

    def unlike_experiment(self, record: ExperimentRecord) -> Iterator[Difference]:
        if record.delivered != self.delivered:
            yield Difference(f"faults that {record.name} delivered", f"{record.delivered}", f"{self.delivered}")
        if record.name != self.name:
            yield Difference("the experiment under way", record.name, self.name or "none")
