"""Lockstep steps per second beside a bare commit loop, on the same server in the same run.

Prints one line a measure: how many a second, and the ratio to the bare loop of the same round. See `make bench`.
"""

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import psycopg

from keepfact.conformance.choices import Choices
from keepfact.conformance.evidence import EvidenceWriter
from keepfact.conformance.judge import Judge
from keepfact.conformance.lockstep import Search, search
from keepfact.conformance.profiles import Effort
from keepfact.conformance.recorder import Move
from keepfact.conformance.systems.postgres import Postgres
from keepfact.conformance.trial import Trial
from keepfact.impl.server import postgres_server

ROUNDS = 5
STEPS = 600


def main() -> None:
    """Measure all of it, in turn, for some rounds; the median ratio is the one to quote."""
    with (
        postgres_server() as server,
        psycopg.connect(server.dsn, autocommit=True) as bare,
        tempfile.TemporaryDirectory() as directory,
    ):
        bare.execute("create table keepfact_bare_commit_loop (payload text)")
        system = Postgres(server=server)
        try:
            evidence = EvidenceWriter(Path(directory) / "evidence")
            measures: dict[str, Callable[[int], int]] = {
                "bare commit": lambda _: _bare_commits(bare),
                "step, judged": lambda number: _walk(system, number, None),
                "step, judged, in evidence": lambda number: _walk(system, number, evidence),
                "step as in verify": lambda number: _searched(system, number, evidence),
            }
            rates: dict[str, list[float]] = {name: [] for name in measures}
            for number in range(ROUNDS):
                for name, measure in measures.items():
                    started = time.perf_counter()
                    rates[name].append(measure(number) / (time.perf_counter() - started))
        finally:
            system.close()
            bare.execute("drop table keepfact_bare_commit_loop")
    for name, seen in rates.items():
        ratio = median(rate / base for rate, base in zip(seen, rates["bare commit"], strict=True))
        print(f"{name:28} {median(seen):7.0f}/s   {ratio:.2f} of the bare commit loop")


def _bare_commits(connection: psycopg.Connection) -> int:
    for number in range(STEPS):
        connection.execute("insert into keepfact_bare_commit_loop values (%s)", [str(number)])
    return STEPS


def _walk(system: Postgres, number: int, evidence: EvidenceWriter | None) -> int:
    """Steps chosen by plain chance, without Hypothesis."""
    judge, chance, made = Judge(system.contracts), random.Random(number), 0
    while made < STEPS:
        trial = Trial(system, judge, evidence, f"bench-{bool(evidence)}-{number}-{made}")
        choices = Choices(trial, system)
        for _ in range(30):
            trial.make(Move(choices.next_cause(chance.choice)))
            made += 1
    return made


def _searched(system: Postgres, number: int, evidence: EvidenceWriter) -> int:
    """What `keepfact verify` does, its tours included; the traces get names of their own by renaming the round."""
    found: Search = search(system, Judge(system.contracts), evidence, Effort(20, 30), number, name=f"bench-{number}-")
    return found.steps


if __name__ == "__main__":
    main()
