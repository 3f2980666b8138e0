"""The report of the field: engines, experiments and rules, truth beside record, promise beside what was seen."""

import re
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.table import Table as Shown

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.field import About, FieldExperiment, FieldReport
from keepfact.conformance.verdicts import Verdict

from . import html
from .field_tables import Section, Table, named, overview, recorded, rules, section, truths
from .text import visible

JSON = "field.json"
"""The file from which the others can be made again."""

SCOPE = (
    "Each verdict is of one version, in one mode, under the stated faults and with the stated settings, by the rules "
    "of the contract that the engine claims. A rule may ask for more than an engine promises; what it promises stands "
    "beside what was seen. All of it is judged from outside: by what arrived at the servers of the model and the "
    "tools, and by what the engine says of the run through its own interface.",
    "Cents that are recorded are the sum of the results that the engine has stored. No engine but our own claims to "
    "keep an account of costs, or has a place for a cost that nobody knows.",
    "After the approval the program that every cell has computes anew what it sends, so that a release can change it: "
    "that APPROVAL.3 or VERSION.5 is broken comes of this program, and of an engine that lets the new release go on. A "
    "program that keeps what it has shown, and sends that, is not affected; examples/field shows it of four engines.",
    "NOT_EXERCISED: what the rule speaks of did not come up. That nothing happens was watched for a few seconds only.",
)


def listed(cells: Iterable[tuple[str, About, bool]]) -> Shown:
    """What there is, with what each needs."""
    table = Shown("name", "engine", "mode", "needs")
    for name, about, is_made in cells:
        needs = ["nothing more" if is_made else "PyPI, once", *about.needs]
        table.add_row(name, about.engine, about.mode, ", ".join(needs))
    return table


def show(report: FieldReport, console: Console) -> None:
    """What was found, in short: figures for each experiment, and each sentence that does not hold."""
    for cell in report.cells:
        console.print(f"\n{visible(named(cell))}: {visible(cell.about.mode)}", markup=False)
        for experiment in cell.experiments:
            console.print(f"  {experiment.experiment}: {experiment.verdict}{_figured(experiment)}", markup=False)
            for finding in experiment.findings:
                if finding.verdict in _TOLD:
                    console.print(f"    {finding.rule} {finding.verdict}: {visible(finding.why, 400)}", markup=False)
            if experiment.reason:
                console.print(f"    {visible(experiment.reason)}", markup=False)


def write(report: FieldReport, directory: Path) -> list[Path]:
    """As JSON, Markdown and HTML, into a new directory. Raises KeepfactError."""
    texts = {
        JSON: report.model_dump_json(indent=1) + "\n",
        "field.md": markdown(report),
        "field.html": page(report),
    }
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (directory / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise KeepfactError(f"expected to write into {directory}, but: {error.strerror}. Give another.") from error
    return [directory / name for name in texts]


def read(path: Path) -> FieldReport:
    """A report that was written before. Raises KeepfactError."""
    try:
        return FieldReport.model_validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise KeepfactError(f"expected {path} to be a field.json of this version, but: {error}") from error


def page(report: FieldReport) -> str:
    """One file that needs nothing else. Whatever an engine said is escaped."""
    template = html.environment().get_template("field.html")
    return template.render(
        report=report, scope=SCOPE, tables=_tables(report), sections=[section(cell) for cell in report.cells]
    )


def markdown(report: FieldReport) -> str:
    """For a pull request."""
    head = [
        f"# The field: {_plain(report.verdict)}",
        *SCOPE,
        f"keepfact {report.kit_version}, {report.started_at}; "
        + ", ".join(f"{name} {_plain(said)}" for name, said in report.versions.items())
        + "; "
        + "; ".join(map(_plain, report.settings.values()))
        + ".",
        f"Again: `{report.command}`",
    ]
    return "\n\n".join(
        [*head, *map(_in_markdown, _tables(report)), *(_told_in_markdown(section(cell)) for cell in report.cells)]
    ) + "\n"  # fmt: skip


_TOLD = {Verdict.VIOLATED, Verdict.INCONCLUSIVE}


def _tables(report: FieldReport) -> tuple[Table, ...]:
    return overview(report), truths(report), rules(report)


def _told_in_markdown(one: Section) -> str:
    facts = "\n".join(f"- {name}: {_plain(said)}" for name, said in one.facts)
    stories = [
        f"<details><summary>{_plain(story.title)}</summary>\n\n"
        + "\n".join(f"- {_plain(line)}" for line in story.lines)
        + "\n\n</details>"
        for story in one.stories
    ]
    return "\n\n".join([f"## {_plain(one.title)}", facts, *map(_in_markdown, one.tables), *stories])


def _in_markdown(table: Table) -> str:
    lines = [
        "| " + " | ".join(map(_plain, table.head)) + " |",
        "|" + " --- |" * len(table.head),
        *("| " + " | ".join(_plain(entry.text) for entry in row) + " |" for row in table.rows),
    ]
    return f"### {_plain(table.title)}\n\n" + "\n".join(lines)


def _plain(text: str) -> str:
    """Text that Markdown and HTML in it take for nothing but text."""
    return re.sub(r"([\\`*_\[\]<>|&#~])", r"\\\1", visible(text, 600))


def _figured(experiment: FieldExperiment) -> str:
    figures = [trial.figures for trial in experiment.trials if trial.figures is not None]
    if len(figures) != 1:
        return f", {len(experiment.trials)} trials" if experiment.trials else ""
    [one] = figures
    return (
        f", {one.model_requests} requests to the model and {one.tool_requests} to tools, {one.acts} effects; "
        f"{one.true_cents} cents spent, {recorded(one)} recorded; {one.end}"
    )
