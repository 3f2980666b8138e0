"""A queue as many begin: a table of jobs, taken with SKIP LOCKED. Its progress is in memory, and it asks again.

What is wrong with it, on purpose: nothing is written before a request is sent, each request has a new key, a lost
answer is simply asked for again, and whoever finishes last has the last word.
"""

import json
import time
import uuid

import psycopg
from outside import DATABASE, ask_model, ready, recorded, transfer, use_tool

LEASE_SECONDS = 2
TRIES = 3

TAKE = """
update jobs set locked_until = now() + make_interval(secs => %s)
 where id = (select id from jobs where state = 'queued' and locked_until < now() limit 1 for update skip locked)
returning id, progress
"""


def main():
    with psycopg.connect(DATABASE, autocommit=True) as database:
        ready()
        while True:
            job = database.execute(TAKE, [LEASE_SECONDS]).fetchone()
            if job is None:
                time.sleep(0.05)
                continue
            run, progress = job
            try:
                state, progress = work(progress)
            except OSError as error:
                state, progress = "failed", {**progress, "error": str(error)}
            database.execute(
                "update jobs set state = %s, progress = %s, locked_until = now() where id = %s",
                [state, json.dumps(progress), run],
            )


def work(progress):
    """Up to the approval, and after it to the end."""
    if not progress:
        plan = again(lambda: ask_model(0))
        paid = again(lambda: use_tool("pay", plan["arguments"], key=str(uuid.uuid4())))
        return "waiting", {"plan": plan, "paid": paid, "shown": transfer()["amount_cents"]}
    moved = again(lambda: use_tool("transfer", transfer(), key=str(uuid.uuid4())))
    words = again(lambda: ask_model(2))
    total = recorded(progress["plan"], progress["paid"], moved, words)
    return "succeeded", {**progress, "moved": moved, "words": words, "cost_cents": total}


def again(request):
    """Ask until there is an answer: a time-out says nothing, so try it once more."""
    for left in reversed(range(TRIES)):
        try:
            return request()
        except OSError:
            if not left:
                raise
    return None


main()
