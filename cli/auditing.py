"""Commands for whoever was not there: is the evidence what was written, and does it show what it says."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from keepfact import reports
from keepfact.conformance.audit import audit as audited
from keepfact.conformance.audit.signing import fingerprint, private_key
from keepfact.conformance.audit.signing import sign as signed
from keepfact.conformance.verdicts import ExitCode
from keepfact.reports import console as show

from .app import CHECKING, app

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


@app.command(rich_help_panel=CHECKING)
def audit(
    directory: Annotated[Path, typer.Argument(help="The evidence directory that a run wrote.")],
    public_key: Annotated[
        Path | None, typer.Option("--public-key", help="Ed25519, PEM: who must have signed it.", metavar="FILE")
    ] = None,
) -> None:
    """Check that evidence is unaltered and judge every step again, without the system: 2 if it is not what it says."""
    with show.metered(f"audit of {directory}") as meter:
        found = audited(directory, public_key, progress=meter)
    show.show_audit(found)
    raise typer.Exit(found.exit_code)


@app.command(rich_help_panel=CHECKING)
def compare(
    before: Annotated[Path, typer.Argument(metavar="A", help="An evidence directory.")],
    after: Annotated[Path, typer.Argument(metavar="B", help="A later one.")],
) -> None:
    """Say what got better or worse from one evidence to another: 1 if anything is worse, or covered no more."""
    changes = reports.compare(before, after)
    show.show_changes(changes)
    raise typer.Exit(ExitCode.VIOLATED if any(one.trend in reports.IS_WORSE for one in changes) else 0)


@app.command(rich_help_panel=CHECKING)
def sign(
    directory: Annotated[Path, typer.Argument(help="The evidence directory that a run wrote.")],
    key: Annotated[Path, typer.Option("--key", help="Ed25519, PEM, private.", metavar="FILE")],
) -> None:
    """Vouch for evidence as it stands: sign its manifest."""
    holder = private_key(key)
    show.console.print(f"  {signed(directory, holder, lambda: sign_statement(directory, holder))}", markup=False)


def sign_statement(directory: Path, key: "Ed25519PrivateKey") -> None:
    """Sign the in-toto statement of this directory, if it has one."""
    path = reports.sign_statement(directory, key.sign, fingerprint(key.public_key()))
    if path is not None:
        show.console.print(f"  {path}", markup=False)
