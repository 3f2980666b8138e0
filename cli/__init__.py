"""The command line: it composes, and decides nothing."""

from keepfact.conformance.ending import run_to_an_exit_code
from keepfact.impl import cli as running

# In this order `keepfact --help` lists their commands.
from . import verifying, fielding, proving, reading, auditing, outside  # isort: skip
from .app import app

__all__ = ["app", "auditing", "fielding", "main", "outside", "proving", "reading", "verifying"]

app.add_typer(running.app)


def main() -> None:
    """Run the command line; every way out has one of the four exit codes."""
    run_to_an_exit_code(app, running.Code, running.explained)
