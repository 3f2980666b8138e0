"""The commands that run the reference implementation: they read what was asked, and tell what came of it.

Exit codes: 0 done, 1 not so (a program diverges, the store refused), 2 something is wrong with what was asked or with
the surroundings, 3 taken away.

What a command does is imported when it is asked for: whoever checks a system need not wait for what runs one.
"""

import typer

from ..errors import ServerUnavailableError, SetupError
from . import installing, keeping, releasing, running
from .ending import Code

app = typer.Typer()
for part in (installing, running, releasing, keeping):
    app.add_typer(part.app)


def explained(error: BaseException) -> SetupError | None:
    """What is wrong with the surroundings, if it is that; anything else is a fault of ours."""
    from ..store import ConnectionLostError

    if isinstance(error, ConnectionLostError):
        return ServerUnavailableError(
            expected="the server to stay within reach",
            seen=f"the connection was lost: {' '.join(str(error.__cause__).split())}",
            next_step="Nothing was lost; ask again.",
        )
    return error if isinstance(error, SetupError) else None


__all__ = ["Code", "app", "explained"]
