"""How the commands end, and what they have in common."""

import importlib
import os
import sys
from enum import IntEnum
from typing import Annotated, NoReturn

import typer

from ..errors import BadSettingsError
from ..outcomes import Refused
from ..release import Release, load_release

PANEL = "Running the reference implementation"

NameOption = Annotated[
    str | None,
    typer.Option("--name", help="The installation; without it the one of KEEPFACT_CREDENTIALS, or keepfact."),
]
ReleaseOption = Annotated[
    str | None, typer.Option("--release", metavar="module:NAME", help="The release; without it KEEPFACT_RELEASE.")
]


class Code(IntEnum):
    """What every command of these ends with."""

    DONE = 0
    NOT_SO = 1
    BROKEN = 2
    TAKEN_AWAY = 3


def refuse(command: str, refused: Refused) -> NoReturn:
    """The store said no; tell why, and which runs stand in the way."""
    print(f"keepfact: {command} was refused: {refused.reason}", file=sys.stderr)
    for run in refused.runs:
        print(f"  {run}", file=sys.stderr)
    raise typer.Exit(Code.NOT_SO)


def find_release(given: str | None) -> Release:
    """The release that is meant, also from the folder that the command was given in, as `python -m` would find it."""
    name = given or os.environ.get("KEEPFACT_RELEASE")
    if not name:
        raise BadSettingsError(
            expected="a release as --release module:NAME or in KEEPFACT_RELEASE",
            seen="none is given",
            next_step="Name the Release that your workers have.",
        )
    find_modules_here()
    return load_release(name)


def find_modules_here() -> None:
    """Modules of the folder that the command was given in can be imported, as `python -m` would have it."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
        importlib.invalidate_caches()
