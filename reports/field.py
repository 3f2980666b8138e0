"""The report of the field: engines x experiments x rules, truth beside record, promise beside what was seen."""

from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.field import About, FieldExperiment, FieldReport, Figures
from keepfact.conformance.verdicts import Verdict


def listed(cells: Iterable[tuple[str, About, bool]]) -> Table:
    """What there is, with what each needs."""
    table = Table("engine", "", "mode", "needs")
    for name, about, is_made in cells:
        needs = ["nothing more" if is_made else "PyPI, once", *about.needs]
        table.add_row(name, about.engine, about.mode, ", ".join(needs))
    return table


def show(report: FieldReport, console: Console) -> None:
    """What was found, in short: figures for each experiment, and each sentence that does not hold."""
    for cell in report.cells:
        said = ", ".join(f"{name} {version}" for name, version in cell.versions.items())
        console.print(f"\n{cell.name}: {said}; {cell.about.mode}", markup=False)
        for experiment in cell.experiments:
            console.print(f"  {experiment.experiment}: {experiment.verdict}{_figured(experiment)}", markup=False)
            for finding in experiment.findings:
                if finding.verdict in _TOLD:
                    console.print(f"    {finding.rule} {finding.verdict}: {finding.why}", markup=False)
            if experiment.reason:
                console.print(f"    {experiment.reason}", markup=False)


def write(report: FieldReport, directory: Path) -> list[Path]:
    try:
        directory.mkdir(parents=True)
        path = directory / "field.json"
        path.write_text(report.model_dump_json(indent=1))
    except OSError as error:
        raise KeepfactError(f"expected to write into a new directory {directory}, but: {error.strerror}.") from error
    return [path]


_TOLD = {Verdict.VIOLATED, Verdict.INCONCLUSIVE}


def _figured(experiment: FieldExperiment) -> str:
    figures = [trial.figures for trial in experiment.trials if trial.figures is not None]
    if len(figures) != 1:
        return f", {len(experiment.trials)} trials" if experiment.trials else ""
    [one] = figures
    return (
        f", {one.model_requests} requests to the model and {one.tool_requests} to tools, {one.acts} effects; "
        f"{one.true_cents} cents spent, {_recorded(one)} recorded; {one.end}"
    )


def _recorded(figures: Figures) -> str:
    """An amount, an interval, or nothing."""
    if figures.recorded_cents is None:
        return "nothing"
    high = f" to {figures.recorded_cents + figures.held_cents}" if figures.held_cents else ""
    return f"{figures.recorded_cents}{high}"
