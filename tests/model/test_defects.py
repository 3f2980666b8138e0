"""Every defect is caught by the rules that it names, and the rules find nothing where there is no defect."""

import pytest

from keepfact.conformance.selftest import fitting_defects, hunt
from keepfact.conformance.systems.postgres import Postgres
from keepfact.model.defects import DEFECTS, Defect
from keepfact.model.defects.defect import wrong_command, wrong_result, wrong_step, wrong_view
from keepfact.model.scopes import RETRY
from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Cause, Claim, Fail, Observation, Recover, RunState

from .play import CLAIM, RECOVER, SUBMIT, Play, fail, queued, release, running

EACH = pytest.mark.parametrize("defect", DEFECTS.values(), ids=list(DEFECTS))


HUNTED_ELSEWHERE = {defect.name for defect in fitting_defects(Postgres.contracts, Postgres.capabilities)}
"""`make verify` hunts each of these in every run against the reference implementation, and has no pass without them."""


@pytest.mark.parametrize("defect", [defect for name, defect in DEFECTS.items() if name not in HUNTED_ELSEWHERE])
def test_a_defect_is_caught_by_every_rule_that_it_names(defect: Defect) -> None:
    assert set(defect.predicted) <= set(hunt(defect).killed_by)


@EACH
def test_a_defect_says_what_is_wrong_and_which_rules_must_see_it(defect: Defect) -> None:
    assert defect.sentence.endswith(".")
    assert defect.predicted
    assert set(defect.predicted) <= {rule.id for rule in BOOK.rules}
    assert defect.step is not step or defect.show is not view


def test_every_rule_catches_a_defect_that_names_it() -> None:
    named = {rule for defect in DEFECTS.values() for rule in defect.predicted}
    assert named == {rule.id for rule in BOOK.rules}


def test_where_nothing_is_wrong_nothing_is_caught() -> None:
    control = Defect("control", "Nothing is wrong.", ("ENTRY.1",))
    assert hunt(control, (RETRY,)).killed_by == ()


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> dict[str, Defect]:
    """A list of defects of its own, so that those of tests are not taken for the model's."""
    registered: dict[str, Defect] = {}
    monkeypatch.setattr("keepfact.model.defects.defect.DEFECTS", registered)
    return registered


def test_a_defect_is_named_after_its_function(registry: dict[str, Defect]) -> None:
    @wrong_step("ENTRY.1")
    def nothing_moves(state: State, cause: Cause) -> tuple[None, State]:
        """Nothing
        moves.
        """
        return None, state

    defect = registry["nothing_moves"]
    assert (defect.name, defect.sentence, defect.predicted) == ("nothing_moves", "Nothing moves.", ("ENTRY.1",))
    with pytest.raises(ValueError, match="expected one defect called nothing_moves, but there are two"):
        wrong_step("ENTRY.2")(nothing_moves)


def test_a_wrong_command_is_wrong_about_its_kind_and_about_runs_that_exist(registry: dict[str, Defect]) -> None:
    @wrong_command(Claim, "ENTRY.4")
    def nobody_gets_a_lease(state: State, claim: Claim, run: Run) -> tuple[None, State]:
        """A claim is forgotten."""
        return None, state

    stepper = registry["nobody_gets_a_lease"].step
    assert stepper(queued().state, CLAIM) == (None, queued().state)
    assert stepper(State(30), CLAIM) == step(State(30), CLAIM)
    assert stepper(running().state, release()) == step(running().state, release())


def test_a_wrong_result_spoils_what_was_done_and_no_refusal(registry: dict[str, Defect]) -> None:
    @wrong_result(Fail | Recover, "SETTLE.9")
    def every_end_is_a_failure(old: Run, new: Run) -> Run:
        """All ends look the same."""
        assert old.state is RunState.RUNNING
        return new if new.state is RunState.RUNNING else Run(new.run, new.contract, 0, RunState.CANCELLED)

    play = Play(registry["every_end_is_a_failure"].step).do(SUBMIT, CLAIM)
    assert play.ask(RECOVER) == running().ask(RECOVER)
    assert play.run == running().run
    assert play.do(fail()).run.state is RunState.CANCELLED


def test_a_wrong_view_leaves_the_steps_alone(registry: dict[str, Defect]) -> None:
    @wrong_view("COST.8")
    def nothing_is_shown(state: State) -> Observation:
        """The page is empty."""
        return Observation()

    defect = registry["nothing_is_shown"]
    assert defect.step is step
    assert defect.show(running().state) == Observation()
