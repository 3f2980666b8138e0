"""Durable steps a second, one worker and eight: ours beside the bare limit, DBOS and Absurd, on one server in one run.

The same workflow for all: so many steps that do nothing and whose result is recorded, from admission to end. All commit
under the settings that the server has; what they are is printed. What is not installed is skipped: `pip install dbos
absurd-sdk absurdctl`, or `make bench`. The machine's own noise is large, so the ratios count, each of one round.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from statistics import median

import psycopg

# A package beside this script: a folder with an __init__.py goes before a module of the same name.
from stepping.team import Open, Team

from keepfact.impl.server import postgres_server

ROUNDS = 7
STEPS = {1: 300, 8: 60}
"""Steps of each worker, by how many there are."""

BARE = "bare commit of one row"
SETTINGS = ("synchronous_commit", "fsync", "full_page_writes", "wal_level", "commit_delay")


@dataclass(frozen=True, slots=True)
class Contestant:
    """Whose steps: a module of `stepping`, its function that opens a worker, and the packages that it needs."""

    name: str
    module: str
    worker: str = "worker"
    packages: tuple[str, ...] = ()


CONTESTANTS = (
    Contestant(BARE, "stepping.bare"),
    Contestant("keepfact: one command", "stepping.ours", "publishing_worker"),
    Contestant("keepfact: intent, then answer", "stepping.ours", "calling_worker"),
    Contestant("Absurd", "stepping.with_absurd", packages=("absurd_sdk", "absurdctl")),
    Contestant("DBOS", "stepping.with_dbos", packages=("dbos",)),
)


def main() -> None:
    """Print a table for each number of workers."""
    present = [contestant for contestant in CONTESTANTS if _is_at_hand(contestant)]
    with postgres_server() as server, ExitStack() as cleanup:
        _tell_settings(server.dsn)
        teams = {one.name: cleanup.enter_context(_team(one, server.dsn)) for one in present}
        rates: dict[tuple[int, str], list[float]] = {}
        for _ in range(ROUNDS):
            for workers, steps in STEPS.items():
                for name, team in teams.items():
                    rates.setdefault((workers, name), []).append(workers * steps / team.seconds(workers, steps))
    for workers in STEPS:
        _tell(workers, {name: rates[workers, name] for name in teams})


def _is_at_hand(contestant: Contestant) -> bool:
    missing = [package for package in contestant.packages if find_spec(package) is None]
    if missing:
        names = " ".join(missing).replace("_", "-")
        print(f"{contestant.name}: skipped, it is not installed here; pip install {names}")
    return not missing


@contextmanager
def _team(contestant: Contestant, server_dsn: str) -> Iterator[Team]:
    module = import_module(contestant.module)
    set_up: Callable[[str], AbstractContextManager[object]] = module.set_up
    open_worker: Open = getattr(module, contestant.worker)
    with set_up(server_dsn) as place:
        team = Team(open_worker, place, max(STEPS))
        try:
            yield team
        finally:
            team.close()


def _tell_settings(server_dsn: str) -> None:
    with psycopg.connect(server_dsn) as connection:
        shown = {name: connection.execute(f"show {name}".encode()).fetchone() for name in SETTINGS}
    print(f"Python {sys.version.split()[0]};", ", ".join(f"{name}={row[0]}" for name, row in shown.items() if row))


def _tell(workers: int, rates: dict[str, list[float]]) -> None:
    print(f"\n{workers} {'worker' if workers == 1 else 'workers'}: steps a second, and of the bare limit in its round")
    for name, seen in rates.items():
        ratios = sorted(rate / base for rate, base in zip(seen, rates[BARE], strict=True))
        print(f"  {name:32}{median(seen):7.0f}   {median(ratios):5.2f}  ({ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
