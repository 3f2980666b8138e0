"""JUnit XML, for the places that show tests. What was not shown is an error there, never a pass and never a skip."""

from collections.abc import Iterable
from typing import assert_never
from xml.etree import ElementTree

from keepfact.conformance.evidence import StoryRecord
from keepfact.conformance.verdicts import Verdict

from .rules import RuleFinding
from .summary import Summary
from .text import counted, visible


def render(summary: Summary) -> str:
    """One suite a chapter with one case a rule, after a suite about the run itself."""
    root = ElementTree.Element("testsuites", name="keepfact")
    _run(root, summary)
    suites: dict[str, ElementTree.Element] = {}
    for finding in summary.rules:
        chapter = finding.record.chapter
        if chapter not in suites:
            suites[chapter] = _suite(root, visible(chapter, 80), summary)
            _properties(suites[chapter], _verified(summary.rules, chapter))
        _rule(suites[chapter], finding, summary.stories)
    for suite in root:
        _count(suite, suite)
    _count(root, root)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False).join(
        ('<?xml version="1.0" encoding="UTF-8"?>\n', "\n")
    )


def _run(root: ElementTree.Element, summary: Summary) -> None:
    """The run as a whole and each part of it: a run that says little of rules must not look like a pass."""
    suite = _suite(root, "run", summary)
    properties = [
        ("verdict", summary.verdict.value),
        ("level", summary.level.value),
        ("seed", str(summary.header.seed)),
    ]
    _properties(suite, [*properties, *((f"version {name}", value) for name, value in summary.header.versions.items())])
    _tell(_case(suite, "run", "the run as a whole"), summary.verdict, summary.answer)
    for experiment in summary.experiments:
        note = experiment.record.note if experiment.record else "The run was cut off before this was concluded."
        _tell(_case(suite, "run.experiment", experiment.name), experiment.verdict, note)
    for scope in summary.scopes:
        states = f"{counted(scope.states, 'state')} seen, {counted(scope.pinned_states, 'state')} pinned"
        _tell(_case(suite, "run.scope", scope.name), scope.verdict, states)
    for lockstep in summary.lockstep:
        _tell(_case(suite, "run", "lockstep"), lockstep.verdict, lockstep.note)
    for meetings in summary.meetings:
        _tell(_case(suite, "run", "meetings"), meetings.verdict, meetings.note)


def _rule(suite: ElementTree.Element, finding: RuleFinding, stories: tuple[StoryRecord, ...]) -> None:
    record = finding.record
    case = _case(suite, record.chapter, f"{record.rule} {record.sentence}")
    told = [story for story in stories if story.rule == record.rule]
    reason = " ".join(part for part in (finding.doubt, record.reason) if part)
    if not reason and finding.verdict is Verdict.VIOLATED:
        reason = f"{counted(record.violations, 'violation')} of {record.rule}"
    _tell(case, finding.verdict, reason, "\n\n".join(_story(story) for story in told))


def _verified(rules: Iterable[RuleFinding], chapter: str) -> list[tuple[str, str]]:
    """Which text of each rule a suite verifies. Jenkins' schema knows no properties of a single case."""
    records = [finding.record for finding in rules if finding.record.chapter == chapter]
    return [("verifies", f"{record.rule}@{record.digest}") for record in records]


def _tell(case: ElementTree.Element, verdict: Verdict, message: str, text: str = "") -> None:
    """Give a case the child that its verdict asks for."""
    match verdict:
        case Verdict.HOLDS:
            return
        case Verdict.NOT_APPLICABLE:
            name = "skipped"
        case Verdict.VIOLATED:
            name = "failure"
        case Verdict.INCONCLUSIVE | Verdict.NOT_EXERCISED:
            name = "error"
        case _:
            assert_never(verdict)
    child = ElementTree.SubElement(case, name, type=verdict.value, message=visible(message) or verdict.value)
    child.text = text or None


def _story(story: StoryRecord) -> str:
    lines = [f"{number}. {visible(line)}" for number, line in enumerate(story.lines, 1)]
    model = f"{visible(story.model)}. " if story.model else ""
    ending = [f"Expected: {model}{visible(story.expected)}", f"Seen: {visible(story.seen)}"]
    replay = [f"Replay: {visible(story.replay)}"] if story.replay else []
    return "\n".join([*lines, *ending, *replay])


def _suite(root: ElementTree.Element, name: str, summary: Summary) -> ElementTree.Element:
    return ElementTree.SubElement(root, "testsuite", name=name, timestamp=visible(summary.header.started_at, 40))


def _case(suite: ElementTree.Element, place: str, name: str) -> ElementTree.Element:
    where = f"keepfact.{visible(place, 80)}"
    return ElementTree.SubElement(suite, "testcase", classname=where, name=visible(name, 400))


def _properties(element: ElementTree.Element, values: Iterable[tuple[str, str]]) -> None:
    properties = ElementTree.SubElement(element, "properties")
    for name, value in values:
        ElementTree.SubElement(properties, "property", name=visible(name, 80), value=visible(value))


def _count(element: ElementTree.Element, within: ElementTree.Element) -> None:
    """Write the totals of all cases below. `skipped` is left to the suites: the root has no such attribute."""
    names = {"tests": "testcase", "failures": "failure", "errors": "error"}
    names |= {"skipped": "skipped"} if element.tag == "testsuite" else {}
    for attribute, tag in names.items():
        element.set(attribute, str(sum(1 for _ in within.iter(tag))))
