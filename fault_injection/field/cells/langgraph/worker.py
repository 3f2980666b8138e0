"""A dispatcher: takes a job under a lease that it renews, and has the graph go on from its last checkpoint."""

import threading
import time

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.types import Command
from outside import DATABASE, WORKER, ready
from probe import DURABILITY, compiled

LEASE_SECONDS, RENEWED_SECONDS = 2, 0.5
TAKE = """
update jobs set locked_by = %s, locked_until = now() + make_interval(secs => %s)
 where id = (select id from jobs where state = 'queued' and locked_until < now() limit 1 for update skip locked)
returning id, approved
"""
END = "update jobs set state = %s, error = %s, locked_until = '-infinity' where id = %s and locked_by = %s"
RENEW = "update jobs set locked_until = now() + make_interval(secs => %s) where id = %s and locked_by = %s"


def main():
    with psycopg.connect(DATABASE, autocommit=True) as jobs, PostgresSaver.from_conn_string(DATABASE) as saver:
        graph = compiled(saver)
        ready()
        while True:
            job = jobs.execute(TAKE, [WORKER, LEASE_SECONDS]).fetchone()
            if job is None:
                time.sleep(0.05)
                continue
            run, approved = job
            done = threading.Event()
            threading.Thread(target=renew, args=(run, done), daemon=True).start()
            try:
                state, error = go_on(graph, run, approved), ""
            except Exception as failure:
                state, error = "failed", f"{type(failure).__name__}: {failure}"
            done.set()
            jobs.execute(END, [state, error, run, WORKER])


def go_on(graph, run, approved):
    """From nothing, from the interrupt, or from wherever it was left."""
    config = {"configurable": {"thread_id": run}}
    seen = graph.get_state(config)
    asked = {} if not seen.values and not seen.next else Command(resume=True) if seen.interrupts and approved else None
    if not (seen.interrupts and not approved):
        graph.invoke(asked, config, durability=DURABILITY)
    return "waiting" if graph.get_state(config).interrupts else "succeeded"


def renew(run, done):
    with psycopg.connect(DATABASE, autocommit=True) as database:
        while not done.wait(RENEWED_SECONDS):
            database.execute(RENEW, [LEASE_SECONDS, run, WORKER])


main()
