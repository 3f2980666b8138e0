"""The command line as a whole, and the options that several commands have."""

import os
from pathlib import Path
from typing import Annotated

import typer

from keepfact.conformance.profiles import Profile
from keepfact.conformance.systems import NAMES

HELP = """Does your system keep what it promises when a worker dies, a network is cut, an answer is lost?

Start with `keepfact verify`: it drives the reference implementation on a PostgreSQL of its own, kills its workers, and
writes a report. Then point it at your system with `--system module:Class`.

`keepfact install` and what stands below it run the reference implementation as a service.

Exit codes: 0 conformant, 1 violated, 2 the kit or its input is wrong, 3 inconclusive or not exercised.
"""

CHECKING = "Checking a system"

app = typer.Typer(
    help=HELP,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)

SystemOption = Annotated[
    str,
    typer.Option("--system", help=f"{NAMES}.", metavar="SYSTEM"),
]
ProfileOption = Annotated[Profile, typer.Option(help="How far to search: a few minutes, ten, or a night.")]
SeedOption = Annotated[
    int | None, typer.Option(help="Where chance starts, in lockstep; without it a new one, which is printed.")
]
OutOption = Annotated[
    Path | None, typer.Option(help="A new directory for evidence and reports; without it, one below evidence/.")
]
SignOption = Annotated[
    Path | None,
    typer.Option("--sign", help="Vouch for the evidence: a private Ed25519 key, as PEM.", metavar="KEY"),
]


def leave_no_folder() -> None:
    """Have Hypothesis keep nothing: it would leave a folder wherever it is run."""
    from hypothesis.configuration import set_hypothesis_home_dir

    set_hypothesis_home_dir(Path(os.devnull, "hypothesis"))
