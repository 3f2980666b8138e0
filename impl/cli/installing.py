"""Making an installation, changing its schema, removing it."""

import os
from pathlib import Path
from typing import Annotated

import typer

from ..errors import BadSettingsError
from ..outcomes import Refused
from .ending import PANEL, NameOption, refuse

app = typer.Typer()
tenants = typer.Typer(help="Whose runs there are.", no_args_is_help=True)
app.add_typer(tenants, name="tenant", rich_help_panel=PANEL)


@app.command(rich_help_panel=PANEL)
def install(
    name: Annotated[str, typer.Option(help="What the database and its roles are called.")] = "keepfact",
    credentials: Annotated[
        Path | None, typer.Option(help="A new file for the passwords; without it <name>.credentials.json.")
    ] = None,
) -> None:
    """Create a database that stays, on the server of KEEPFACT_DSN, and write the credentials of its doors."""
    from .. import operating

    path = (credentials or Path(f"{name}.credentials.json")).absolute()
    place = operating.install(os.environ, name, path)
    print(f"installed: {place}")
    print(f"Its credentials are in {path}, which only you may read; there is no other copy. Next:")
    print(f"  export KEEPFACT_CREDENTIALS={path}")
    print("  keepfact recover &  keepfact worker --release module:NAME &  keepfact serve")


@app.command(rich_help_panel=PANEL)
def uninstall(
    name: Annotated[str, typer.Option(help="The installation to remove.")] = "keepfact",
    confirm: Annotated[str | None, typer.Option(metavar="NAME", help="Its name again, instead of being asked.")] = None,
) -> None:
    """Remove an installation, with every run in it. Nothing brings it back."""
    from .. import operating

    for what in operating.find(os.environ, name):
        print(what)
    typed = confirm if confirm is not None else typer.prompt("All of this will be gone. Type the name to remove it")
    if typed != name:
        raise BadSettingsError(
            expected=f"{name} as confirmation", seen=f"it was {typed!r}", next_step="Nothing was removed."
        )
    operating.uninstall(os.environ, name)
    print(f"removed: {name}. Its file of credentials opens nothing any more.")


@app.command(rich_help_panel=PANEL)
def migrate(
    name: NameOption = None,
    finish: Annotated[bool, typer.Option("--finish", help="Take away what only the old release needed.")] = False,
) -> None:
    """Bring the schema to this release: first expand it, and when the old workers are gone, --finish."""
    from .. import operating
    from ..migrations.applying import Migrations
    from ..migrations.stages import Migration

    database = operating.installed_database(os.environ, operating.installation_name(os.environ, name))
    migration = Migration(database, operating.open_store(os.environ, ("deploy", "observe")), Migrations())
    outcome = migration.finish() if finish else migration.begin()
    if isinstance(outcome, Refused):
        refuse("end_migration" if finish else "migrate", outcome)
    print(outcome)


@tenants.command("add")
def add_tenant(tenant: Annotated[str, typer.Argument(metavar="NAME")], name: NameOption = None) -> None:
    """Found a tenant: nobody else sees its runs. Processes work for it with KEEPFACT_TENANT."""
    from .. import operating

    installation = operating.installation_name(os.environ, name)
    operating.add_tenant(os.environ, installation, tenant)
    print(f"founded: {tenant} in {installation}")
