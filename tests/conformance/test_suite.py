"""The pytest suite as others run it: what passes, fails and errs, what is said of it, and how it is shared out."""

import os
import re
import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest

from keepfact.conformance.judge import Judge
from keepfact.conformance.patience import VARIABLE
from keepfact.conformance.suite.naming import NamedTour, named
from keepfact.conformance.system import declared_by
from keepfact.conformance.systems.reference import Reference
from keepfact.conformance.touring import fitting_tours, scope_names
from keepfact.conformance.verdicts import ExitCode
from keepfact.model.edge_classes import edge_class
from keepfact.model.paths import taken
from keepfact.spec.book import BOOK

from .conftest import SPINE_ONLY
from .toys import SpineOnly

pytest_plugins = ["pytester"]

ASKED, SUITE = "pytest_keepfact", "keepfact.conformance.suite"
IS_INSTALLED = any(one.name == ASKED for one in entry_points(group="pytest11"))
FEW = ("-m", "cost")
"""The tours of one chapter, so that a test takes a second."""


class Suite:
    """Runs it in this process, where the tours are known already."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self._pytester = pytester

    def __call__(self, *arguments: str, apart: bool = False) -> pytest.RunResult:
        given = ["--pyargs", SUITE, "-p", "no:cacheprovider", "--seed", "7", *arguments]
        loaded = [] if IS_INSTALLED else ["-p", ASKED]  # an environment that was installed before it was there
        run = self._pytester.runpytest_subprocess if apart else self._pytester.runpytest_inprocess
        return run(*loaded, *given)


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Suite:
    return Suite(pytester)


@pytest.fixture(scope="module")
def tours() -> list[NamedTour]:
    scopes = scope_names(*SPINE_ONLY)
    return list(named(fitting_tours(SpineOnly()), scopes, BOOK.rules))


@pytest.mark.parametrize("briefly", [True, False], ids=["in brief", "all"])
def test_each_tour_of_a_system_that_offers_everything_has_a_name(briefly: bool) -> None:
    system = Reference()
    walks = fitting_tours(system, briefly=briefly)
    assert walks
    assert set(walks) <= set(scope_names(*declared_by(system)))


@pytest.fixture(scope="module")
def few(tours: list[NamedTour]) -> int:
    """How many tours that chapter has."""
    return sum("cost" in tour.chapters for tour in tours)


def test_a_right_system_passes_and_what_does_not_apply_is_said(suite: Suite, few: int) -> None:
    ended = suite("--system", "toys:SpineOnly", *FEW)
    assert ended.parseoutcomes()["passed"] == few
    assert ended.ret == pytest.ExitCode.OK
    text = ended.stdout.str()
    assert "keepfact: system toys:SpineOnly, profile quick, seed 7" in text
    assert "NOT_APPLICABLE, the system does not declare what they are about: FENCE.5; HISTORY.5" in text
    assert "NOT_EXERCISED, by this part of the suite: " in text


def test_a_broken_rule_is_told_with_its_story_and_leaves_a_replay_that_fails_alone(
    suite: Suite, pytester: pytest.Pytester
) -> None:
    ended = suite("--system", "toys:IgnoresFences", "-m", "cost", "--tb", "short")
    assert ended.ret == pytest.ExitCode.TESTS_FAILED
    text = ended.stdout.str()
    told = re.search(
        r"FENCE\.\d is broken\n  1\. .* is submitted under settle.*\n(?:.*\n)*?  replay:   pytest (\S+)", text
    )
    assert told is not None, text
    assert "Traceback" not in text
    replayed = pytester.runpytest_inprocess(told[1], "-p", "no:cacheprovider", plugins=[])
    replayed.assert_outcomes(failed=1)
    assert "RuleBrokenError: FENCE." in replayed.stdout.str()


@pytest.mark.parametrize("name", ["RaisesOnTheThird", "ExitsOnTheThird", "HangsOnTheThird", "HangsStubbornly"])
def test_a_broken_adapter_is_an_error_and_no_rule_is_said_to_be_broken(
    suite: Suite, few: int, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(VARIABLE, "0.2")
    ended = suite("--system", f"broken:{name}", *FEW)
    assert ended.ret == pytest.ExitCode.TESTS_FAILED
    outcomes, text = ended.parseoutcomes(), ended.stdout.str()
    assert ("failed" in outcomes, outcomes["errors"] >= few - 1) == (False, True)
    assert "keepfact: expected the adapter of" in text
    assert "nothing was tried here, since the adapter has failed before" in text
    assert ("is broken" in text, "Traceback" in text) == (False, False)


@pytest.mark.parametrize(
    ("system", "code", "said"),
    [
        (("--system", "broken:EndsWellOnTheThird"), ExitCode.BROKEN, "the process that was to reach it ended with 0"),
        ((), pytest.ExitCode.USAGE_ERROR, "expected --system SYSTEM"),
    ],
)
def test_an_adapter_that_ends_the_process_does_not_decide_how_pytest_ends(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, system: tuple[str, ...], code: int, said: str
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
    ended = suite(*system, *FEW, apart=True)
    assert (ended.ret, ended.stderr.str().count("keepfact: expected")) == (code, 1)
    assert said in ended.stderr.str()


@pytest.mark.parametrize("name", ["RefusesEverything", "ClockJumps", "ClockStands", "ClockRunsBack"])
def test_a_wrong_system_fails(suite: Suite, name: str) -> None:
    ended = suite("--system", f"toys:{name}", "-m", "cost or search", "--maxfail", "1", "--tb", "line")
    assert (ended.ret, ended.parseoutcomes()["failed"]) == (pytest.ExitCode.TESTS_FAILED, 1)


def test_a_system_that_answers_nothing_is_inconclusive(suite: Suite, few: int) -> None:
    ended = suite("--system", "toys:LosesEverything", *FEW)
    assert ended.parseoutcomes()["errors"] == few
    assert "keepfact: INCONCLUSIVE: answers were lost however often it was tried" in ended.stdout.str()


def test_answers_that_are_lost_on_a_bad_line_are_asked_for_again(suite: Suite, few: int) -> None:
    assert suite("--system", "toys:LosesSome", *FEW).parseoutcomes()["passed"] == few


def test_a_rule_that_was_never_exercised_is_not_a_pass(suite: Suite) -> None:
    """It declares what cannot be driven here. All tests pass, and pytest does not end with 0."""
    assert suite("--system", "toys:OffersLookups", *FEW).ret == pytest.ExitCode.OK  # a part, as somebody wished
    ended = suite("--system", "toys:OffersLookups")
    assert (ended.ret, set(ended.parseoutcomes())) == (pytest.ExitCode.TESTS_FAILED, {"passed"})
    assert re.search(r"NOT_EXERCISED, and so this is not a pass: .*VERSION\.7", ended.stdout.str())


def test_without_a_system_it_is_a_usage_error(suite: Suite) -> None:
    ended = suite()
    assert ended.ret == pytest.ExitCode.USAGE_ERROR
    assert "expected --system SYSTEM, which is reference, postgres" in ended.stderr.str()
    assert "a system beside the model" in suite("--help").stdout.str()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--system", "nowhere:Nothing"), "keepfact: expected to import nowhere for --system nowhere:Nothing"),
        (("--system", "broken:DoesNotStart"), "keepfact: expected the system broken:DoesNotStart to start"),
        (("--system", "broken:PromisesNothing"), "keepfact: expected the contracts of broken:PromisesNothing"),
        (("--system", "toys:SpineOnly", "--contract", "resume"), "to declare the contract resume, as --contract says"),
    ],
)
def test_a_system_that_cannot_be_used_stops_the_collection(suite: Suite, arguments: tuple[str, ...], said: str) -> None:
    ended = suite(*arguments)
    assert ended.ret == pytest.ExitCode.INTERRUPTED
    assert said in ended.stdout.str()
    assert "Traceback" not in ended.stdout.str()


def test_one_contract_alone_can_be_tried(suite: Suite, few: int) -> None:
    ended = suite("--system", "toys:PromisesBoth", "--contract", "settle", *FEW)
    assert ended.parseoutcomes()["passed"] == few
    assert "SETTLE.7" in ended.stdout.str()


def test_two_workers_share_the_work_and_junit_says_what_each_test_exercised(
    suite: Suite, few: int, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xdist")
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_XDIST_TESTRUNUID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
    ended = suite("--system", "toys:SpineOnly", *FEW, "-n", "2", "--junitxml", "junit.xml", "-v", apart=True)
    ended.assert_outcomes(passed=few)
    workers = re.findall(r"^\[(gw\d)\] .* PASSED", ended.stdout.str(), re.MULTILINE)
    assert (len(workers), set(workers)) == (few, {"gw0", "gw1"})
    cases = list(ElementTree.parse(pytester.path / "junit.xml").getroot().iter("testcase"))
    said = {one.get("name"): {item.get("name"): item.get("value") for item in one.iter("property")} for one in cases}
    assert len(said) == few
    assert all((one["book"], one["contracts"]) == (BOOK.digest, "settle") for one in said.values())
    assert any("COST.5" in (one["rules"] or "") for one in said.values())


def test_every_tour_has_a_name_that_says_what_it_is_for(tours: list[NamedTour]) -> None:
    names = [tour.name for tour in tours]
    assert len(set(names)) == len(names)
    assert "core: Renew, running, lapsed: lease_lapsed" in names


@pytest.mark.parametrize("chapter", ["fence", "cost", "settle", "effect"])
def test_in_the_tours_of_a_chapter_is_all_that_it_speaks_of(tours: list[NamedTour], chapter: str) -> None:
    """Every kind of edge that some rule of it has something to say of, and not only in passing."""
    rules = [rule for rule in BOOK.rules if rule.chapter.lower() == chapter]

    def spoken(chosen: list[NamedTour]) -> set[tuple[str, object]]:
        found = set()
        for tour in chosen:
            for step in taken(tour.walk):
                judge = Judge(SPINE_ONLY[0], rules)
                judge.see(step)
                found |= {(rule, edge_class(step)) for rule in judge.spoken}
        return found

    of_the_chapter = [tour for tour in tours if chapter in tour.chapters]
    assert len(of_the_chapter) < len(tours)
    assert spoken(of_the_chapter) == spoken(tours)


def test_other_runs_of_pytest_are_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_something(): pass")
    loaded = [] if IS_INSTALLED else ["-p", ASKED]
    ended = pytester.runpytest_inprocess(*loaded, "-p", "no:cacheprovider", "--help")
    assert "--system" not in ended.stdout.str()


def test_the_package_says_where_pytest_finds_it() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {ASKED: ASKED}
