"""SARIF 2.1.0, for the places that show findings in code. What is undecided is `open` there, and never a pass."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, assert_never
from urllib.parse import quote

from keepfact.conformance.evidence import StoryRecord
from keepfact.conformance.evidence.directory import EVIDENCE
from keepfact.conformance.judge import MODEL
from keepfact.conformance.verdicts import Verdict

from .reading import Standing
from .rules import RuleFinding
from .summary import Summary
from .text import visible

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
STORIES_MAX = 200


def render(summary: Summary) -> str:
    """One run of one tool, with a result for each rule and each story, and a notification for each part undecided."""
    run = {
        "tool": {"driver": _driver(summary)},
        "invocations": [_invocation(summary)],
        "results": list(_results(summary)),
        "columnKind": "unicodeCodePoints",
        "properties": {
            "verdict": summary.verdict.value,
            "level": summary.level.value,
            "answer": visible(summary.answer),
            "notShown": [visible(text) for text in summary.not_shown],
        },
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _driver(summary: Summary) -> dict[str, Any]:
    rules = [
        {
            "id": visible(finding.record.rule, 80),
            "shortDescription": {"text": visible(finding.record.sentence)},
            "properties": {
                "digest": visible(finding.record.digest, 80),
                "chapter": visible(finding.record.chapter, 80),
            },
        }
        for finding in _once(summary.rules)
    ]
    model = {"id": MODEL, "shortDescription": {"text": "What the system does can be explained by the model."}}
    return {"name": "keepfact", "version": visible(summary.header.kit_version, 80), "rules": [*rules, model]}


def _once(findings: Iterable[RuleFinding]) -> Iterable[RuleFinding]:
    """Evidence can say a rule twice, SARIF cannot."""
    return {visible(finding.record.rule, 80): finding for finding in findings}.values()


def _invocation(summary: Summary) -> dict[str, Any]:
    footer = summary.footer
    started, ended = _instant(summary.header.started_at), _instant(footer.finished_at if footer else "")
    unresolved = {name: verdict for name, verdict in summary.parts.items() if verdict not in _SETTLED}
    return {
        "executionSuccessful": summary.standing is Standing.COMPLETE,
        "commandLine": visible(summary.header.command),
        "exitCode": summary.exit_code,
        **({"startTimeUtc": started} if started else {}),
        **({"endTimeUtc": ended} if ended else {}),
        "toolExecutionNotifications": [
            {
                "level": "error" if verdict is Verdict.VIOLATED else "warning",
                "message": {"text": f"{visible(name, 200)}: {verdict.value}"},
            }
            for name, verdict in unresolved.items()
        ],
    }


_SETTLED = {Verdict.HOLDS, Verdict.NOT_APPLICABLE}


def _results(summary: Summary) -> Iterator[dict[str, Any]]:
    told: dict[str, list[StoryRecord]] = {}
    for story in summary.stories[:STORIES_MAX]:
        told.setdefault(story.rule, []).append(story)
    for finding in _once(summary.rules):
        yield _result(finding, told.pop(finding.record.rule, []))
    for story in told.pop(MODEL, []):
        yield _unexplained(story)


def _result(finding: RuleFinding, stories: list[StoryRecord]) -> dict[str, Any]:
    record = finding.record
    why = " ".join(part for part in (finding.doubt, record.reason) if part) or record.sentence
    seen = [f"Seen: {visible(story.seen)}" for story in stories[:1]]
    kind, level = _kind(finding.verdict)
    return {
        "ruleId": visible(record.rule, 80),
        "kind": kind,
        "level": level,
        "message": {"text": " ".join([f"{finding.verdict.value}: {visible(why)}", *seen])},
        "locations": [_location(stories[0].replay if stories else None)],
        "partialFingerprints": {"keepfact/rule": f"{visible(record.rule, 80)}@{visible(record.digest, 80)}"},
        "properties": {
            "verdict": finding.verdict.value,
            "suspect": finding.suspect,
            "timesExercised": finding.times_exercised,
            "caught": [visible(name, 120) for name in record.caught],
        },
        **({"codeFlows": [_flow(story) for story in stories]} if stories else {}),
    }


def _unexplained(story: StoryRecord) -> dict[str, Any]:
    return {
        "ruleId": MODEL,
        "kind": "fail",
        "level": "error",
        "message": {"text": f"Expected: {visible(story.expected)} Seen: {visible(story.seen)}"},
        "locations": [_location(story.replay)],
        "codeFlows": [_flow(story)],
    }


def _kind(verdict: Verdict) -> tuple[str, str]:
    """The kind of a result, and its level, which is `none` unless something failed."""
    match verdict:
        case Verdict.HOLDS:
            return "pass", "none"
        case Verdict.NOT_APPLICABLE:
            return "notApplicable", "none"
        case Verdict.NOT_EXERCISED | Verdict.INCONCLUSIVE:
            return "open", "none"
        case Verdict.VIOLATED:
            return "fail", "error"
        case _:
            assert_never(verdict)


def _location(replay: str | None) -> dict[str, Any]:
    """The file that replays it, or the evidence: there is no line of anybody's code to point at."""
    return {"physicalLocation": {"artifactLocation": {"uri": quote(visible(replay or EVIDENCE, 200))}}}


def _flow(story: StoryRecord) -> dict[str, Any]:
    lines = [{"location": {"message": {"text": visible(line)}}} for line in story.lines] or [{"location": {}}]
    return {"threadFlows": [{"locations": lines}]}


def _instant(text: str) -> str | None:
    """A time as SARIF wants it; None if the evidence has none."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        return None
