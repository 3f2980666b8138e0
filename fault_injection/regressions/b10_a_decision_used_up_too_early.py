"""B10: taking up a decision uses it up before what it unlocks is durable; then nobody remembers that it was given."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    Act,
    CallId,
    CallKind,
    Capability,
    Contract,
    Evidence,
    Fence,
    Intend,
    MarkUnknown,
    Reconcile,
    RecordAnswer,
    Recover,
)

from ..regression import Regression
from ..told import (
    ARGUMENTS,
    CALL,
    CEILING_CENTS,
    ID,
    RUN,
    SECOND,
    SUCCESSOR,
    WORKER,
    Told,
    approved,
    approved_intent,
    decide,
    done,
    fault,
    happens,
    lapses,
    refused,
    unheard,
    wake,
)


def dies_after_its_wake(lease_seconds: int) -> tuple[Told, ...]:
    """The worker that took the decision up dies at once, and the person's client repeats it."""
    return (
        *approved(Contract.RESUME, 3 * lease_seconds),
        fault(unheard(wake(WORKER))),
        lapses(lease_seconds),
        fault(done(decide())),
        done(Recover(ID, RUN, SUCCESSOR)),
        fault(done(decide())),
        fault(refused(decide(approved=False))),
        done(approved_intent(Fence(3))),
    )


def the_next_attempt_fails(lease_seconds: int) -> tuple[Told, ...]:
    """What was approved was done, the model then fails, and the person's client repeats the decision: it is read, what
    was done is not done again, and the attempt alone is made anew.
    """
    attempt = Intend(ID, RUN, SECOND, CallId("ask-the-model"), CallKind.ATTEMPT, ARGUMENTS, CEILING_CENTS)
    anew = replace(attempt, call=CallId("ask-it-anew"), supersedes=attempt.call)
    return (
        *approved(Contract.RESUME, 3 * lease_seconds),
        done(wake(WORKER)),
        done(approved_intent()),
        happens(Act(RUN, CALL, CEILING_CENTS)),
        done(RecordAnswer(ID, RUN, SECOND, CALL, "paid", CEILING_CENTS)),
        done(attempt),
        done(MarkUnknown(ID, RUN, SECOND, attempt.call)),
        done(Reconcile(ID, RUN, attempt.call, Evidence.NOT_FOUND, None)),
        fault(done(decide())),
        fault(refused(wake(SUCCESSOR))),
        fault(refused(replace(approved_intent(), call=CallId("pay-once-more")))),
        fault(refused(RecordAnswer(ID, RUN, SECOND, CALL, "paid again", CEILING_CENTS))),
        done(anew),
    )


REGRESSION = Regression(
    case="B10",
    name="b10_a_decision_used_up_too_early",
    fault="The worker dies after it has taken a decision up, before it did anything, and the decision is repeated.",
    rules=("WAKE.10", "APPROVAL.5", "APPROVAL.6"),
    defects=("decision_used_up_by_the_wake",),
    stories=(dies_after_its_wake, the_next_attempt_fails),
    contracts=(Contract.RESUME,),
    needs=frozenset({Capability.WAITS, Capability.APPROVALS}),
)
