"""B20: only the record of the parent is cancelled; its children go on, and what they finish late is written or lost."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    Act,
    CallId,
    CallKind,
    Cancel,
    Capability,
    Claim,
    Contract,
    Intend,
    RecordAnswer,
    RunId,
    Spawn,
    SpawnId,
    Stop,
    Succeed,
)

from ..regression import Regression
from ..told import ARGUMENTS, CEILING_CENTS, FIRST, ID, RUN, SUCCESSOR, Told, done, fault, happens, refused, running

CHILD, SPAWNED = RunId("child"), SpawnId("part-of-it")


def child_at_work(lease_seconds: int) -> tuple[Told, ...]:
    """A child has a call in flight as its parent is asked to stop."""
    call = Intend(ID, CHILD, FIRST, CallId("pay-for-the-child"), CallKind.OPERATION, ARGUMENTS, CEILING_CENTS)
    another = replace(call, call=CallId("and-once-more"))
    return (
        *running(Contract.SETTLE),
        done(Spawn(ID, RUN, FIRST, SPAWNED, CHILD, CEILING_CENTS)),
        done(Claim(ID, CHILD, SUCCESSOR)),
        done(call),
        happens(Act(CHILD, call.call, CEILING_CENTS)),
        fault(done(Cancel(ID, RUN))),
        fault(refused(another)),
        fault(done(RecordAnswer(ID, CHILD, FIRST, call.call, "paid", CEILING_CENTS))),
        fault(refused(Succeed(ID, CHILD, FIRST))),
        done(Stop(ID, CHILD, FIRST)),
        fault(refused(Succeed(ID, CHILD, FIRST))),
        done(Stop(ID, RUN, FIRST)),
        fault(refused(Succeed(ID, CHILD, FIRST))),
        fault(refused(Succeed(ID, RUN, FIRST))),
    )


REGRESSION = Regression(
    case="B20",
    name="b20_a_cancellation_that_does_not_stick",
    fault="A run is asked to stop while a child of it has a call in flight; the child goes on, answers and finishes.",
    rules=("CANCEL.1", "CANCEL.2", "WAKE.11"),
    defects=("cancel_ends_the_parent_record_only", "answer_dropped_after_cancelling"),
    stories=(child_at_work,),
    contracts=(Contract.SETTLE,),
    needs=frozenset({Capability.CANCELLING, Capability.CHILDREN}),
)
