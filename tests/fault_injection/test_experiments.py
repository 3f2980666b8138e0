"""Each experiment on our implementation: without its fault it shows nothing, and it convicts what is made wrong there.

That the implementation holds in all of them is a matter for `make verify`.
"""

from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from itertools import count

import pytest

from keepfact.conformance.evidence import ExperimentRecord
from keepfact.conformance.judge import Judge
from keepfact.conformance.systems import open_system
from keepfact.conformance.systems.postgres import Postgres, Server, shared_server
from keepfact.conformance.systems.postgres import system as systems
from keepfact.conformance.systems.postgres.impatient import Impatient
from keepfact.conformance.systems.postgres.workers import Nursery
from keepfact.conformance.verdicts import Verdict
from keepfact.fault_injection import experiment as experiments_run
from keepfact.fault_injection.experiment import Experiment, find_experiments
from keepfact.fault_injection.experiments import (
    budget_squeezed,
    callback_storm,
    cancel_raced,
    clock_skewed,
    model_returned_then_killed,
    poisoned_run,
    recovery_killed,
    source_revoked,
    tool_submitted_then_cut,
    upgraded_while_waiting,
    wake_raced,
    worker_outlived_its_lease,
)
from keepfact.fault_injection.rehearsal import Rehearsal
from keepfact.fault_injection.strikes import Sample, Strike
from keepfact.fault_injection.subject import Subject
from keepfact.fault_injection.sweep import Sweep
from keepfact.fault_injection.world.client import World
from keepfact.fault_injection.world.script import PAYS_AN_INVOICE
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Contract, RunId

from .leaving import children, nothing_is_left


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with shared_server() as server:
        yield server


class Lent:
    """A nursery that whoever uses it does not close."""

    def __init__(self, nursery: Nursery) -> None:
        self.start = nursery.start

    def close(self) -> None:
        """It is used by others."""


@pytest.fixture(scope="module", autouse=True)
def shared(world: World) -> Iterator[None]:
    """One world and one nursery for all tests: starting them takes longer than most of what is done with them."""
    with closing(Nursery()) as nursery, pytest.MonkeyPatch.context() as patch:
        world.set_script(RunId("nobody"), PAYS_AN_INVOICE)  # the connection for this stays open
        patch.setattr(experiments_run, "World", lambda ledger: nullcontext(world))
        patch.setattr(systems, "Nursery", lambda: Lent(nursery))
        yield


NUMBERS = count(1)


@pytest.fixture(scope="module")
def postgres(server: Server) -> Iterator[Postgres]:
    with closing(Postgres(server=server)) as system:
        yield system


def _only(experiment: Experiment, side: str, contract: Contract, seam: str = "") -> Experiment:
    """One strike of it: the first of that side, and of that seam if one is named."""
    sweep = experiment.course
    assert isinstance(sweep, Sweep)

    def plan(rehearsal: Rehearsal) -> list[Strike]:
        return [one for one in sweep.plan(rehearsal) if one.side == side and seam in ("", one.seam)][:1]

    return _anew(replace(experiment, course=replace(sweep, sides=(side,), plan=plan), contracts=(contract,)))


def _anew(experiment: Experiment) -> Experiment:
    """Under a name that no other test has used: its runs are called by that, here and outside."""
    return replace(experiment, name=f"{experiment.name}-{next(NUMBERS)}")


def _run(
    system: Subject, experiment: Experiment, *, deliver: bool = True, sample: Sample | None = None
) -> tuple[ExperimentRecord, Judge]:
    judge = Judge(system.contracts)
    with nothing_is_left(system):
        record = experiment.run(system, judge, None, lambda done, total, text: None, deliver=deliver, sample=sample)
    return record, judge


@pytest.mark.parametrize(
    "experiment",
    [experiment for experiment in find_experiments() if isinstance(experiment.course, Sweep)],
    ids=lambda experiment: experiment.name,
)
def test_without_its_fault_an_experiment_shows_nothing(experiment: Experiment, postgres: Postgres) -> None:
    assert isinstance(experiment.course, Sweep)
    contract = experiment.contracts[-1]
    record, judge = _run(postgres, _only(experiment, experiment.course.sides[-1], contract), deliver=False)
    assert (record.verdict, record.runs, record.delivered) == (Verdict.NOT_EXERCISED, 1, 0)
    assert not judge.violations


def test_an_experiment_that_is_interrupted_leaves_nothing_either(postgres: Postgres) -> None:
    """In the midst of a sweep, while further workers have been started already."""

    def interrupt(done: int, total: int, text: str) -> None:
        seen.append(len(children()))
        raise KeyboardInterrupt

    swept, seen = _anew(model_returned_then_killed.EXPERIMENT), list[int]()
    with nothing_is_left(postgres), pytest.raises(KeyboardInterrupt):
        swept.run(postgres, Judge(postgres.contracts), None, interrupt, sample=Sample(3, 1))
    assert seen[0] > len(children())


@pytest.mark.parametrize("experiment", find_experiments(), ids=lambda experiment: experiment.name)
def test_an_experiment_judges_rules_of_the_book_and_says_what_it_does_not_show(experiment: Experiment) -> None:
    assert set(experiment.rules) <= {rule.id for rule in BOOK.rules}
    assert experiment.rules
    assert experiment.not_shown


def test_a_program_that_goes_by_its_hosts_clock_is_convicted_when_that_is_wrong(server: Server) -> None:
    with closing(Impatient(server=server)) as system:
        ahead = _only(clock_skewed.EXPERIMENT, clock_skewed.Side.AHEAD, Contract.SETTLE, "model asked")
        record, judge = _run(system, ahead)
    assert (record.verdict, record.delivered) == (Verdict.VIOLATED, 1)
    assert {violation.rule for violation in judge.violations} == {"FENCE.3"}


@pytest.mark.parametrize(
    ("defect", "experiment", "side", "contract", "rule"),
    [
        ("lost_call_called_failed", model_returned_then_killed, "MODEL_ASKED", "settle", "EFFECT.5"),
        ("recovery_clears_the_body", model_returned_then_killed, "TOOL_ACTED", "settle", "SETTLE.3"),
        ("ambiguous_taken_for_not_found", tool_submitted_then_cut, "ACTED_UNSURE", "settle", "COST.2"),
        ("unknown_booked_as_zero", tool_submitted_then_cut, "DROPPED", "settle", "SETTLE.3"),
        ("approval_used_after_drift", upgraded_while_waiting, "SCHEMA", "settle", "APPROVAL.3"),
        ("wake_under_another_digest", upgraded_while_waiting, "ARGUMENTS", "resume", "WAKE.7"),
        ("late_answer_taken_as_work", worker_outlived_its_lease, "MODEL", "settle", "FENCE.8"),
        ("end_overwritten", worker_outlived_its_lease, "TOOL", "settle", "FENCE.8"),
        ("cancelled_told_as_interrupted", cancel_raced, "MODEL", "settle", "CANCEL.4"),
        ("calls_in_flight_not_told", cancel_raced, "TOOL", "resume", "CANCEL.2"),
        ("wake_used_twice", wake_raced, "ONCE", "settle", "WAKE.5"),
        ("last_decision_wins", wake_raced, "TWICE", "settle", "APPROVAL.5"),
        ("deaths_not_counted", poisoned_run, "AT", "resume", "EFFECT.13"),
        ("lost_call_stays_pending", poisoned_run, "AT model answered", "resume", "SETTLE.7"),
        ("holds_not_counted", budget_squeezed, "LOST", "settle", "COST.1"),
        ("unknown_not_held", budget_squeezed, "LOST", "resume", "COST.1"),
        ("recovery_publishes_an_old_body_again", recovery_killed, "RACED", "settle", "ENTRY.3"),
        ("deaths_not_counted", recovery_killed, "AT recovered", "resume", "EFFECT.13"),
        ("second_lost_attempt_stays_open", recovery_killed, "GONE_ON model asked", "resume", "SETTLE.7"),
        ("second_lost_attempt_frees_the_first", recovery_killed, "GONE_ON model asked", "resume", "COST.3"),
        ("early_callback_forgotten", callback_storm, "EARLY", "settle", "WAKE.8"),
        ("another_report_taken_for_the_first", callback_storm, "CONTRADICTED", "resume", "WAKE.3"),
        ("lease_by_the_servers_clock", clock_skewed, "BEHIND claimed", "settle", "FENCE.3"),
        ("living_run_recovered", clock_skewed, "OTHER_AHEAD", "settle", "FENCE.4"),
        ("summary_hides_what_it_rests_on", source_revoked, "ENDED", "settle", "CONTINUE.5"),
        ("handed_over_outlives_its_grant", source_revoked, "AT claimed", "resume", "CONTINUE.5"),
    ],
    ids=lambda value: value if isinstance(value, str) else "in",
)
def test_a_defect_is_convicted_by_the_experiment(
    defect: str,
    experiment: object,
    side: str,
    contract: str,
    rule: str,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KEEPFACT_DSN", server.dsn)
    swept: Experiment = experiment.EXPERIMENT  # type: ignore[attr-defined] # of its module
    system = open_system(f"defective:{defect}")
    try:
        assert swept.suits(system)
        name, _, seam = side.partition(" ")
        side_of_it = experiment.Side[name].value  # type: ignore[attr-defined] # of its module
        record, judge = _run(system, _only(swept, side_of_it, Contract(contract), seam))
    finally:
        system.close()
    assert (record.verdict, record.delivered) == (Verdict.VIOLATED, 1)
    assert rule in {violation.rule for violation in judge.violations}
