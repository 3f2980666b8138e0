"""A worker that is cut off, on our implementation and a real PostgreSQL, and what is made of one that is wrong."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial

import pytest

from keepfact.conformance.judge import Judge
from keepfact.conformance.systems.defective import Defective, mutation_named
from keepfact.conformance.systems.postgres import Postgres, Server
from keepfact.conformance.systems.reference import Reference
from keepfact.conformance.verdicts import Verdict
from keepfact.fault_injection.experiment import Experiment
from keepfact.fault_injection.experiments import worker_partitioned
from keepfact.fault_injection.experiments.worker_partitioned import EXPERIMENT, Side, course, plan
from keepfact.fault_injection.rehearsal import Dispatch, Rehearsal
from keepfact.spec.vocabulary import NOTHING, CallKind, Contract

from .leaving import nothing_is_left
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


def _only(*sides: Side) -> Experiment:
    """Under a name of its own, as its runs are called by that."""
    name = "-and-".join(side.name.lower() for side in sides)
    return replace(EXPERIMENT, name=name, course=partial(course, sides=sides), contracts=(Contract.SETTLE,))


def test_the_database_falls_silent_at_every_seam_and_the_outside_where_something_is_sent() -> None:
    sides = [[Side(strike.side) for strike in plan(REHEARSAL) if strike.number == number] for number in range(1, 5)]
    assert sides == [
        [Side.DATABASE],
        [Side.DATABASE, Side.LAPSED],
        [Side.DATABASE, Side.MODEL_LATE, Side.MODEL_ACTED],
        [Side.DATABASE],
    ]


def test_a_fault_that_is_withheld_shows_nothing(postgres: Postgres) -> None:
    judge = Judge(postgres.contracts)
    with nothing_is_left(postgres):
        record = _only(Side.MODEL_ACTED).run(postgres, judge, None, lambda done, total, text: None, deliver=False)
    assert (record.verdict, record.delivered, record.runs) == (Verdict.NOT_EXERCISED, 0, 1)


def test_an_answer_that_comes_late_and_is_taken_as_work_is_found(server: Server) -> None:
    with closing(Defective(mutation_named("late_answer_taken_as_work"), server=server)) as defective:
        judge = Judge(frozenset({Contract.SETTLE}))
        with nothing_is_left(defective):
            record = _only(Side.MODEL_ACTED).run(defective, judge, None, lambda done, total, text: None)
    assert record.verdict is Verdict.VIOLATED
    assert "FENCE.8" in {broken.rule for broken in judge.violations}


def test_a_worker_that_sends_although_its_lease_is_over_is_found(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours does so only if its lease is not over yet."""
    monkeypatch.setattr(worker_partitioned, "LEASE_SECONDS", 3600)
    monkeypatch.setattr(worker_partitioned, "wait_until_lease_is_over", lambda: None)
    judge = Judge(postgres.contracts)
    with nothing_is_left(postgres):
        record = _only(Side.LAPSED).run(postgres, judge, None, lambda done, total, text: None)
    assert record.verdict is Verdict.VIOLATED
    assert "ENTRY.4" in {broken.rule for broken in judge.violations}


def test_it_needs_a_system_that_says_where_its_postgresql_is() -> None:
    with closing(Toy()) as toy:
        assert "needs a PostgreSQL" in (EXPERIMENT.why_not(toy) or "")
    assert "needs workers" in (EXPERIMENT.why_not(Reference()) or "")
