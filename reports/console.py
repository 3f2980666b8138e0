"""What a person sees in a terminal, or in the log of a CI job, while a run goes on and when it is over."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, get_args

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Column, Table

from keepfact.conformance.evidence import (
    DefectRecord,
    ExperimentRecord,
    LockstepRecord,
    MeetingsRecord,
    ScopeRecord,
    StoryRecord,
    VerdictRecord,
)
from keepfact.conformance.verdicts import Level, Verdict
from keepfact.conformance.words import in_short
from keepfact.spec.chapter import Rule

console = Console(highlight=False, width=None if sys.stdout is not None and sys.stdout.isatty() else 120)

_STYLES = {
    Verdict.HOLDS: "green",
    Verdict.VIOLATED: "bold red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.NOT_EXERCISED: "yellow",
    Verdict.NOT_APPLICABLE: "dim",
}
_LINES_PER_PART = 5


class Shown(Protocol):
    """What is told of an experiment before it runs."""

    @property
    def name(self) -> str: ...
    @property
    def fault(self) -> str: ...
    @property
    def rules(self) -> tuple[str, ...]: ...
    @property
    def needed(self) -> tuple[str, ...]: ...


class ShownDefect(Protocol):
    """What is told of a defect."""

    @property
    def name(self) -> str: ...
    @property
    def sentence(self) -> str: ...
    @property
    def case(self) -> str: ...


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


def show_scopes(scopes: Iterable[ScopeRecord], defects: Iterable[DefectRecord]) -> None:
    """The model: how much of it was explored, and what its defects were caught by."""
    table = Table("scope", "states", "edges", "rules checked", "no way to an end", "verdict", title_justify="left")
    for scope in scopes:
        table.add_row(
            scope.name,
            f"{scope.states:,}",
            f"{scope.edges:,}",
            str(len(scope.checked)),
            str(scope.states_without_end),
            _styled(scope.verdict),
        )
    console.print(table)
    caught = [set(defect.predicted) <= set(defect.killed_by) for defect in defects]
    if caught:
        console.print(
            f"defects of the model caught by the rules they were predicted for: {sum(caught)} of {len(caught)}"
        )


def show_silent_rules(rules: Iterable[Rule], scopes: Iterable[ScopeRecord]) -> list[str]:
    """How many rules had something to say somewhere; those that had not, of which nothing was shown."""
    met: Counter[str] = Counter()
    for scope in scopes:
        met.update(scope.checked)
    known = list(rules)
    silent = [rule.id for rule in known if not met[rule.id]]
    console.print(f"rules whose condition was met somewhere: {len(known) - len(silent)} of {len(known)}")
    if silent:
        console.print(f"never met: {', '.join(silent)}")
    return silent


def show_matrix(records: Iterable[DefectRecord], defects: Mapping[str, ShownDefect], rules: Iterable[Rule]) -> None:
    """Which rules caught each defect; a predicted one that did not is marked as missing."""
    table = Table(Column("defect", overflow="fold"), "case", "predicted", "caught also by", title_justify="left")
    killers: set[str] = set()
    known = list(records)
    for record in known:
        killers.update(set(record.predicted) & set(record.killed_by))
        predicted = [rule if rule in record.killed_by else f"[bold red]{rule} MISSED[/]" for rule in record.predicted]
        others = [rule for rule in record.killed_by if rule not in record.predicted]
        table.add_row(escape(record.name), defects[record.name].case, ", ".join(predicted), ", ".join(others))
    console.print(table)
    without = [rule.id for rule in rules if rule.id not in killers]
    caught = sum(set(record.predicted) <= set(record.killed_by) for record in known)
    console.print(f"defects caught by every rule that they name: {caught} of {len(known)}")
    console.print(f"rules without a defect: {', '.join(without) or 'none'}")


def show_mutations(records: Iterable[DefectRecord], reported: Mapping[str, Sequence[str]]) -> None:
    """Which rules caught each mutation, and which of them were predicted to; one of these is enough."""
    table = Table(Column("defect", overflow="fold"), "reported", "caught by", "as predicted", title_justify="left")
    known = list(records)
    caught = 0
    for record in known:
        rightly = [rule for rule in record.predicted if rule in record.killed_by]
        caught += bool(rightly)
        missed = f"[bold red]MISSED {', '.join(record.predicted)}[/]"
        table.add_row(
            escape(record.name),
            ", ".join(reported[record.name]),
            ", ".join(record.killed_by) or "nothing",
            ", ".join(rightly) or missed,
        )
    console.print(table)
    console.print(f"defects caught by a rule that was predicted to: {caught} of {len(known)}")


def show_lockstep(record: LockstepRecord) -> None:
    """How much was tried beside the model, and whether they agreed."""
    console.print(
        f"lockstep: {record.steps:,} steps in {record.traces:,} traces, {record.covered} of {record.reachable} "
        f"classes of edges: {_styled(record.verdict)} {record.note}"
    )


def show_meetings(record: MeetingsRecord) -> None:
    """How many pairs and triples of commands met, in how many ways."""
    console.print(
        f"commands that meet: {record.pairs} of {record.known} pairs and {record.triples} triples in "
        f"{record.meetings:,} meetings, {record.races} races: "
        f"{_styled(record.verdict)} {record.note}"
    )


def show_experiment(record: ExperimentRecord) -> None:
    """Where the fault struck, and how often."""
    console.print(
        f"{record.name}: {len(record.seams)} seams, {record.runs} runs, {record.delivered} faults delivered: "
        f"{_styled(record.verdict)}"
    )
    if record.note:
        console.print(f"  {escape(record.note)}")


def show_stories(stories: Iterable[StoryRecord], where: str) -> None:
    """Every failure; what breaks several rules at once is told once."""
    told: set[tuple[str, ...]] = set()
    for story in stories:
        if story.lines in told:
            console.print(f"\n[bold red]{escape(story.rule)} is broken by the same[/]")
            console.print(f"  expected: {escape(story.expected)}")
            continue
        told.add(story.lines)
        show_story(story, where)


def show_story(story: StoryRecord, where: str) -> None:
    """A failure, from the first line to the replay."""
    what = "The model cannot explain this" if story.rule == "MODEL" else f"{escape(story.rule)} is broken"
    console.print(f"\n[bold red]{what}[/]")
    for number, line in enumerate(story.lines, 1):
        console.print(f"  {number}. {escape(line)}")
    console.print(f"  expected: {escape(story.expected)}")
    console.print(f"  seen:     {escape(story.seen)}")
    if story.replay:
        console.print(f"  replay:   pytest {escape(where)}/{escape(story.replay)}")


def show_verdicts(rules: Iterable[VerdictRecord], verdict: Verdict, level: Level) -> None:
    """Every rule that does not hold, and the answer in one line."""
    records = list(rules)
    alike: dict[tuple[Verdict, str], list[str]] = {}
    for record in records:
        if record.verdict is not Verdict.HOLDS:
            alike.setdefault((record.verdict, record.reason or record.sentence), []).append(record.rule)
    for (kind, reason), names in alike.items():
        console.print(f"{in_short(names)}: {_styled(kind)} {escape(reason)}")
    held = sum(record.verdict is Verdict.HOLDS for record in records)
    apart = sum(record.verdict is Verdict.NOT_APPLICABLE for record in records)
    beyond = f", and {apart} of the book do not apply" if apart else ""
    told = f"{held} of {len(records) - apart} rules hold{beyond}"
    console.print(f"\n{told}. Conformance: {level}. Verdict: {_styled(verdict)}")


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
        f"Verdict: {_styled(checked.verdict)}"
    )


def show_injections(experiments: Iterable[Shown], regressions: Iterable[Shown]) -> None:
    """Every experiment and every reported fault: what it breaks, what it needs and which rules it judges."""
    console.print("Experiments, of which `all` are those:\n")
    for experiment in experiments:
        _show_injection(experiment)
    console.print("Faults that real systems had, of which `regressions` are all:\n")
    for regression in regressions:
        _show_injection(regression)


def _show_injection(one: Shown) -> None:
    console.print(f"[bold]{escape(one.name)}[/]\n  {escape(one.fault)}")
    console.print(f"  needs:  {', '.join(one.needed) or 'nothing beyond the spine'}")
    console.print(f"  judges: {', '.join(one.rules)}\n")


def show_book(rules: Iterable[Rule]) -> None:
    """Every rule of the book, with its sentence."""
    for rule in rules:
        console.print(f"[bold]{rule.id:<10}[/] {escape(rule.sentence)}")


def show_rule(rule: Rule, defects: Iterable[ShownDefect]) -> None:
    """One rule: what it says, whom it binds, where it is checked and what it catches."""
    console.print(f"[bold]{rule.id}[/] {escape(rule.sentence)}\n")
    console.print(f"  contracts  {', '.join(sorted(rule.contracts))}")
    console.print(
        f"  kind       {rule.kind}" + (f", implies {rule.implies} of the Resume Contract" if rule.implies else "")
    )
    console.print(f"  digest     {rule.digest}")
    console.print(f"  checked    {rule.where}, on {_about(rule)}")
    if rule.needs:
        console.print(f"  applies    to systems that offer {' or '.join(sorted(rule.needs))}")
    for defect in defects:
        console.print(f"  catches    {escape(defect.name)}: {escape(defect.sentence)}")


def _about(rule: Rule) -> str:
    """The causes that the rule can speak of."""
    if rule.about is None:
        return "every step"
    classes = get_args(rule.about) or (rule.about,)
    return f"steps of {', '.join(cls.__name__ for cls in classes)}"


def _styled(verdict: Verdict) -> str:
    return f"[{_STYLES[verdict]}]{verdict}[/]"
