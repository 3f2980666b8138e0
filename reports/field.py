"""The report of the field: engines x experiments x rules, truth beside record, promise beside what was seen."""

from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.field import About, FieldReport


def listed(cells: Iterable[tuple[str, About, bool]]) -> Table:
    """What there is, with what each needs."""
    table = Table("engine", "", "mode", "needs")
    for name, about, is_made in cells:
        needs = ["nothing more" if is_made else "PyPI, once", *about.needs]
        table.add_row(name, about.engine, about.mode, ", ".join(needs))
    return table


def show(report: FieldReport, console: Console) -> None:
    for cell in report.cells:
        table = Table("experiment", "rule", "verdict", "why", title=cell.name, title_justify="left")
        for experiment in cell.experiments:
            for finding in experiment.findings:
                table.add_row(experiment.experiment, finding.rule, finding.verdict, finding.why)
        console.print(table)


def write(report: FieldReport, directory: Path) -> list[Path]:
    try:
        directory.mkdir(parents=True)
        path = directory / "field.json"
        path.write_text(report.model_dump_json(indent=1))
    except OSError as error:
        raise KeepfactError(f"expected to write into a new directory {directory}, but: {error.strerror}.") from error
    return [path]
