"""Every way out of the command line has one of the four exit codes, and one line that says why if it is no verdict."""

import sys
import traceback
from collections.abc import Callable
from enum import IntEnum
from typing import NoReturn

from . import guardian
from .errors import KeepfactError
from .stopping import Listener
from .verdicts import ExitCode


def run_to_an_exit_code(
    command: Callable[[], object],
    other_codes: type[IntEnum],
    explained: Callable[[BaseException], Exception | None],
) -> None:
    """Run it, and exit; it is interrupted in good order.

    What it exits with stays if it is an ExitCode or one of the other codes. `explained` knows errors that are no
    KeepfactError and yet say what is wrong with the surroundings; it gives None for any that is a fault of keepfact.
    """
    listener = Listener()
    listener.listen()
    try:
        command()
    except SystemExit as ended:
        # 1 says that a rule is broken, and only we say that; libraries say it when a pipe closes.
        _end(ended.code if isinstance(ended.code, ExitCode | other_codes) or ended.code != 1 else ExitCode.BROKEN)
    except BaseException as error:
        listener.heard()
        if listener.was_asked:  # whatever went wrong after that went wrong because of it
            message = "keepfact: interrupted. There is no verdict; evidence that was being written has no footer."
            print(message, file=sys.stderr)
            _end(ExitCode.INCONCLUSIVE)
        told = error if isinstance(error, KeepfactError) else explained(error)
        if told is None:
            traceback.print_exc()
            told = KeepfactError("this is a fault of keepfact, and says nothing of the system. Please report it.")
        print(f"keepfact: {told}", file=sys.stderr)
        _end(ExitCode.BROKEN)


def _end(code: str | int | None) -> NoReturn:
    """Say it, if this is guarded, and exit."""
    guardian.say(code if isinstance(code, int) else ExitCode.BROKEN if code else ExitCode.CONFORMANT)
    sys.exit(code)
