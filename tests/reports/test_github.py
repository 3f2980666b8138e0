"""A step of GitHub Actions is told what a person reads there; elsewhere nothing is said."""

from pathlib import Path

import pytest
import yaml

from keepfact.cli import app
from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.evidence import StoryRecord, VerdictRecord
from keepfact.conformance.verdicts import ExitCode, Verdict
from keepfact.reports import github

from . import sample
from .hostile_sample import HOSTILE

ACTION = Path(__file__).parents[2] / "action.yml"
BROKEN = (sample.verdict("FENCE.2", Verdict.VIOLATED), sample.verdict("FENCE.1"))


def said(
    environment: dict[str, str],
    rules: tuple[VerdictRecord, ...] = BROKEN,
    stories: tuple[StoryRecord, ...] = (),
    code: ExitCode = ExitCode.VIOLATED,
) -> list[str]:
    lines: list[str] = []
    github.show(environment, Path("/nowhere"), rules, list(stories), code, lines.append)
    return lines


def test_elsewhere_nothing_is_said() -> None:
    assert said({}) == []
    assert said({"GITHUB_ACTIONS": "false", "GITHUB_STEP_SUMMARY": ""}) == []


def test_a_broken_rule_is_an_error_with_what_was_seen() -> None:
    (line,) = said({"GITHUB_ACTIONS": "true"}, stories=(sample.story(),))
    assert line.startswith("::error title=FENCE.2 is broken::")
    assert line.endswith(f"Seen: {sample.story().seen}")


def test_what_only_the_model_saw_is_an_error() -> None:
    (line,) = said({"GITHUB_ACTIONS": "true"}, (), (sample.story("MODEL"),))
    assert line.startswith("::error title=The model cannot explain this::")


def test_what_is_undecided_is_an_error_and_not_a_pass() -> None:
    undecided = (sample.verdict("COST.7", Verdict.NOT_EXERCISED), sample.verdict("COST.8", Verdict.INCONCLUSIVE))
    (line,) = said({"GITHUB_ACTIONS": "true"}, undecided, code=ExitCode.INCONCLUSIVE)
    assert line == "::error title=This is not a pass::Undecided or not put to the test: COST.7, 8."
    assert said({"GITHUB_ACTIONS": "true"}, (sample.verdict("FENCE.1"),), code=ExitCode.CONFORMANT) == []


def test_no_text_can_give_another_command() -> None:
    line = github.command("error", "a, b: c %0A", f"{HOSTILE}\n::set-env name=PATH::/tmp 100%")
    assert line.startswith("::error title=a%2C b%3A c %250A::")
    assert "\n" not in line
    assert "⟨U+000A⟩::set-env" in line
    assert line.endswith("100%25")


def test_the_summary_of_the_step_is_added_to(green: Path, tmp_path: Path) -> None:
    (tmp_path / "summary.md").write_text("before\n")
    (tmp_path / "report.md").write_text("## keepfact\n")
    environment = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    github.show(environment, tmp_path / "report.md", BROKEN, [], ExitCode.VIOLATED)
    assert (tmp_path / "summary.md").read_text() == "before\n## keepfact\n"


def test_a_summary_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(KeepfactError, match="expected to add to the summary of this step"):
        github.show({"GITHUB_STEP_SUMMARY": str(tmp_path)}, tmp_path, BROKEN, [], ExitCode.VIOLATED)


def test_the_action_gives_verify_options_that_it_has_and_nothing_is_pasted_into_a_shell() -> None:
    action = yaml.safe_load(ACTION.read_text())
    steps = action["runs"]["steps"]
    runs = [step["run"] for step in steps if "run" in step]
    assert not [run for run in runs if "${{" in run]
    (verify,) = [run for run in runs if "keepfact verify" in run]
    (command,) = [one for one in app.registered_commands if one.callback and one.callback.__name__ == "verify"]
    assert command.callback is not None
    known = set(command.callback.__annotations__)
    used = {word.strip("{}").removeprefix("--") for word in verify.replace(":+", " ").split() if word.startswith("--")}
    assert used == {"system", "profile", "out", "seed", "sign"} <= known
    assert set(action["inputs"]) == used | {"artifact"}
