"""The command that takes engines to the field."""

import shlex
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.field import FieldExperiment
from keepfact.conformance.guardian import guarded
from keepfact.reports import console as show

from .app import CHECKING, app


@app.command(rich_help_panel=CHECKING)
def field(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[ENGINE]...", help="Which; a folder for your own; `all` for all.")
    ] = None,
    experiment: Annotated[
        list[str] | None,
        typer.Option("--experiment", help="Only this one; may be given several times.", metavar="NAME"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="A new directory for the report; without it, one below evidence/.")
    ] = None,
) -> None:
    """Break the world around other people's engines, and compare what happened with what they recorded. Without an
    engine, list them.
    """
    from keepfact.fault_injection.field.cell import Cell, find_cells, read_cell
    from keepfact.fault_injection.field.experiments import EXPERIMENTS
    from keepfact.fault_injection.field.running import run
    from keepfact.reports import field as reports

    known = find_cells()
    for name in experiment or ():
        if name not in EXPERIMENTS:
            raise KeepfactError(f"expected an experiment, one of {', '.join(EXPERIMENTS)}, but got {name!r}.")
    if not names:
        show.console.print(reports.listed([(cell.name, cell.about, cell.is_made) for cell in known.values()]))
        show.console.print(f"experiments: {', '.join(EXPERIMENTS)}", markup=False)
        return
    for name in names:
        if name != "all" and name not in known and not Path(name).is_dir():
            raise KeepfactError(
                f"expected an engine, one of {', '.join(known)} or all, or the folder of a cell, but got {name!r}."
            )
    chosen = [*known] if "all" in names else list(dict.fromkeys(names))
    cells = [known[name] if name in known else read_cell(Path(name), name) for name in chosen]
    wanted = [EXPERIMENTS[name] for name in dict.fromkeys(experiment or EXPERIMENTS)]
    directory = out or Path("evidence") / f"field-{datetime.now():%Y%m%d-%H%M%S}"
    guarded()

    def done(result: FieldExperiment, cell: Cell) -> None:
        show.console.print(f"{cell.name}: {result.experiment}: {result.verdict} ({result.seconds:g} s)", markup=False)

    command = shlex.join(["keepfact", "field", *names, *(f"--experiment={name}" for name in experiment or ())])
    report = run(cells, wanted, command, lambda says: show.console.print(says, markup=False), done)
    reports.show(report, show.console)
    for path in reports.write(report, directory):
        show.console.print(f"  {path}", markup=False)
    raise typer.Exit(report.exit_code)
