"""What a person sees in a terminal, or in the log of a CI job, while a run goes on and when it is over."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from keepfact.conformance.audit import Audit
from keepfact.conformance.evidence import (
    ExperimentRecord,
    LockstepRecord,
    MeetingsRecord,
    StoryRecord,
    VerdictRecord,
)
from keepfact.conformance.harm import SENTENCES
from keepfact.conformance.verdicts import ExitCode, Level, Verdict
from keepfact.conformance.words import in_short

from .compare import Change, Trend
from .text import CHARACTERS_MAX, counted, folded, visible

console = Console(highlight=False, width=None if sys.stdout is not None and sys.stdout.isatty() else 120)

_STYLES = {
    Verdict.HOLDS: "green",
    Verdict.VIOLATED: "bold red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.NOT_EXERCISED: "yellow",
    Verdict.NOT_APPLICABLE: "dim",
}
_LINES_PER_PART = 5


class Judged(Protocol):
    """What came of a history in a file."""

    path: Path
    kind: str
    count: int
    crashes: list[str]
    not_judged: dict[str, str]

    @property
    def found(self) -> Sequence[tuple[int, int, str, str]]: ...
    @property
    def spoken(self) -> Mapping[str, int]: ...
    @property
    def verdict(self) -> Verdict: ...


class Meter:
    """How far one part of a run is: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self, title: str, bars: Progress | None) -> None:
        self._title, self._bars, self._told = title, bars, 0
        self._task = bars.add_task(title, total=None) if bars else None

    def __call__(self, done: int, total: int | None = None, text: str = "") -> None:
        """So much is done, of so much if that is known."""
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, completed=done, total=total, description=self._title)
        elif total and done * _LINES_PER_PART // total > self._told:
            self._told = done * _LINES_PER_PART // total
            console.print(f"  {self._title}: {done} of {total} {text}".rstrip(), markup=False)


@contextmanager
def metered(title: str) -> Iterator[Meter]:
    """Say that a part begins, and show how far it is while it lasts."""
    if not console.is_terminal:
        console.print(f"{title} …", markup=False)
        yield Meter(title, None)
        return
    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as bars:
        yield Meter(title, bars)


def show_lockstep(record: LockstepRecord) -> None:
    """How much was tried beside the model, and whether they agreed."""
    console.print(
        f"lockstep: {record.steps:,} steps in {record.traces:,} traces, {record.covered} of {record.reachable} "
        f"classes of edges: {styled(record.verdict)} {_text(record.note)}"
    )


def show_meetings(record: MeetingsRecord) -> None:
    """How many pairs and triples of commands met, in how many ways."""
    console.print(
        f"commands that meet: {record.pairs} of {record.known} pairs and {record.triples} triples in "
        f"{record.meetings:,} meetings, {record.races} races: "
        f"{styled(record.verdict)} {_text(record.note)}"
    )


def show_experiment(record: ExperimentRecord) -> None:
    """Where the fault struck, and how often."""
    console.print(
        f"{record.name}: {len(record.seams)} seams, {record.runs} runs, {record.delivered} faults delivered: "
        f"{styled(record.verdict)}"
    )
    if record.note:
        console.print(f"  {_text(record.note)}")


def show_stories(stories: Iterable[StoryRecord], where: str) -> None:
    """Every failure; what breaks several rules at once is told once."""
    told: set[tuple[str, ...]] = set()
    for story in stories:
        if story.lines in told:
            console.print(f"\n[bold red]{_text(story.rule)} is broken by the same[/]")
            console.print(f"  expected: {_text(story.expected)}")
            continue
        told.add(story.lines)
        show_story(story, where)


def show_story(story: StoryRecord, where: str) -> None:
    """A failure, from the first line to the replay."""
    what = "The model cannot explain this" if story.rule == "MODEL" else f"{_text(story.rule)} is broken"
    console.print(f"\n[bold red]{what}[/]")
    for number, (line, times) in enumerate(folded(story.lines), 1):
        console.print(f"  {number}. {_text(line)}{f' × {times}' if times > 1 else ''}")
    if story.model:
        console.print(f"  model:    {_text(story.model)}")
    console.print(f"  expected: {_text(story.expected)}")
    console.print(f"  seen:     {_text(story.seen)}")
    if story.harm:
        console.print(f"  harm:     {SENTENCES[story.harm]}")
    if story.replay:
        console.print(f"  replay:   pytest {escape(where)}/{_text(story.replay)}")


def show_verdicts(rules: Iterable[VerdictRecord], verdict: Verdict, level: Level, untried: str = "") -> None:
    """Every rule that does not hold, and the answer in one line; below a pass what was not even tried."""
    records = list(rules)
    alike: dict[tuple[Verdict, str], list[str]] = {}
    for record in records:
        if record.verdict is not Verdict.HOLDS:
            alike.setdefault((record.verdict, record.reason or record.sentence), []).append(record.rule)
    for (kind, reason), names in alike.items():
        console.print(f"{in_short(names)}: {styled(kind)} {_text(reason)}")
    held = sum(record.verdict is Verdict.HOLDS for record in records)
    apart = sum(record.verdict is Verdict.NOT_APPLICABLE for record in records)
    beyond = f", and {apart} of the book do not apply" if apart else ""
    told = f"{held} of {len(records) - apart} rules hold{beyond}"
    console.print(f"\n{told}. Conformance: {level}. Verdict: {styled(verdict)}")
    if untried and verdict is Verdict.HOLDS:
        console.print(f"Not shown: {_text(untried)}")


def show_checked(checked: Judged) -> None:
    """What is wrong in one file, a line each; then what was judged of it, and what was not."""
    for line, number, rule, sentence in checked.found:
        place = f"{checked.path}:{line}: {checked.kind.removesuffix('s')} {number}"
        console.print(f"{place}: {rule}: {sentence}", markup=False, soft_wrap=True)
    for crash in checked.crashes:
        console.print(f"{checked.path}: {Verdict.INCONCLUSIVE}, a checker crashed on {crash}", markup=False)
    reasons: dict[str, list[str]] = {}
    for rule, reason in checked.not_judged.items():
        reasons.setdefault(reason, []).append(rule)
    for reason, names in reasons.items():
        console.print(f"{in_short(names)}: NOT_JUDGED {reason}", markup=False)
    counted = f"{checked.count:,} {checked.kind}, {len(checked.found)} complaints"
    console.print(
        f"{escape(str(checked.path))}: {counted}. {len(checked.spoken)} of the book's rules were judged. "
        f"Verdict: {styled(checked.verdict)}"
    )


def show_audit(audit: Audit) -> None:
    """What is not as it was written, what is found otherwise than the run said, and the verdict that remains."""
    for finding in audit.findings:
        console.print(f"[bold red]altered[/] {_text(finding)}", soft_wrap=True)
    for difference in audit.differences:
        console.print(f"[bold red]otherwise[/] {_text(difference)}", soft_wrap=True)
    for rule, where in audit.broken.items():
        console.print(f"[bold red]{_text(rule, 40)} is broken[/] {_text(where)}", soft_wrap=True)
    for rule, reason in audit.suspects.items():
        console.print(f"[yellow]suspect[/] {_text(rule, 40)}: {_text(reason)}", soft_wrap=True)
    console.print(escape(audit.signature.told), soft_wrap=True)
    header, concluded = audit.header, audit.conclusion
    if header is not None:
        ran = f"{header.command} on {header.system}, {header.started_at}, with keepfact {header.kit_version}"
        console.print(_text(ran), soft_wrap=True)
    if audit.exit_code is ExitCode.BROKEN:
        console.print("\nThis is not what a run left behind, or not what it says: no verdict.", style="bold red")
        return
    fitting = f"all {counted(audit.files, 'file')} and {counted(audit.lines, 'line')} fit the manifest"
    console.print(f"\n[bold green]Unaltered[/]: {fitting}, whatever the verdict is.", soft_wrap=True)
    console.print(
        "What reports say was not held against the evidence: `keepfact report` makes them from it anew.", soft_wrap=True
    )
    held = sum(record.verdict is Verdict.HOLDS for record in concluded.rules)
    console.print(
        f"{audit.steps:,} steps judged again: {held} of {len(concluded.rules)} rules hold. "
        f"Conformance: {concluded.level}. Verdict: {styled(concluded.verdict)}"
    )


def show_changes(changes: Iterable[Change]) -> None:
    """What two evidences say otherwise, a line each; then how much of each kind."""
    told = list(changes)
    for change in told:
        before, after = (styled(verdict) if verdict else "not there" for verdict in (change.before, change.after))
        console.print(f"{change.trend.value}: {_text(change.name, 120)}, {before} → {after}", soft_wrap=True)
    counts = Counter(change.trend for change in told)
    console.print(", ".join(f"{counts[trend]} {trend.value}" for trend in Trend if counts[trend]) or "nothing changed")


def styled(verdict: Verdict) -> str:
    return f"[{_STYLES[verdict]}]{verdict}[/]"


def _text(text: object, characters_max: int = CHARACTERS_MAX) -> str:
    """Text from outside: it neither moves the cursor nor begins a line, and a CI job takes none of it for a command."""
    return escape(visible(text, characters_max))
