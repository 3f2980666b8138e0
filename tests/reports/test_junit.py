"""JUnit XML: what was not shown is an error, never a pass and never a skip."""

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from lxml import etree

from keepfact.conformance.verdicts import Level, Verdict
from keepfact.reports import write
from keepfact.spec.book import BOOK

from . import sample
from .kinds import EVERY_KIND

JENKINS = etree.XMLSchema(file=Path(__file__).parent / "jenkins.xsd")


def junit_of(directory: Path) -> Element:
    (path,) = write(directory, ["junit"])
    return ElementTree.parse(path).getroot()


def case_of(root: Element, rule_id: str) -> Element:
    (case,) = [case for case in root.iter("testcase") if case.get("name", "").startswith(f"{rule_id} ")]
    return case


def outcomes(root: Element) -> set[str]:
    """The kinds of outcome of all cases; a case without a child passed."""
    return {
        next((child.tag for child in case if child.tag != "properties"), "passed") for case in root.iter("testcase")
    }


def test_every_rule_is_a_case_in_a_suite_that_says_which_texts_it_verifies(green: Path) -> None:
    root = junit_of(green)
    for chapter in BOOK.chapters:
        (suite,) = [suite for suite in root if suite.get("name") == chapter.name]
        verifies = {value.get("value") for value in suite.iter("property") if value.get("name") == "verifies"}
        assert verifies == {f"{rule.id}@{rule.digest}" for rule in chapter.rules}
    assert [suite.get("name") for suite in root] == ["run", *(chapter.name for chapter in BOOK.chapters)]


def test_green_evidence_passes(green: Path) -> None:
    assert outcomes(junit_of(green)) == {"passed"}


def test_a_broken_rule_fails_with_its_story(violated: Path) -> None:
    failure = case_of(junit_of(violated), sample.BROKEN).find("failure")
    assert failure is not None
    assert failure.get("message") == "3 violations of FENCE.2"
    assert "6. w1 went on and recorded the answer of o1 under fence 1: Done." in (failure.text or "")
    assert "Expected: Refused(stale_fence), and nothing changes." in (failure.text or "")


@pytest.mark.parametrize(
    ("rule_id", "tag", "message"),
    [
        ("HISTORY.3", "skipped", "The system declares that it keeps no history."),
        ("COST.7", "error", "No amount was above its ceiling."),
        ("ENTRY.6", "error", "The checker ran out of its 60 seconds."),
    ],
)
def test_what_was_not_shown_says_why(violated: Path, rule_id: str, tag: str, message: str) -> None:
    child = case_of(junit_of(violated), rule_id).find(tag)
    assert child is not None
    assert child.get("message") == message


def test_an_experiment_without_all_its_faults_is_an_error(violated: Path) -> None:
    (case,) = [case for case in junit_of(violated).iter("testcase") if case.get("name") == "tool_submitted_then_cut"]
    assert case.find("error") is not None


def test_commands_that_met_without_an_explanation_are_a_failure(tmp_path: Path) -> None:
    unexplained = sample.meetings().model_copy(update={"verdict": Verdict.VIOLATED, "note": "no order explains it"})
    root = junit_of(sample.write(tmp_path / "met", [unexplained, *sample.verdicts()], Verdict.VIOLATED, Level.NONE))
    (case,) = [case for case in root.iter("testcase") if case.get("name") == "meetings"]
    (failure,) = case
    assert (failure.tag, failure.get("message")) == ("failure", "no order explains it")


def test_totals_are_the_sums_of_the_cases(violated: Path) -> None:
    root = junit_of(violated)
    for element in (root, *root):
        assert element.get("tests") == str(len(list(element.iter("testcase"))))
        assert element.get("failures") == str(len(list(element.iter("failure"))))
        assert element.get("errors") == str(len(list(element.iter("error"))))
    assert (root.get("failures"), root.get("errors")) == ("2", "3")


def test_a_run_that_was_cut_off_has_no_rule_that_passes(cut_off: Path) -> None:
    root = junit_of(cut_off)
    assert outcomes(root) == {"error", "passed"}
    passed = [case.get("name") for case in root.iter("testcase") if case.find("error") is None]
    assert passed == ["two_workers_one_run"], "only the scope, which was explored to its end before the cut"


def test_a_run_that_was_undecided_as_a_whole_does_not_pass(tmp_path: Path) -> None:
    directory = sample.write(tmp_path / "evidence", sample.verdicts(), Verdict.INCONCLUSIVE, Level.NONE)
    root = junit_of(directory)
    (error,) = root.iter("error")
    assert error.get("message") == "postgres was not seen to break a rule, but the run as a whole was undecided."


def test_suspect_evidence_does_not_pass(tmp_path: Path) -> None:
    old = sample.verdict("FENCE.1", digest="0123456789ab")
    case = case_of(junit_of(sample.write(tmp_path / "evidence", sample.verdicts(old))), "FENCE.1")
    error = case.find("error")
    assert error is not None
    assert "reworded" in error.get("message", "")


@EVERY_KIND
def test_jenkins_takes_it(make: Callable[[Path], Path], tmp_path: Path) -> None:
    (path,) = write(make(tmp_path / "evidence"), ["junit"])
    JENKINS.assertValid(etree.parse(path))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("<testsuites ", '<testsuites skipped="0" '),
        ("<testsuite ", '<testsuite verdict="holds" '),
        ("<testcase ", '<testcase file="a.py" '),
        ("</testcase>", "<properties/></testcase>"),
        ("</testcase>", "and so on</testcase>"),
        ('value="4711"', ""),
        ("failure", "violation"),
    ],
)
def test_jenkins_would_refuse_what_it_does_not_know(right: str, wrong: str, violated: Path) -> None:
    (path,) = write(violated, ["junit"])
    text = path.read_text(encoding="utf-8")
    assert right in text
    assert not JENKINS.validate(etree.fromstring(text.replace(right, wrong).encode()))


def test_hostile_text_is_xml_all_the_same(hostile: Path) -> None:
    root = junit_of(hostile)
    (case,) = [case for case in root.iter("testcase") if "<script>" in (case.get("classname") or "") and len(case)]
    assert "⟨U+001B⟩[31mred" in case.get("name", "")
    assert "nul:⟨U+0000⟩ ]]>" in case.get("name", "")
