"""What a step of GitHub Actions shows: the summary of the step, and annotations, where the run says that it is one."""

from collections.abc import Callable, Mapping
from pathlib import Path

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.evidence import StoryRecord, VerdictRecord
from keepfact.conformance.verdicts import ExitCode, Verdict
from keepfact.conformance.words import in_short

from .text import visible

ANNOTATIONS_MAX = 10
"""GitHub shows so many of a kind for a step."""


def show(
    environment: Mapping[str, str],
    markdown: Path,
    rules: tuple[VerdictRecord, ...],
    stories: list[StoryRecord],
    exit_code: ExitCode,
    say: Callable[[str], object] = print,
) -> None:
    """Append the Markdown to the summary of this step, if it has one; annotate each failure, if somebody looks."""
    if path := environment.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(path).open("ab") as summary:
                summary.write(markdown.read_bytes())
        except OSError as error:
            raise KeepfactError(
                f"expected to add to the summary of this step in {path}, but: {error.strerror}. "
                "Unset GITHUB_STEP_SUMMARY, or let it be written."
            ) from error
    if environment.get("GITHUB_ACTIONS") == "true":
        for line in annotations(rules, stories, exit_code)[:ANNOTATIONS_MAX]:
            say(line)


def annotations(rules: tuple[VerdictRecord, ...], stories: list[StoryRecord], exit_code: ExitCode) -> list[str]:
    """A line for each rule that is broken, and one for all that are undecided."""
    seen = {story.rule: story.seen for story in stories}
    lines = [
        command("error", f"{rule.rule} is broken", f"{rule.sentence} Seen: {seen.get(rule.rule, 'see the report')}")
        for rule in rules
        if rule.verdict is Verdict.VIOLATED
    ]
    if "MODEL" in seen:
        lines.append(command("error", "The model cannot explain this", f"Seen: {seen['MODEL']}"))
    undecided = [rule.rule for rule in rules if rule.verdict in {Verdict.INCONCLUSIVE, Verdict.NOT_EXERCISED}]
    if exit_code is ExitCode.INCONCLUSIVE:
        told = f"Undecided or not put to the test: {in_short(undecided)}." if undecided else "A part is undecided."
        lines.append(command("error", "This is not a pass", told))
    return lines


def command(kind: str, title: str, message: str) -> str:
    """A workflow command. What would end its parts is escaped, as GitHub takes it back."""
    return f"::{kind} title={_escaped(title, ':,')}::{_escaped(message, '')}"


def _escaped(text: str, beside: str) -> str:
    shown = visible(text).replace("%", "%25")
    for character in beside:
        shown = shown.replace(character, f"%{ord(character):02X}")
    return shown
