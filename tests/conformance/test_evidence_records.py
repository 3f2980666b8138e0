"""Records: each comes back as it was written, steps too, and a JSON Schema says what may stand on a line."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from keepfact.conformance.evidence import EvidenceReader, EvidenceWriter, StepRecord, record_of, steps
from keepfact.conformance.evidence.records import RECORDS, Record
from keepfact.conformance.judge import Judge, Violation
from keepfact.conformance.lockstep import search
from keepfact.conformance.profiles import Effort
from keepfact.conformance.recorder import Recorder
from keepfact.conformance.systems.reference import Reference
from keepfact.spec.vocabulary import (
    Cause,
    Claim,
    CommandId,
    Contract,
    Done,
    Fail,
    Fence,
    LookUp,
    Lost,
    Observation,
    Observe,
    Outcome,
    RunId,
    Step,
    Submit,
    Tick,
    ToolReleased,
    WorkerId,
)

from .met import BY_THEMSELVES, met

RUN = RunId("run-1")
KINDS = [record.model_fields["kind"].default for record in get_args(get_args(Record)[0])]


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[Step]]]:
    """Evidence of a search, and the very steps that it was written from."""
    directory = tmp_path_factory.mktemp("searched")
    seen: dict[str, list[Step]] = {}

    class Remembering(Judge):
        def see(self, step: Step, trace: str = "", steps: Sequence[Step] = ()) -> tuple[Violation, ...]:
            seen.setdefault(trace, []).append(step)
            return super().see(step, trace, steps)

    with EvidenceWriter(directory) as evidence:
        search(Reference(), Remembering(Contract), evidence, Effort(traces=60, steps=30, tours_in_brief=True), 3)
    return directory, seen


def test_every_step_is_put_together_again_as_it_was_judged(searched: tuple[Path, dict[str, list[Step]]]) -> None:
    directory, seen = searched
    again: dict[str, list[Step]] = {}
    for trace, step in steps(EvidenceReader(directory)):
        again.setdefault(trace, []).append(step)
    assert again == seen
    assert any(step.repeats is not None for trace in seen.values() for step in trace)
    assert any(len(step.after.runs) > 1 for trace in seen.values() for step in trace)
    assert any(step.truth != step.truth_before for trace in seen.values() for step in trace)
    assert any(step.session is not None for trace in seen.values() for step in trace)


def test_steps_judged_again_from_evidence_break_no_rule_either(searched: tuple[Path, dict[str, list[Step]]]) -> None:
    judge = Judge(Contract)
    assert [broken for _, step in steps(EvidenceReader(searched[0])) for broken in judge.see(step)] == []
    assert len(judge.spoken) > 90


def test_every_kind_of_cause_and_outcome_comes_back(searched: tuple[Path, dict[str, list[Step]]]) -> None:
    records = [record for record in EvidenceReader(searched[0]) if isinstance(record, StepRecord)]
    causes, outcomes = {type(record.cause) for record in records}, {type(record.outcome) for record in records}
    assert causes == set(get_args(Cause)) - {*BY_THEMSELVES, LookUp, ToolReleased}
    assert outcomes == {*get_args(Outcome), type(None)}


@pytest.mark.parametrize("text", ["plain", "\0", "half a character: \ud800", "no half of one: \\ud800"])
def test_a_text_comes_back_whatever_is_in_it(tmp_path: Path, text: str) -> None:
    command = Fail(CommandId("1"), RUN, Fence(1), text)
    with EvidenceWriter(tmp_path / "evidence") as evidence:
        evidence.write(record_of("t", 1, Step(Observation(), command, Lost(), Observation())))
    (record,) = EvidenceReader(tmp_path / "evidence")
    assert isinstance(record, StepRecord)
    assert record.cause == command


@pytest.mark.parametrize("cause", met(), ids=lambda cause: cause.__name__)
def test_steps_of_every_kind_come_back_with_what_is_kept_beside_runs(cause: type) -> None:
    for step in met()[cause]:
        lines = [record_of("t", number, one) for number, one in enumerate([_shown_first(step), step], 1)]
        again = [RECORDS.validate_json(line.model_dump_json()) for line in lines]
        *_, (_, last) = steps(again)
        assert replace(last, repeats=step.repeats) == step


def test_a_step_says_only_what_changed() -> None:
    recorder, written = _recorded()
    recorder.perform(Submit(CommandId("1"), RUN, Contract.SETTLE, 5))
    recorder.perform(Claim(CommandId("2"), RUN, WorkerId("w1")))
    recorder.perform(Claim(CommandId("3"), RUN, WorkerId("w2")))
    first, second, third = written
    assert (len(first.runs[0].history), first.history_from) == (1, {RUN: 1})
    assert (len(second.runs[0].history), second.history_from) == (1, {RUN: 2})
    assert (third.runs, third.history_from, third.gone, third.truth) == ((), {}, (), None)


def test_a_run_that_is_gone_and_a_past_that_was_changed_come_back() -> None:
    """What a wrong system shows is evidence too."""
    recorder, written = _recorded()
    recorder.perform(Submit(CommandId("1"), RUN, Contract.SETTLE, 5))
    shown = recorder.observation
    forged = replace(shown.runs[0].history[0], principal="nobody")
    rewritten = replace(shown.runs[0], history=(forged,))
    for observation in (Observation((rewritten,)), Observation(), shown):
        recorder._system.observe = lambda runs, now=observation: now  # type: ignore[method-assign, misc]
        recorder.happen(Tick(1))
    assert [step for _, step in steps(written)] == recorder.steps
    assert written[2].gone == (RUN,)


def test_the_schema_says_what_may_stand_on_a_line() -> None:
    schema = json.loads(json.dumps(RECORDS.json_schema()))
    assert sorted(schema["discriminator"]["mapping"]) == sorted(KINDS)
    step = schema["$defs"]["StepRecord"]["properties"]
    named = {part["properties"]["is"]["const"] for part in step["cause"]["oneOf"]}
    assert named == {cause.__name__ for cause in get_args(Cause)}
    assert "$ref" not in json.dumps(step["cause"])


@pytest.mark.parametrize(
    "cause", [{"is": "Nonsense"}, {}, {"is": "Tick"}, {"is": "Tick", "seconds": "soon"}, "Tick", 3, None]
)
def test_a_cause_that_is_none_is_refused(cause: object) -> None:
    line = {"kind": "step", "trace": "t", "number": 1, "outcome": None, "runs": [], "history_from": {}, "cause": cause}
    with pytest.raises(ValidationError):
        RECORDS.validate_json(json.dumps(line))


def _shown_first(step: Step) -> Step:
    """A look after which everything is known that was there before the step."""
    return Step(Observation(), Observe(CommandId("look"), RUN), Done(), step.before, truth=step.truth_before)


def _recorded() -> tuple[Recorder, list[StepRecord]]:
    written: list[StepRecord] = []

    class InMemory(EvidenceWriter):
        def __init__(self) -> None:
            pass

        def write(self, record: Any) -> None:
            written.append(RECORDS.validate_json(record.model_dump_json()))  # type: ignore[arg-type]

    return Recorder(Reference(), Judge({Contract.SETTLE}), InMemory(), "trace"), written


def test_what_a_trace_looks_at_besides_was_there_before_its_next_step(tmp_path: Path) -> None:
    """Nothing has happened to it then, and nothing is said to have."""
    system, first, second = Reference(), RunId("first"), RunId("second")
    with EvidenceWriter(tmp_path) as writer:
        Recorder(system, Judge(Contract), None, "a").perform(Submit(CommandId("1"), first, Contract.SETTLE, 5))
        recorder = Recorder(system, Judge(Contract), writer, "b")
        recorder.also_show([Observe(CommandId("2"), first)])
        recorder.perform(Submit(CommandId("3"), second, Contract.SETTLE, 5))
        recorder.perform(Claim(CommandId("4"), first, WorkerId("w")))
    assert [step for _, step in steps(EvidenceReader(tmp_path))] == recorder.steps
    assert recorder.steps[0].before.run(first) is not None
    assert [run.run for _, run in recorder.steps[0].changed_runs] == [second]
