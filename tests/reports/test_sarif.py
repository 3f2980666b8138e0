"""SARIF as its schema wants it; what is undecided is open, and never a pass."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from keepfact.conformance.verdicts import Level, Verdict
from keepfact.reports import write
from keepfact.spec.book import BOOK

from . import sample
from .kinds import EVERY_KIND


def run_of(directory: Path) -> dict[str, Any]:
    (path,) = write(directory, ["sarif"])
    log = json.loads(path.read_bytes())
    (run,) = log["runs"]
    found: dict[str, Any] = run
    return found


def results_of(directory: Path) -> dict[str, dict[str, Any]]:
    return {result["ruleId"]: result for result in run_of(directory)["results"]}


@EVERY_KIND
def test_it_is_as_the_schema_wants_it(make: Callable[[Path], Path], tmp_path: Path) -> None:
    """The classes are generated from the schema of OASIS, and take nothing that it does not know."""
    (path,) = write(make(tmp_path / "evidence"), ["sarif"])
    Sarif.model_validate_json(path.read_bytes())


def test_every_rule_has_a_result_and_is_described(green: Path) -> None:
    run = run_of(green)
    assert [result["ruleId"] for result in run["results"]] == [rule.id for rule in BOOK.rules]
    assert {result["kind"] for result in run["results"]} == {"pass"}
    described = {rule["id"]: rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"]}
    assert all(described[rule.id] == rule.sentence for rule in BOOK.rules)


def test_each_verdict_has_its_kind_and_only_a_failure_a_level(violated: Path) -> None:
    results = results_of(violated)
    kinds = {rule: (results[rule]["kind"], results[rule]["level"]) for rule in results}
    assert kinds["FENCE.2"] == ("fail", "error")
    assert kinds["HISTORY.3"] == ("notApplicable", "none")
    assert kinds["COST.7"] == kinds["ENTRY.6"] == ("open", "none")
    assert kinds["FENCE.1"] == ("pass", "none")


def test_a_failure_is_told_step_by_step_and_points_at_its_replay(violated: Path) -> None:
    result = results_of(violated)["FENCE.2"]
    (first, *_) = result["codeFlows"]
    told = [place["location"]["message"]["text"] for place in first["threadFlows"][0]["locations"]]
    assert told == list(sample.story().lines)
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "replays/test_fence_2_a_sleeper_writes.py"
    assert "Seen: Done; o1 went from unknown to confirmed" in result["message"]["text"]


def test_what_only_the_model_saw_is_a_failure_too(tmp_path: Path) -> None:
    told = [sample.story("MODEL"), *sample.verdicts()]
    result = results_of(sample.write(tmp_path / "evidence", told, Verdict.VIOLATED, Level.NONE))["MODEL"]
    assert (result["kind"], result["level"]) == ("fail", "error")


def test_a_part_that_is_undecided_is_notified(violated: Path) -> None:
    (invocation,) = run_of(violated)["invocations"]
    told = [one["message"]["text"] for one in invocation["toolExecutionNotifications"]]
    assert told == ["experiment tool_submitted_then_cut: INCONCLUSIVE"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (True, 1)


def test_a_run_that_was_cut_off_passes_nothing(cut_off: Path) -> None:
    run = run_of(cut_off)
    assert run["invocations"][0]["executionSuccessful"] is False
    assert {result["kind"] for result in run["results"]} == {"open"}
