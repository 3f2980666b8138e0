"""The reference implementation, with its own workers and a real PostgreSQL, through the whole sweep."""

from collections.abc import Iterator

import pytest

from keepfact.conformance.judge import Judge
from keepfact.conformance.systems.postgres import Postgres
from keepfact.conformance.verdicts import Verdict
from keepfact.fault_injection.experiments.model_returned_then_killed import EXPERIMENT
from keepfact.spec.vocabulary import CommandId, Contract, Done, Drift, Grant, SourceId, UserId


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    system = Postgres()
    # What somebody else has left there, beside runs, is no doing of this experiment's.
    assert system.perform(Grant(CommandId("earlier"), SourceId("source"), UserId("user"))) == Done()
    system.drift(Drift.POLICY)
    yield system
    system.close()


def test_the_reference_implementation_keeps_every_fact_wherever_its_worker_dies(postgres: Postgres) -> None:
    judge = Judge(postgres.contracts)
    record = EXPERIMENT.run(postgres, judge, None, lambda done, total, text: None)
    assert [(broken.rule, broken.seen) for broken in judge.violations] == []
    assert (record.verdict, judge.crashes) == (Verdict.HOLDS, {})
    assert record.delivered == record.runs > len(Contract) * len(record.seams) > 0
