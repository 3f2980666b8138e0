"""How many workers a sweep kills a second, beside the least that a kill can cost: fork, connect, commit, die.

Both in one run on one server. A kill of the sweep is a whole one: a worker starts and works, dies at its seam, recovery
and evidence follow, and every step is judged. See `make bench-sweeping`.
"""

import os
import signal
import time
from dataclasses import replace
from statistics import median

import psycopg

from keepfact.conformance.judge import Judge
from keepfact.conformance.systems.postgres import Postgres
from keepfact.fault_injection.experiments.model_returned_then_killed import EXPERIMENT, Side, kill, look_after
from keepfact.fault_injection.rehearsal import Rehearsal
from keepfact.fault_injection.strikes import Strike, at_every_seam
from keepfact.fault_injection.sweep import Sweep
from keepfact.impl.server import Server, postgres_server
from keepfact.spec.vocabulary import Contract

ROUNDS, KILLS = 3, 40


def main() -> None:
    """The two in turn, so that whatever else the machine does hits both."""
    with postgres_server() as server:
        system = Postgres(server=server)
        try:
            bare, swept = list[float](), list[float]()
            for number in range(ROUNDS):
                bare.append(_bare(server))
                swept.append(_swept(system, number))
        finally:
            system.close()
    cores = os.cpu_count() or 1
    print(f"{'fork, connect, commit, kill':34} {median(bare):7.1f} /s")
    print(f"{'a whole kill at a seam of the store':34} {median(swept):7.1f} /s on {cores} cores")
    print(f"{'ratio':34} {median(swept) / median(bare):7.2f}")


def _swept(system: Postgres, number: int) -> float:
    """Kills a second, from the start of the first worker to the judgement of the last."""

    def plan(rehearsal: Rehearsal) -> list[Strike]:
        return at_every_seam(rehearsal, Side.AT)

    sweep = Sweep((Side.AT,), plan, kill, look_after)
    experiment = replace(EXPERIMENT, name=f"sweep-{number}", course=sweep, contracts=(Contract.SETTLE,))
    done = list[float]()
    record = experiment.run(
        system, Judge(system.contracts), None, lambda at, total, text: done.append(time.perf_counter())
    )
    assert record.delivered == record.runs, record.note
    return (len(done) - 1) / (done[-1] - done[0])


def _bare(server: Server) -> float:
    """Kills a second of a process that has just committed one row, from a parent that has its libraries loaded."""
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        connection.execute("create table if not exists committed (pid integer)")
    started = time.perf_counter()
    for _ in range(KILLS):
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            with psycopg.connect(server.dsn, autocommit=True) as connection:
                connection.execute("insert into committed values (%s)", [os.getpid()])
                os.write(writing, b"x")
                signal.pause()
        os.close(writing)
        os.read(reading, 1)
        os.close(reading)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return KILLS / (time.perf_counter() - started)


if __name__ == "__main__":
    main()
