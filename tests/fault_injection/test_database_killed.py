"""A worker that loses its database, on our implementation, and what is made of a database that is wrong."""

from contextlib import closing
from dataclasses import replace
from functools import partial

import pytest

from keepfact.conformance.evidence import ExperimentRecord
from keepfact.conformance.judge import Judge
from keepfact.conformance.systems.defective import Defective, open_defective
from keepfact.conformance.systems.defective.under_faults import answered_before_it_is_on_disk
from keepfact.conformance.systems.postgres import Postgres, Server
from keepfact.conformance.verdicts import Verdict
from keepfact.fault_injection.experiment import Experiment
from keepfact.fault_injection.experiments import database_killed
from keepfact.fault_injection.experiments.database_killed import EXPERIMENT, KILLS, Side, course, plan
from keepfact.fault_injection.rehearsal import Dispatch, Rehearsal
from keepfact.fault_injection.strikes import Strike
from keepfact.fault_injection.subject import Subject
from keepfact.spec.vocabulary import NOTHING, CallKind, Contract

from .leaving import nothing_is_left

REHEARSAL = Rehearsal(("claiming", "claimed"), (Dispatch(2, CallKind.ATTEMPT),), NOTHING, starts_queued=True)


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """The experiment, with one strike of each side: where an answer is recorded, or was."""

    def few(rehearsal: Rehearsal) -> list[Strike]:
        return [strike for strike in plan(rehearsal) if strike.seam in ("recording answer of attempt", "published")]

    monkeypatch.setattr(database_killed, "plan", lambda rehearsal: {one.side: one for one in few(rehearsal)}.values())
    return replace(EXPERIMENT, contracts=(Contract.SETTLE,))


def run(
    system: Subject, experiment: Experiment, *sides: Side, deliver: bool = True
) -> tuple[ExperimentRecord, set[str]]:
    judge = Judge(system.contracts)
    swept = replace(experiment, course=partial(course, sides=sides)) if sides else experiment
    with nothing_is_left(system):
        record = swept.run(system, judge, None, lambda done, total, text: None, deliver=deliver)
    return record, {broken.rule for broken in judge.violations}


def test_it_is_struck_at_every_seam_and_around_every_commit() -> None:
    sides = [{Side(strike.side) for strike in plan(REHEARSAL) if strike.number == number} for number in (1, 2)]
    assert sides == [set(Side), {Side.CUT, Side.KILLED}]


def test_a_fault_that_is_withheld_shows_nothing(at: Experiment, server: Server) -> None:
    with closing(Postgres(server=server)) as system:
        record, broken = run(system, at, Side.ANSWER_LOST, deliver=False)
    assert (record.verdict, record.delivered, broken) == (Verdict.NOT_EXERCISED, 0, set())


def test_a_server_that_is_not_the_systems_own_is_left_alive(at: Experiment, server: Server) -> None:
    with closing(Postgres(server=server)) as system:
        record, broken = run(system, at)
    assert (record.verdict, record.delivered, broken) == (Verdict.HOLDS, 3, set())
    assert record.not_applicable == tuple(f"{side}: the server is not the system's own" for side in KILLS)


def test_the_implementation_outlives_its_own_server_and_is_witnessed_after_it(
    at: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KEEPFACT_DSN", raising=False)
    with closing(Postgres()) as system:
        record, broken = run(system, at, *KILLS)
    assert (record.verdict, record.delivered, broken) == (Verdict.HOLDS, 3, set())
    assert record.not_applicable == ()


def test_what_is_answered_before_it_is_on_disk_is_taken_back_by_a_crash(
    at: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KEEPFACT_DSN", raising=False)
    with closing(Defective(answered_before_it_is_on_disk)) as system:
        record, broken = run(system, at, Side.KILLED)
    assert record.verdict is Verdict.VIOLATED
    assert broken & set(answered_before_it_is_on_disk.predicted)


def test_a_command_id_that_is_forgotten_lets_a_lost_answer_do_harm(
    at: Experiment, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEEPFACT_DSN", server.dsn)
    with closing(open_defective("command_ids_forgotten")) as system:
        record, broken = run(system, at, Side.ANSWER_LOST)
    assert record.verdict is Verdict.VIOLATED
    assert "SETTLE.1" in broken
