"""The command `keepfact`, also as `python -m keepfact`.

While modules are imported nobody can interrupt in good order: libraries turn the exception into one of their own, which
would end with 1 and say that a rule is broken. Until the command line listens, a signal ends the process itself.
"""

import os
import signal


def main() -> None:
    """Import the command line, and run it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    from keepfact.cli import main as run

    run()


def _end(number: int, frame: object) -> None:
    os.write(2, b"keepfact: interrupted before anything had begun.\n")
    os._exit(3)


if __name__ == "__main__":
    main()
