"""What a proxy between a system and its PostgreSQL costs: the same work directly and through it, in one run.

Prints one line a measure: the rate of each, and how many times as fast the direct way is. The client is a process of
its own, as systems under test are.
"""

import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.queues import SimpleQueue
from statistics import median

import psycopg

from keepfact.fault_injection.pgwire import Proxy, Upstream
from keepfact.impl.server import postgres_server

STATEMENTS = 3_000
ROWS = 400_000
ROUNDS = 5
LARGE = f"select repeat('x', 100) from generate_series(1, {ROWS})"


def main() -> None:
    """Direct and through the proxy in turn, so that whatever else the machine does hits both."""
    with postgres_server() as server, Proxy(Upstream.of(server.dsn)) as proxy:
        watch = proxy.begin()
        for name, work in WORK.items():
            rates: dict[str, list[float]] = {"direct": [], "proxy": []}
            for _ in range(ROUNDS):
                rates["direct"].append(_in_a_process(work, server.dsn))
                rates["proxy"].append(_in_a_process(work, proxy.through(server.dsn)))
            direct, proxied = median(rates["direct"]), median(rates["proxy"])
            print(f"{name:42} direct {direct:9,.0f} /s   proxy {proxied:9,.0f} /s   ratio {direct / proxied:.2f}")
        print(f"{len(watch.seams)} seams were counted")


def _statements(connection: psycopg.Connection) -> int:
    for number in range(STATEMENTS):
        connection.execute("select %s", [number])
    return STATEMENTS


def _transactions(connection: psycopg.Connection) -> int:
    for _ in range(STATEMENTS // 3):
        with connection.transaction():
            connection.execute("select 1")
    return STATEMENTS


def _rows_copied_out(connection: psycopg.Connection) -> int:
    with connection.cursor().copy(f"copy ({LARGE}) to stdout") as copy:
        return sum(1 for _ in copy)


def _rows_copied_in(connection: psycopg.Connection) -> int:
    connection.execute("create temporary table if not exists large (text text)")
    line = ("x" * 100 + "\n") * 1000
    with connection.cursor().copy("copy large from stdin") as copy:
        for _ in range(ROWS // 1000):
            copy.write(line)
    return ROWS


def _rows_selected(connection: psycopg.Connection) -> int:
    return len(connection.execute(LARGE).fetchall())


WORK: dict[str, Callable[[psycopg.Connection], int]] = {
    "small statements": _statements,
    "statements in transactions of one": _transactions,
    "rows of 100 bytes, copied out": _rows_copied_out,
    "rows of 100 bytes, copied in": _rows_copied_in,
    "rows of 100 bytes, selected": _rows_selected,
}


def _in_a_process(work: Callable[[psycopg.Connection], int], dsn: str) -> float:
    """How much of the work was done a second, once connected."""
    context = multiprocessing.get_context("spawn")
    rate: SimpleQueue[float] = context.SimpleQueue()
    process = context.Process(target=_measure, args=(work, dsn, rate))
    process.start()
    process.join()
    return rate.get()


def _measure(work: Callable[[psycopg.Connection], int], dsn: str, rate: "SimpleQueue[float]") -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("select 1")
        begun = time.perf_counter()
        done = work(connection)
        rate.put(done / (time.perf_counter() - begun))


if __name__ == "__main__":
    main()
