"""What is kept: handed out in the published form, and forgotten when nobody needs it."""

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import BadSettingsError
from ..outcomes import Refused
from .ending import PANEL, Code

if TYPE_CHECKING:
    from ..store import Store

app = typer.Typer()
SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


@app.command(rich_help_panel=PANEL)
def export(
    run: Annotated[str, typer.Argument(metavar="RUN")],
    out: Annotated[Path | None, typer.Option(help="A new file; without it, standard output.")] = None,
) -> None:
    """Write a run with its history as JSON, in the form of spec/schemas/history.json."""
    from .. import operating
    from ..exporting import exported

    found = exported(operating.open_store(os.environ, ("observe",)), run)
    if found is None:
        raise BadSettingsError(
            expected="a run that was admitted", seen=f"there is no {run}", next_step="Correct it, or KEEPFACT_TENANT."
        )
    text = json.dumps(found, indent=2, ensure_ascii=False) + "\n"
    if out is None:
        print(text, end="")
        return
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise BadSettingsError(
            expected=f"to write a new file {out}",
            seen=f"that is not possible: {error.strerror}",
            next_step="Give another.",
        ) from None


@app.command(rich_help_panel=PANEL)
def purge(
    digests: Annotated[list[str] | None, typer.Argument(metavar="[DIGEST]...", help="Texts, by their digest.")] = None,
    older_than: Annotated[
        str | None, typer.Option(metavar="90d", help="All texts of runs that nothing has happened in for so long.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Forget large texts that nobody needs any more; their digests stay. Listed first, and refused one by one."""
    if bool(digests) == (older_than is not None):
        raise BadSettingsError(
            expected="either digests or --older-than", seen="both or neither is given", next_step="Give one of them."
        )
    from .. import operating

    store = operating.open_store(os.environ, ("purge",))
    listed = _named(store, digests) if digests else store.kept_payloads(_seconds(older_than or ""))
    for one in listed:
        needed = f", needed by {', '.join(one['needed_by'])}" if one["needed_by"] else ""
        print(f"{one['digest']}  {one['characters']} characters, idle for {one['idle_seconds']} s{needed}")
    if not listed:
        print("There is nothing to forget.")
        return
    if not yes:
        typer.confirm(f"Forget these {len(listed)} texts, but for those that are needed?", abort=True)
    refused = [one["digest"] for one in listed if not _purge(store, one["digest"])]
    print(f"forgotten: {len(listed) - len(refused)}; refused: {len(refused)}")
    raise typer.Exit(Code.NOT_SO if digests and refused else Code.DONE)


def _named(store: "Store", digests: list[str]) -> list[dict[str, Any]]:
    kept = {one["digest"]: one for one in store.kept_payloads(0)}
    missing = [digest for digest in digests if digest not in kept]
    if missing:
        raise BadSettingsError(
            expected="digests of texts that are kept",
            seen=f"none is kept under {', '.join(missing)}",
            next_step="Nothing was forgotten. `keepfact purge --older-than 0s` lists them.",
        )
    return [kept[digest] for digest in dict.fromkeys(digests)]


def _purge(store: "Store", digest: str) -> bool:
    from .. import operating

    outcome = operating.ask(store, "purge", payload=digest)
    if isinstance(outcome, Refused):
        print(f"refused: {digest}: {outcome.reason}: {', '.join(outcome.runs)}")
        return False
    return True


def _seconds(text: str) -> int:
    """A length of time, as 90d, 12h, 30m or 0s."""
    if found := re.fullmatch(r"(\d{1,9})([smhd])", text):
        return int(found[1]) * SECONDS[found[2]]
    raise BadSettingsError(
        expected="a length of time such as 90d, 12h, 30m or 0s",
        seen=f"it is {text!r}",
        next_step="Correct --older-than.",
    )
