"""What is done to an engine by hand. `run` is the engine's: submit, waits (for the approval), approve, is_over, says.

A worker is started with the cents that its release would send: 10 in the first release, 1000 in the second.
"""

import time

from outside import Outside
from processes import freeze, kill, until, wake

REPLACED_AFTER_SECONDS = 5
WATCHED_SECONDS = 4


def killed(run):
    with Outside("killed after the model answered") as outside:
        held, first = outside.hold("plan"), outside.start("worker", "10")
        run.submit()
        until(lambda: outside.asked("plan"))
        kill(first)
        held.set()
        outside.start("worker", "10")
        to_the_end(run)
        outside.tell(run.says())


def cut(run):
    with Outside("a tool acted, and its answer was cut") as outside:
        outside.cut.add("pay")
        outside.start("worker", "10")
        run.submit()
        until(run.is_over)
        outside.tell(run.says())


def upgraded(run, how):
    with Outside(f"a release that sends 1000 cents came while the approval of 10 waited; {how}") as outside:
        first = outside.start("worker", "10")
        run.submit()
        until(run.waits)
        kill(first)
        outside.start("worker", "1000")
        to_the_end(run)
        outside.tell(run.says())


def frozen(run, what):
    with Outside(f"a worker was frozen as {what} was answered, and woke when another had ended the run") as outside:
        held, sleeper = outside.hold(what), outside.start("worker", "10")
        run.submit()
        until(lambda: outside.asked(what))
        freeze(sleeper)
        held.set()
        time.sleep(REPLACED_AFTER_SECONDS)
        outside.start("worker", "10")
        to_the_end(run)
        before, sent = run.says(), len(outside.seen)
        wake(sleeper)
        time.sleep(WATCHED_SECONDS)
        late = [what for what, *_ in outside.seen[sent:]]
        same = "the end is the same" if run.says() == before else f"before it was {before}"
        outside.tell(f"{run.says()}\n  once it woke it sent {late}; {same}")


def to_the_end(run):
    until(lambda: run.waits() or run.is_over())
    run.approve()
    until(run.is_over)
