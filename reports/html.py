"""The page: one file that needs nothing else, no script, no network, and that reads well on paper.

There is one in each language, as a page has one language: its title, its labels and the voice that reads it aloud.
Each leads to the other, which lies beside it.
"""

import re
import shlex
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from keepfact.conformance.evidence import FaultRecord, LockstepRecord, StoryRecord
from keepfact.conformance.harm import SENTENCES
from keepfact.conformance.verdicts import Verdict

from .authority import authority
from .chinese_answer import chinese_answer
from .languages import CHINESE, ENGLISH, Language, language
from .matrix import matrix, short
from .questions import questions
from .rules import RuleFinding
from .summary import ExperimentFinding, Summary, Trace
from .tables import FaultTable, OutcomeTable, fault_table, outcome_table
from .text import CHARACTERS_MAX, folded, visible
from .timeline import Timeline, telling, timeline

FILE_NAMES = {ENGLISH: "report.html", CHINESE: "report.zh.html"}

TIMELINES_MAX = 2
"""Pictures for each experiment."""
FAULTS_MAX = 200
"""Single faults listed for each experiment."""
STORIES_MAX = 50
"""Failures told; all of them are counted."""


@dataclass(frozen=True, slots=True)
class ChapterView:
    name: str
    title: str
    rules: tuple[RuleFinding, ...]


@dataclass(frozen=True, slots=True)
class UnresolvedView:
    verdict: Verdict
    why: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExperimentView:
    finding: ExperimentFinding
    table: FaultTable
    faults: tuple[FaultRecord, ...]
    timelines: tuple[Timeline, ...]
    told_in: tuple[int, ...]
    traces_left_out: int
    is_promised: bool


@dataclass(frozen=True, slots=True)
class LockstepView:
    record: LockstepRecord
    table: OutcomeTable


@dataclass(frozen=True, slots=True)
class StoryView:
    number: int
    story: StoryRecord
    lines: list[tuple[str, int]]
    harm: str
    replay_command: str | None
    timeline: Timeline | None
    drawn_in: int | None


def render(summary: Summary, said_in: str = ENGLISH) -> str:
    """The page of this summary. Everything that came from the evidence is escaped and shown as text."""
    spoken = language(said_in)
    stories = enumerate(summary.stories[:STORIES_MAX], 1)
    return (
        environment(spoken)
        .get_template("page.html")
        .render(
            summary=summary,
            answer=chinese_answer(summary) if said_in == CHINESE else summary.answer,
            languages=[(language(code), name) for code, name in FILE_NAMES.items() if code != said_in],
            matrix=matrix(summary),
            authority=authority(summary),
            asked=questions(summary),
            chapters=_chapters(summary),
            experiments=[_experiment(summary, finding, spoken) for finding in summary.experiments],
            lockstep=[LockstepView(record, outcome_table(record)) for record in summary.lockstep],
            stories=[_story(summary, number, story, spoken) for number, story in stories],
            known_rules={rule.record.rule for rule in summary.rules},
            broken=[rule for rule in summary.rules if rule.verdict is Verdict.VIOLATED],
            unresolved=_unresolved(summary.rules),
            unresolved_parts={name: said for name, said in summary.parts.items() if said in _UNRESOLVED},
            faults_delivered=sum(fault.delivered for finding in summary.experiments for fault in finding.faults),
            versions={"keepfact": summary.header.kit_version} | summary.header.versions,
            suspects=[rule for rule in summary.rules if rule.suspect],
        )
    )


_UNRESOLVED = {Verdict.NOT_EXERCISED, Verdict.INCONCLUSIVE}


def _unresolved(rules: tuple[RuleFinding, ...]) -> list[UnresolvedView]:
    """The rules nothing was concluded about, those with the same reason together."""
    groups: dict[tuple[Verdict, str], list[str]] = {}
    for rule in rules:
        if rule.verdict in _UNRESOLVED:
            groups.setdefault((rule.verdict, rule.doubt or rule.record.reason), []).append(rule.record.rule)
    return [UnresolvedView(verdict, why, tuple(names)) for (verdict, why), names in groups.items()]


def environment(said_in: Language | None = None) -> Environment:
    """Templates in which every value reaches the page made visible and escaped, also where one forgets to say so."""
    spoken = said_in or language(ENGLISH)
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "pages"),
        autoescape=True,
        finalize=lambda value: value if isinstance(value, Markup) else visible(value),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "shown": _shown,
        "prose": _prose,
        "breakable": _breakable,
        "anchor": _anchor,
        "words": lambda name: _shown(spoken.named(str(name)), 160),
        "thousands": _thousands,
        "short": short,
        "told": lambda text, characters_max=CHARACTERS_MAX: _told(spoken, str(text), characters_max),
    }
    made.globals |= {"counted": spoken.counted, "say": spoken.say, "spoken": spoken}
    return made


def _chapters(summary: Summary) -> list[ChapterView]:
    return [
        ChapterView(name, summary.chapters.get(name, ""), tuple(rules))
        for name, rules in groupby(summary.rules, key=lambda rule: rule.record.chapter)
    ]


def _experiment(summary: Summary, finding: ExperimentFinding, spoken: Language) -> ExperimentView:
    traces = {trace.name: trace for trace in summary.traces if trace.experiment == finding.name}
    stories = summary.stories[:STORIES_MAX]
    told = [number for number, story in enumerate(stories, 1) if story.trace in traces]
    untold = [trace for trace in traces.values() if trace.name not in {story.trace for story in stories}]
    shown = _shown_first(untold, finding)
    return ExperimentView(
        finding=finding,
        table=fault_table(finding),
        faults=finding.faults[:FAULTS_MAX],
        timelines=tuple(timeline(trace, spoken) for trace in shown),
        told_in=tuple(told),
        traces_left_out=len(untold) - len(shown),
        is_promised=finding.name in PROMISED,
    )


PROMISED = {
    "model_returned_then_killed": ("model answered",),
    "tool_submitted_then_cut": ("it acts, and the connection is reset", "acted"),
    "upgraded_while_waiting": ("arguments", "gone"),
}
"""The strikes of which the first experiments are named: a trace of one is drawn before any other."""


def _shown_first(traces: list[Trace], finding: ExperimentFinding) -> list[Trace]:
    """Those that show most, after the one that the experiment is named for, if there is one."""
    wanted = PROMISED.get(finding.name, ())
    struck = {fault.trace: f"{fault.seam} {fault.side}" for fault in finding.faults if fault.delivered}
    named = [trace for words in wanted for trace in traces if words in struck.get(trace.name, "")][:1]
    others = telling([trace for trace in traces if trace not in named], TIMELINES_MAX)
    return [*named, *others][:TIMELINES_MAX]


def _story(summary: Summary, number: int, story: StoryRecord, spoken: Language) -> StoryView:
    """A trace is drawn once, in the first story that is told about it."""
    trace = next((trace for trace in summary.traces if trace.name == story.trace), None)
    first = next(place for place, other in enumerate(summary.stories, 1) if other.trace == story.trace)
    return StoryView(
        number=number,
        story=story,
        lines=folded(story.lines),
        harm=SENTENCES[story.harm] if story.harm else "",
        replay_command=f"python -m pytest {shlex.quote(story.replay)}" if story.replay else None,
        timeline=timeline(trace, spoken) if trace and first == number else None,
        drawn_in=first if trace and first != number else None,
    )


def _shown(text: object, characters_max: int = CHARACTERS_MAX) -> Markup:
    """Text made visible and cut at another length than the usual one."""
    return escape(visible(text, characters_max))


def _told(spoken: Language, text: str, characters_max: int) -> Markup:
    """What evidence says: in the language of the page if the kit's own sentence is known there, else as it stands."""
    if spoken.code == ENGLISH:
        return _shown(text, characters_max)
    translated = spoken.quoted(text)
    if translated is not None:
        return _shown(translated, characters_max)
    return Markup('<span lang="en">{}</span>').format(_shown(text, characters_max))


def _prose(text: str) -> Markup:
    """A sentence of the book: words between backticks are code."""
    return Markup(re.sub(r"`([^`]{1,80})`", r"<code>\1</code>", str(_shown(text))))


def _breakable(name: str) -> Markup:
    """`RecordAnswer` with leave to break the line between its words."""
    return Markup("<wbr>").join(_shown(part, 40) for part in re.split(r"(?<=[a-z])(?=[A-Z])", name[:80]))


def _anchor(name: str) -> str:
    """A name as part of an id on the page."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name[:80])


def _thousands(number: int) -> str:
    return f"{number:,}"
