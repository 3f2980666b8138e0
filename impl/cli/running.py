"""The processes of an installation."""

import logging
import os
import platform
from typing import Annotated

import typer

from .ending import PANEL, Code, ReleaseOption, find_modules_here

app = typer.Typer()


@app.command(rich_help_panel=PANEL)
def serve() -> None:
    """Serve the gateway (HTTP), set up by KEEPFACT_ variables, until SIGTERM: then streams are ended."""
    from ..gateway.__main__ import main

    main()


@app.command(rich_help_panel=PANEL)
def worker(
    release: ReleaseOption = None,
    name: Annotated[str | None, typer.Option(help="For the record; without it host and process.")] = None,
    run: Annotated[str | None, typer.Option(help="Only this run, and then end.")] = None,
) -> None:
    """Work on whatever there is, until SIGTERM: then what is in flight is finished and the run handed back."""
    from .. import worker as working

    find_modules_here()
    environment = {**os.environ, **({"KEEPFACT_RELEASE": release} if release else {})}
    _log_to_stderr()
    own = working.from_environment(name or f"{platform.node()}:{os.getpid()}", environment)
    code = working.serve(own, run, is_for_all=run is None)
    raise typer.Exit(Code(code))


@app.command(rich_help_panel=PANEL)
def recover(once: Annotated[bool, typer.Option("--once", help="One pass, then end.")] = False) -> None:
    """Settle lost runs, tell what is due, look up what nobody knows; over and over, until SIGTERM."""
    from .. import recovery as recovering

    _log_to_stderr()
    recovering.serve(recovering.from_environment(), is_once=once)


def _log_to_stderr() -> None:
    logging.basicConfig(level=os.environ.get("KEEPFACT_LOG", "WARNING"), format="%(name)s: %(message)s")
