"""Commands that need no system, or lend one to somebody else."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from keepfact import reports
from keepfact.conformance.evidence import EvidenceReader
from keepfact.conformance.evidence.manifest import MANIFEST
from keepfact.conformance.histories import HistoryError, check_file
from keepfact.conformance.systems import open_system
from keepfact.conformance.verdicts import ExitCode, Verdict, exit_code_of, worst
from keepfact.reports import console as show
from keepfact.reports import field as fields

from .app import CHECKING, SystemOption, app


@app.command(rich_help_panel=CHECKING)
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="States or steps, as JSON.")],
) -> None:
    """Judge exported histories, without any system: a state as spec/schemas/history.json says, or steps, one a line."""
    verdicts = []
    unusable = False
    for path in files:
        try:
            checked = check_file(path)
        except HistoryError as error:
            unusable = True
            print(f"keepfact: {error}", file=sys.stderr)
            continue
        show.show_checked(checked)
        verdicts.append(checked.verdict)
    if unusable and Verdict.VIOLATED not in verdicts:
        raise typer.Exit(ExitCode.BROKEN)
    raise typer.Exit(exit_code_of(worst(verdicts)))


@app.command(rich_help_panel=CHECKING)
def report(
    directory: Annotated[Path, typer.Argument(help="The evidence directory that a run wrote.")],
    formats: Annotated[
        str, typer.Option("--format", help=f"{', '.join(reports.FORMATS)}; several with commas.")
    ] = "html",
    out: Annotated[
        Path | None,
        typer.Option(help="Where to write; without it beside the evidence, and once that is sealed in DIR-reports."),
    ] = None,
    lang: Annotated[str, typer.Option(help="Of the page, which leads from one to the other: en, zh.")] = "en,zh",
) -> None:
    """Make reports from evidence alone, without the system; from a field.json all that `keepfact field` writes."""
    if (directory / fields.JSON).is_file():
        for path in fields.write(fields.read(directory / fields.JSON), out or directory):
            show.console.print(str(path), markup=False)
        return
    EvidenceReader(directory).header()
    if out is None and (directory / MANIFEST).exists():
        sealed = directory.resolve()  # what its manifest names stays as it is
        out = sealed.with_name(f"{sealed.name}-reports")
    names, languages = ([name.strip() for name in several.split(",")] for several in (formats, lang))
    for path in reports.write(directory, names, out=out, languages=languages):
        show.console.print(str(path), markup=False)


@app.command(rich_help_panel=CHECKING)
def adapter(
    system: SystemOption = "reference",
    listen: Annotated[
        str, typer.Option(help="Where: host:port, 0 for whichever port is free.", metavar="HOST:PORT")
    ] = "127.0.0.1:0",
) -> None:
    """Make a system reachable over HTTP, for `--system http://…`; its URL is printed. Until SIGTERM or Ctrl-C."""
    from keepfact.conformance.wire.serving import serve  # loads what an HTTP server needs

    opened = open_system(system)
    try:
        serve(opened, listen, lambda url: print(url, flush=True))
    finally:
        opened.close()
