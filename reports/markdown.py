"""Markdown for a pull request or the summary of a CI step. Text from outside stands in code, so that nobody is
mentioned, nothing is linked and no table breaks.
"""

import re
from collections.abc import Iterable, Iterator

from keepfact.conformance.evidence import StoryRecord
from keepfact.conformance.evidence.directory import EVIDENCE
from keepfact.conformance.harm import SENTENCES
from keepfact.conformance.verdicts import Verdict
from keepfact.conformance.words import in_short

from .rules import RuleFinding
from .summary import Summary
from .text import counted, folded, visible

STORIES_MAX, LINES_MAX = 10, 60
"""Failures told, and lines of each: a summary of a CI step may have a megabyte."""

MARKS = {
    Verdict.HOLDS: "✅",
    Verdict.NOT_APPLICABLE: "➖",
    Verdict.NOT_EXERCISED: "❔",
    Verdict.INCONCLUSIVE: "❔",
    Verdict.VIOLATED: "❌",
}


def render(summary: Summary) -> str:
    """The answer, what is broken, what is undecided, what was done and what was not shown."""
    blocks = [
        *_answer(summary),
        *_broken(summary),
        *_undecided(summary.rules),
        *_times(summary.rules),
        *_parts(summary),
        *_bounds(summary),
    ]
    return "\n\n".join(blocks) + "\n"


def prose(text: object, characters_max: int = 1200) -> str:
    """Text that means nothing in Markdown; in code where a host of pages would make links or mentions of it."""
    shown = visible(text, characters_max)
    return code(text, characters_max) if re.search(r"[@#]|://|www\.", shown) else _literal(shown)


def code(text: object, characters_max: int = 1200) -> str:
    """Text as code, which nothing in it can end."""
    return f"<code>{_literal(visible(text, characters_max))}</code>"


def _literal(shown: str) -> str:
    return re.sub(r"[^\w\s.,;:?'()/%+=“”‘’…⟨⟩→×·–—-]|_", lambda found: f"&#{ord(found[0])};", shown)


def _answer(summary: Summary) -> Iterator[str]:
    yield f"## {MARKS[summary.verdict]} keepfact: {summary.verdict.value}"
    yield f"**{prose(summary.answer)}** Conformance: {summary.level.value}."
    counts = [(verdict, number) for verdict, number in summary.counts.items() if number]
    heads = " | ".join(f"{MARKS[verdict]} {verdict.value}" for verdict, _ in counts)
    if counts:
        yield f"| {heads} |\n|{' --- |' * len(counts)}\n| {' | '.join(str(number) for _, number in counts)} |"


def _broken(summary: Summary) -> Iterator[str]:
    broken = [rule for rule in summary.rules if rule.verdict is Verdict.VIOLATED]
    if broken:
        yield "### Broken"
        yield "\n".join(f"- **{prose(rule.record.rule)}** {prose(rule.record.sentence)}" for rule in broken)
    yield from (_story(story) for story in summary.stories[:STORIES_MAX])
    if len(summary.stories) > STORIES_MAX:
        yield f"… and {counted(len(summary.stories) - STORIES_MAX, 'failure')} more, in the page."


def _story(story: StoryRecord) -> str:
    title = "What the model cannot explain" if story.rule == "MODEL" else f"How {prose(story.rule, 40)} was broken"
    told = folded(story.lines)
    lines = [
        f"{number}. {prose(line, 400)}{f' × {times}' if times > 1 else ''}"
        for number, (line, times) in enumerate(told[:LINES_MAX], 1)
    ]
    lines += [f"\n… and {counted(len(told) - LINES_MAX, 'line')} more."] if told[LINES_MAX:] else []
    model = f"{prose(story.model)}. " if story.model else ""
    harm = f"\n\nHarm: {SENTENCES[story.harm]}" if story.harm else ""
    ending = f"Expected: {model}{prose(story.expected)}\n\nSeen: {prose(story.seen)}{harm}"
    replay = f"\n\nReplay: {code(f'pytest {story.replay}')}" if story.replay else ""
    body = "\n".join(lines)
    return f"<details><summary>{title}</summary>\n\n{body}\n\n{ending}{replay}\n\n</details>"


def _undecided(rules: Iterable[RuleFinding]) -> Iterator[str]:
    """Those with the same reason together."""
    alike: dict[tuple[Verdict, str], list[str]] = {}
    for rule in rules:
        if rule.verdict not in {Verdict.HOLDS, Verdict.VIOLATED}:
            alike.setdefault((rule.verdict, rule.doubt or rule.record.reason), []).append(rule.record.rule)
    if alike:
        yield "### Undecided, or not put to the test"
        yield "\n".join(
            f"- {MARKS[verdict]} {verdict.value}: {prose(in_short(names))}. {prose(reason)}"
            for (verdict, reason), names in alike.items()
        )


def _times(rules: Iterable[RuleFinding]) -> Iterator[str]:
    """How often each rule was put to the test, most of it in which part."""
    rows = []
    for rule in rules:
        most = max(rule.record.exercised.items(), key=lambda part: part[1], default=("", 0))
        where = f"{prose(most[0], 80)} {most[1]:,}" if most[1] else ""
        rows.append(
            f"| {prose(rule.record.rule, 40)} | {MARKS[rule.verdict]} | {rule.times_exercised:,} "
            f"| {rule.record.violations:,} | {where} |"
        )
    if rows:
        yield "<details><summary>How often each rule was put to the test</summary>"
        yield "| rule | verdict | times | broken | most often in |\n| --- | --- | --- | --- | --- |\n" + "\n".join(rows)
        yield "</details>"


def _parts(summary: Summary) -> Iterator[str]:
    if summary.parts:
        rows = "\n".join(
            f"| {prose(name, 120)} | {MARKS[verdict]} {verdict.value} |" for name, verdict in summary.parts.items()
        )
        yield f"<details><summary>The parts of the run: {counted(summary.steps, 'step')}</summary>"
        yield f"| part | verdict |\n| --- | --- |\n{rows}"
        yield "</details>"


def _bounds(summary: Summary) -> Iterator[str]:
    if summary.not_shown:
        yield "<details><summary>What was not shown</summary>"
        yield "\n".join(f"- {prose(text)}" for text in summary.not_shown)
        yield "</details>"
    header = summary.header
    versions = ", ".join(f"{prose(name, 80)} {prose(number, 80)}" for name, number in header.versions.items())
    yield (
        f"Run again: {code(header.command)}, seed {header.seed}. Of {prose(header.started_at, 40)}, with {versions}. "
        f"SHA-256 of {code(EVIDENCE)}, the whole file as in the manifest: {code(summary.digest)}; "
        f"of its lines before the footer, as in the footer: {_in_footer(summary)}."
    )


def _in_footer(summary: Summary) -> str:
    return code(summary.footer.digest) if summary.footer else "none, as the run was cut off"
