"""Commands with spoiled fields: which they are, what a right system makes of them, and what a wrong one."""

from contextlib import closing
from dataclasses import replace

import pytest

from keepfact.conformance.evidence import ExperimentRecord
from keepfact.conformance.judge import Judge
from keepfact.conformance.system import System, capabilities_of
from keepfact.conformance.systems.defective import open_defective
from keepfact.conformance.systems.postgres import Postgres, Server
from keepfact.conformance.systems.reference import Reference
from keepfact.conformance.touring import tours_of_all
from keepfact.conformance.verdicts import Verdict
from keepfact.fault_injection.experiments import bad_input
from keepfact.fault_injection.experiments.bad_input import EXPERIMENT, NUMBERS, TEXTS, spoiled, ways_to_each_command
from keepfact.fault_injection.strikes import Sample
from keepfact.model.paths import taken
from keepfact.spec.vocabulary import (
    Capability,
    Claim,
    Command,
    CommandId,
    Contract,
    Done,
    Drift,
    Lost,
    Outcome,
    RunId,
    Submit,
    WorkerId,
)

from .leaving import nothing_is_left

SUBMIT = Submit(CommandId("1"), RunId("run"), Contract.SETTLE, 5)
SETTLE = replace(EXPERIMENT, contracts=(Contract.SETTLE,))


def run(system: System, *, deliver: bool = True, sample: Sample | None = None) -> tuple[ExperimentRecord, Judge]:
    judge = Judge(system.contracts, capabilities=capabilities_of(system))
    with nothing_is_left(system, has_workers=False):
        record = SETTLE.run(system, judge, None, lambda done, total, text: None, deliver=deliver, sample=sample)
    return record, judge


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three kinds of commands are enough to see what is judged: a submission, a renewal, a reading."""
    offered = frozenset({Capability.STREAMS})
    ways = ways_to_each_command(tours_of_all(frozenset({Contract.SETTLE}), offered))
    monkeypatch.setattr(bad_input, "tours_of_all", lambda *_: (ways["Submit"], ways["Renew"], ways["Stream"]))
    monkeypatch.setattr(bad_input, "ways_to_each_command", lambda walks: dict(zip("123", walks, strict=True)))


def test_each_field_is_spoiled_in_each_way_and_one_at_a_time() -> None:
    made = list(spoiled(SUBMIT))
    assert [bad.budget_cents for field, bad in made if field == "budget_cents"] == list(NUMBERS)
    assert [bad.run for field, bad in made if field == "run"] == list(TEXTS)
    assert all(replace(bad, **{field: getattr(SUBMIT, field)}) == SUBMIT for field, bad in made)
    assert "contract" not in {field for field, _ in made}
    claim = Claim(CommandId("1"), RunId("run"), WorkerId("worker"))
    texts = [getattr(bad, field) for field, bad in spoiled(claim) if field == "supports"]
    assert texts == [(text,) for text in TEXTS]


def test_each_command_is_come_to_where_it_would_be_done() -> None:
    walks = tours_of_all(frozenset({Contract.SETTLE}), frozenset())
    ways = ways_to_each_command(walks)
    assert {"Submit", "Claim", "Renew", "Intend", "RecordAnswer", "Publish", "Succeed", "Recover"} <= ways.keys()
    for name, walk in ways.items():
        *_, last = taken(walk)
        assert (type(last.cause).__name__, type(last.outcome)) == (name, Done)


def test_the_reference_answers_all_of_it_and_goes_on() -> None:
    record, judge = run(Reference())
    assert (record.verdict, record.delivered) == (Verdict.HOLDS, record.runs)
    assert record.runs > 30
    assert not judge.violations


def test_without_its_fault_it_shows_nothing() -> None:
    record, _ = run(Reference(), deliver=False, sample=Sample(2, 1))
    assert (record.verdict, record.delivered, record.runs) == (Verdict.NOT_EXERCISED, 0, 2)


def test_one_that_raises_one_that_is_silent_and_one_that_changes_something_are_convicted(few: None) -> None:
    class Raises(Reference):
        def perform(self, command: Command) -> Outcome:
            if isinstance(command, Submit) and command.budget_cents < 0:
                raise ValueError("no such budget")
            return super().perform(command)

    class Silent(Reference):
        def perform(self, command: Command) -> Outcome:
            outcome = super().perform(command)
            return outcome if isinstance(outcome, Done) else Lost()

    class Changes(Reference):
        def perform(self, command: Command) -> Outcome:
            outcome = super().perform(command)
            if not isinstance(outcome, Done):
                self.drift(Drift.PLAN)
            return outcome

    for system in (Raises(), Silent(), Changes()):
        record, judge = run(system)
        if isinstance(system, Raises):
            assert all("what cannot be stored or read is Refused(MALFORMED)" in one.seen for one in judge.violations)
        assert record.verdict is Verdict.VIOLATED
        assert "ENTRY.5" in {broken.rule for broken in judge.violations}


@pytest.mark.parametrize("defect", ["next_number_is_computed", "refusal_leaves_a_row"])
def test_a_defect_is_convicted(defect: str, few: None, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEEPFACT_DSN", server.dsn)
    with closing(open_defective(defect)) as system:
        record, judge = run(system)
    assert record.verdict is Verdict.VIOLATED
    assert "ENTRY.5" in {broken.rule for broken in judge.violations}


def test_the_implementation_is_asked_and_holds(few: None, server: Server) -> None:
    with closing(Postgres(server=server)) as system:
        record, judge = run(system)
    assert (record.verdict, record.delivered, judge.violations) == (Verdict.HOLDS, 3, [])
