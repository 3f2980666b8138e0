"""The command that starts the world outside alone, for people who try their agent against it by hand."""

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import TypeAdapter, ValidationError

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.listening import bound

from .app import CHECKING, app

if TYPE_CHECKING:
    from keepfact.fault_injection.world.script import Script


@app.command(rich_help_panel=CHECKING)
def world(
    ledger: Annotated[Path, typer.Option(help="A new file for what really happens.")] = Path("ledger.ndjson"),
    script: Annotated[
        Path | None, typer.Option(help="A JSON file with what the model says; see docs/world.md.", metavar="FILE")
    ] = None,
    listen: Annotated[
        str, typer.Option(help="Where: host:port, 0 for whichever port is free.", metavar="HOST:PORT")
    ] = "127.0.0.1:0",
) -> None:
    """A model, tools and a ledger of what really happened, to point an agent at; its URL is printed. Until Ctrl-C."""
    from keepfact.fault_injection.world.ledger import Ledger
    from keepfact.fault_injection.world.script import PAYS_AN_INVOICE
    from keepfact.fault_injection.world.serving import serve

    replies = PAYS_AN_INVOICE if script is None else _replies(script)
    listener = bound(listen)
    try:
        truth = Ledger(ledger)
    except OSError as error:
        raise KeepfactError(
            f"expected a new file for the ledger, but {ledger}: {error.strerror}. Nothing was touched. Give another "
            "--ledger."
        ) from None
    asyncio.run(serve(truth, listener, lambda url: print(url, flush=True), _asked_to_stop, replies))


def _replies(path: Path) -> "Script":
    from keepfact.fault_injection.world.script import Script

    try:
        replies: Script = TypeAdapter(Script).validate_json(path.read_bytes())
    except OSError as error:
        raise KeepfactError(f"expected a script in {path}, but: {error.strerror}. Give another --script.") from None
    except ValidationError as error:
        raise KeepfactError(
            f"expected {path} to be a list of replies, at least one, each with a text and cost_cents, but: {error}. "
            "docs/world.md has one."
        ) from None
    return replies


async def _asked_to_stop() -> None:
    """SIGTERM and Ctrl-C are heard here, and nowhere else."""
    asked, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, asked.set)
    await asked.wait()
