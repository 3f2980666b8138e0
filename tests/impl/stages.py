"""How far a run has come before a test begins: each stage takes a driver that is new and gives it back."""

from collections.abc import Callable

from keepfact.impl.outcomes import Done, Outcome

from .driving import Driver

Stage = Callable[[Driver], Driver]

SECONDS = 60
"""How long every wait of a stage lasts; longer than a lease."""


def then(before: Stage, *commands: tuple[str, dict[str, object]]) -> Stage:
    """The stage at which these commands were done as well, each with its fields."""

    def after(run: Driver) -> Driver:
        before(run)
        for command, fields in commands:
            done(run.do(command, **fields))  # type: ignore[arg-type]  # tables of cases hold values of many types
        return run

    return after


def done(outcome: Outcome) -> None:
    """A stage that is not reached is a mistake of the test."""
    assert isinstance(outcome, Done), outcome


def new(run: Driver) -> Driver:
    return run


def queued(run: Driver) -> Driver:
    return run.submitted()


def running(run: Driver) -> Driver:
    return run.claimed()


def resuming(run: Driver) -> Driver:
    """Running, under the contract that goes on."""
    return run.claimed(contract="resume")


def lapsed(run: Driver) -> Driver:
    return run.claimed().lapsed()


def resuming_lapsed(run: Driver) -> Driver:
    return resuming(run).lapsed()


released = then(running, ("release", {}))

open_call = then(running, ("intend", {"call": "a"}))
lost_call = then(open_call, ("mark_unknown", {"call": "a"}))
answered_call = then(open_call, ("record_answer", {"call": "a", "answer": "yes", "cost_cents": 3}))
answered_without_amount = then(open_call, ("record_answer", {"call": "a", "answer": "yes", "cost_cents": None}))
not_found_call = then(lost_call, ("reconcile", {"call": "a", "evidence": "not_found", "cost_cents": None}))

open_operation = then(running, ("intend", {"call": "a", "kind": "operation"}))
lost_operation = then(open_operation, ("mark_unknown", {"call": "a"}))
confirmed_operation = then(open_operation, ("record_answer", {"call": "a", "answer": "paid", "cost_cents": 3}))
resuming_lost_operation = then(
    resuming, ("intend", {"call": "a", "kind": "operation"}), ("mark_unknown", {"call": "a"})
)

published = then(running, ("publish", {"body": "b", "qualified": True}))
drafted = then(running, ("publish", {"body": "b", "qualified": False}))
ended = then(published, ("succeed", {}))
failed = then(running, ("fail", {}))
sealed_as_unknown = then(lost_call, ("fail", {}))

spent = then(running, ("intend", {"call": "a", "ceiling_cents": 100}), ("mark_unknown", {"call": "a"}))
"""Nothing of its budget is left."""

cancelling = then(running, ("cancel", {}))
cancelling_open_call = then(open_call, ("cancel", {}))
cancelled_in_queue = then(queued, ("cancel", {}))


def waiting_for(kind: str, seconds: int = SECONDS, **fields: object) -> tuple[str, dict[str, object]]:
    """The command by which a run comes to wait, under the name w."""
    return "wait", {"wait": "w", "kind": kind, "digest": "d", "seconds": seconds, **fields}


def arrives(number: int = 1, kind: str = "callback", digest: str = "came") -> tuple[str, dict[str, object]]:
    """The command by which something comes for the wait w."""
    return "deliver", {"wait": "w", "kind": kind, "number": number, "digest": digest}


def expires(before: Stage) -> Stage:
    """The same stage, so much later that its wait is over."""
    return lambda run: before(run).later(SECONDS)


waiting = then(running, waiting_for("callback"))
waiting_for_two = then(running, waiting_for("callback", arrivals=2))
waiting_for_timer = then(running, waiting_for("timer"))
timer_due = expires(waiting_for_timer)
expired = expires(waiting)
accepted = then(waiting, arrives())
accepted_expired = expires(accepted)
accepted_and_settled = then(accepted_expired, ("recover", {}))
accepted_and_dearer = then(
    lost_call,
    waiting_for("callback"),
    arrives(),
    ("reconcile", {"call": "a", "evidence": "confirmed", "cost_cents": 100}),
)
"""Accepted, but what was unknown has turned out to have cost all that there was."""

waiting_for_two_with_one = then(waiting_for_two, arrives(2))
arrived_early = then(running, arrives())


def woken(run: Driver) -> Driver:
    """Accepted, and granted again under the next fence."""
    return accepted(run).granted("wake", wait="w", worker="w", digest="d")


closed = then(waiting, ("cancel", {}))


def spawned(run: Driver) -> Driver:
    """Running, with a child of its own name in the queue."""
    done(running(run).do("spawn", spawn="s", child=child_of(run).run, budget_cents=10))
    return run


def child_of(run: Driver) -> Driver:
    """The one child of these stages, driven."""
    return Driver(run.store, run.admin, f"{run.run}-child")


def waiting_for_child(run: Driver) -> Driver:
    command, fields = waiting_for("child", child=child_of(spawned(run)).run)
    done(run.do(command, **fields))  # type: ignore[arg-type]  # as above
    return run


def child_ended(run: Driver) -> Driver:
    """Waiting for a child that has failed."""
    child = child_of(waiting_for_child(run)).granted("claim", worker="w")
    done(child.do("fail"))
    return run


def child_sealed(run: Driver) -> Driver:
    """Waiting for a child of which something is still to be found out."""
    child = child_of(waiting_for_child(run)).granted("claim", worker="w")
    done(child.with_call().do("fail"))
    return run
