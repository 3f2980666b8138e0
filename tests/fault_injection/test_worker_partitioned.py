"""A worker that is cut off, on our implementation and a real PostgreSQL, and what the experiment makes of bad habits."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from keepfact.conformance.judge import Judge
from keepfact.conformance.systems.postgres import Postgres, Server
from keepfact.conformance.systems.reference import Reference
from keepfact.conformance.verdicts import Verdict
from keepfact.fault_injection.experiments.worker_partitioned import EXPERIMENT, Side, plan
from keepfact.fault_injection.rehearsal import Dispatch, Rehearsal
from keepfact.spec.vocabulary import NOTHING, CallKind, Contract

from .toy import Toy

REHEARSAL = Rehearsal(
    seams=("claiming", "intended", "model asked", "recording answer"),
    dispatches=(Dispatch(3, CallKind.ATTEMPT),),
    truth=NOTHING,
    starts_queued=True,
)


class OnlySettles(Postgres):
    contracts = frozenset({Contract.SETTLE})


@pytest.fixture(scope="module")
def postgres(server: Server) -> Iterator[Postgres]:
    with closing(OnlySettles(server=server)) as system:
        yield system


def test_the_database_falls_silent_at_every_seam_and_the_outside_where_something_is_sent() -> None:
    sides = [[Side(strike.side) for strike in plan(REHEARSAL) if strike.number == number] for number in range(1, 5)]
    assert sides == [
        [Side.DATABASE],
        [Side.DATABASE, Side.LAPSED],
        [Side.DATABASE, Side.MODEL_LATE, Side.MODEL_ACTED],
        [Side.DATABASE],
    ]


def test_the_reference_implementation_says_and_sends_nothing_for_a_run_that_is_anothers(postgres: Postgres) -> None:
    judge = Judge(postgres.contracts)
    record = EXPERIMENT.run(postgres, judge, None, lambda done, total, text: None, most=len(Side))
    assert [(broken.rule, broken.seen) for broken in judge.violations] == []
    assert (record.verdict, record.note, judge.crashes) == (Verdict.HOLDS, record.note, {})
    assert record.delivered == record.runs == len(Side)


def test_a_fault_that_is_withheld_shows_nothing(postgres: Postgres) -> None:
    judge = Judge(postgres.contracts)
    record = EXPERIMENT.run(postgres, judge, None, lambda done, total, text: None, deliver=False, most=1)
    assert (record.verdict, record.delivered) == (Verdict.NOT_EXERCISED, 0)


def test_it_needs_a_system_that_says_where_its_postgresql_is() -> None:
    with closing(Toy()) as toy:
        assert "needs a PostgreSQL" in (EXPERIMENT.why_not(toy) or "")
    assert "needs workers" in (EXPERIMENT.why_not(Reference()) or "")
