"""Steps as records that leave out what the step before has said already, and the way back, without loss."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

from keepfact.conformance.answers import Answers
from keepfact.spec.vocabulary import (
    BESIDE_RUNS,
    NOTHING,
    Cause,
    Observation,
    RunId,
    RunView,
    Spawn,
    Step,
    Truth,
    run_of,
)

from .records import Record, ShownRecord, StepRecord


def record_of(trace: str, number: int, step: Step) -> StepRecord:
    """The step without what is known from the steps before it."""
    old = {run.run: run for run in step.before.runs}
    runs, history_from = [], {}
    for run in step.after.runs:
        before = old.get(run.run)
        if before == run:
            continue
        kept = _common(before, run)
        history_from[run.run] = kept + 1
        runs.append(replace(run, history=run.history[kept:]))
    return StepRecord(
        trace=trace,
        number=number,
        cause=step.cause,
        outcome=step.outcome,
        runs=tuple(runs),
        history_from=history_from,
        gone=tuple(name for name in old if step.after.run(name) is None),
        truth=None if step.truth == step.truth_before else step.truth,
        session=step.session,
        **_changed_beside(step.before, step.after),
    )


def steps(records: Iterable[Record]) -> Iterator[tuple[str, Step]]:
    """Every step with the name of its trace, put together again from all records of an evidence directory."""
    traces = Traces()
    for record in records:
        if isinstance(record, ShownRecord):
            traces.show(record)
        elif isinstance(record, StepRecord):
            yield record.trace, traces.go_on(record)


class MissingStepError(Exception):
    """A step does not follow the one before it in its trace."""


class Traces:
    """Puts steps together as their records come. One that rests while `TRACES_MAX` others go on is taken to be over,
    so that there can be any number of traces.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Trace] = OrderedDict()

    def go_on(self, record: StepRecord) -> Step:
        """The step of this record. MissingStepError if the one before it in its trace was not seen."""
        trace = self._trace(record.trace)
        expected, trace.number = trace.number + 1, record.number
        step = trace.go_on(record)
        if record.number != expected:
            raise MissingStepError(f"step {record.number} of a trace of which step {expected} is wanting")
        return step

    def show(self, record: ShownRecord) -> None:
        """What is there before the next step."""
        self._trace(record.trace).show(record.observed)

    def _trace(self, name: str) -> "_Trace":
        trace = self._known.setdefault(name, _Trace())
        self._known.move_to_end(name)
        if len(self._known) > TRACES_MAX:
            self._known.popitem(last=False)
        return trace

    def forget(self) -> None:
        """A part of the run is over, and all of its traces."""
        self._known.clear()


TRACES_MAX = 1000


@dataclass
class _Trace:
    """One trace as far as it has been read. Runs are shown in the order in which they were first asked about."""

    number: int = 0
    observation: Observation = field(default_factory=Observation)
    truth: Truth = NOTHING
    answers: Answers = field(default_factory=Answers)
    order: list[RunId] = field(default_factory=list)

    def go_on(self, record: StepRecord) -> Step:
        before, truth_before = self.observation, self.truth
        self._follow(record.cause)
        self.observation = self._after(record)
        self.truth = truth_before if record.truth is None else record.truth
        repeats = self.answers.before(record.cause)
        self.answers.remember(record.cause, record.outcome)
        return Step(
            before, record.cause, record.outcome, self.observation, truth_before, self.truth, repeats, record.session
        )

    def show(self, observed: Observation) -> None:
        self.observation = observed
        self.order += [run.run for run in observed.runs if run.run not in self.order]

    def _follow(self, cause: Cause) -> None:
        named = (run_of(cause), cause.child if isinstance(cause, Spawn) else None)
        self.order += [run for run in named if run is not None and run not in self.order]

    def _after(self, record: StepRecord) -> Observation:
        runs = {run.run: run for run in self.observation.runs if run.run not in record.gone}
        for run in record.runs:
            if run.run not in self.order:  # born of another one's command
                self.order.append(run.run)
            before = runs.get(run.run)
            kept = before.history[: record.history_from[run.run] - 1] if before else ()
            runs[run.run] = replace(run, history=kept + run.history) if kept else run
        beside = {name: getattr(record, name) for name in BESIDE_RUNS if getattr(record, name) is not None}
        if not (record.runs or record.gone or beside):
            return self.observation
        return replace(self.observation, runs=tuple(runs[run] for run in self.order if run in runs), **beside)


def _changed_beside(before: Observation, after: Observation) -> dict[str, Any]:
    return {name: getattr(after, name) for name in BESIDE_RUNS if getattr(after, name) != getattr(before, name)}


def _common(before: RunView | None, after: RunView) -> int:
    """How many events at the start of both histories are the same."""
    old = before.history if before else ()
    same = (one == other for one, other in zip(old, after.history, strict=False))
    return sum(takewhile(bool, same))
