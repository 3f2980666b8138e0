"""Every reported fault: a right system holds, our implementation holds, and each defect of the kind is convicted."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from keepfact.conformance.evidence import ExperimentRecord
from keepfact.conformance.judge import Judge
from keepfact.conformance.system import System, capabilities_of
from keepfact.conformance.systems.defective import MUTATIONS, UNDER_FAULTS, open_defective
from keepfact.conformance.systems.postgres import Postgres, Server, shared_server
from keepfact.conformance.systems.reference import Reference
from keepfact.conformance.verdicts import Verdict
from keepfact.fault_injection.injection import Injection
from keepfact.fault_injection.regression import OfWorkers, Regression, find_regressions
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Contract

REGRESSIONS = find_regressions()
TOLD = [one for one in REGRESSIONS if one.why_not(Reference()) is None]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with shared_server() as server:
        yield server


@pytest.fixture(scope="module")
def right(server: Server) -> Iterator[Postgres]:
    system = Postgres(server=server)
    yield system
    system.close()


def run(system: System, regression: Injection, *, deliver: bool = True) -> tuple[ExperimentRecord, set[str]]:
    """The record, and which rules were broken."""
    judge = Judge(system.contracts, capabilities=capabilities_of(system))
    record = regression.run(system, judge, None, lambda done, total, text: None, deliver=deliver)
    return record, {violation.rule for violation in judge.violations}


def test_every_report_has_a_regression_that_bears_its_number() -> None:
    assert [one.case for one in REGRESSIONS] == [f"B{number:02}" for number in range(1, 25)]
    assert all(one.name.startswith(f"{one.case.lower()}_") for one in REGRESSIONS)


def test_every_regression_judges_rules_of_the_book_and_names_what_it_fails_on() -> None:
    for one in REGRESSIONS:
        assert one.rules, one.name
        assert set(one.rules) <= {rule.id for rule in BOOK.rules}, one.name
        assert one.defects, one.name


def test_a_defect_that_shows_a_report_is_one_that_its_regression_fails_on() -> None:
    reported = {(case, name) for name, one in {**MUTATIONS, **UNDER_FAULTS}.items() for case in one.reported}
    assert reported <= {(one.case, name) for one in REGRESSIONS for name in one.defects}


def test_nearly_all_are_told_in_commands() -> None:
    assert {one.case for one in REGRESSIONS} - {one.case for one in TOLD} == {"B06", "B15", "B22"}


@pytest.mark.parametrize("regression", TOLD, ids=lambda one: one.case)
def test_the_reference_holds(regression: Injection) -> None:
    record, broken = run(Reference(), regression)
    assert (record.verdict, record.note) == (Verdict.HOLDS, "")
    assert record.delivered
    assert not broken


@pytest.mark.parametrize("regression", TOLD, ids=lambda one: one.case)
def test_without_its_fault_a_regression_shows_nothing(regression: Injection) -> None:
    record, _ = run(Reference(), regression, deliver=False)
    assert (record.verdict, record.delivered) == (Verdict.NOT_EXERCISED, 0)


@pytest.mark.parametrize("contract", Contract)
def test_a_system_with_one_contract_is_told_only_the_stories_under_that(contract: Contract) -> None:
    class Single(Reference):
        contracts = frozenset({contract})

    told = [one for one in TOLD if one.why_not(Single()) is None]
    assert {"B01", "B17"} <= {one.case for one in told} < {one.case for one in TOLD}
    assert {run(Single(), one)[0].verdict for one in told} == {Verdict.HOLDS}


def test_a_rule_that_speaks_only_before_the_fault_was_not_put_to_the_test() -> None:
    [one] = [one for one in TOLD if one.case == "B14"]
    assert isinstance(one, Regression)
    record, _ = run(Reference(), replace(one, rules=(*one.rules, "FENCE.1")))
    assert (record.verdict, record.note) == (Verdict.INCONCLUSIVE, "never put to the test here: FENCE.1")


def test_a_story_that_a_system_takes_otherwise_is_no_pass() -> None:
    class Generous(Reference):
        """Nothing lapses in it, so that much of what is to be refused is done."""

        def tick(self, seconds: int) -> None:
            pass

    taken = [run(Generous(), one)[0].verdict for one in TOLD if one.case in {"B04", "B05", "B21"}]
    assert Verdict.HOLDS not in taken


@pytest.mark.parametrize("regression", REGRESSIONS, ids=lambda one: one.case)
def test_the_implementation_holds(regression: Injection, right: Postgres) -> None:
    record, broken = run(right, regression)
    assert (record.verdict, broken) == (Verdict.HOLDS, set()), record.note


@pytest.mark.parametrize(
    ("regression", "defect"),
    [(one, defect) for one in REGRESSIONS for defect in one.defects],
    ids=lambda value: value if isinstance(value, str) else value.case,
)
def test_a_regression_fails_on_its_defect(
    regression: Regression | OfWorkers, defect: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEEPFACT_DSN", server.dsn)
    system = open_defective(defect)
    try:
        record, broken = run(system, regression)
    finally:
        system.close()
    assert record.verdict is Verdict.VIOLATED
    assert broken & set(regression.rules)
