"""B08: the position of a run is durable before the result that it rests on, so that a step is done again."""

from keepfact.spec.vocabulary import Contract, RecordAnswer, Recover

from ..regression import Regression
from ..told import (
    CALL,
    CEILING_CENTS,
    FIRST,
    ID,
    RUN,
    SECOND,
    SUCCESSOR,
    Told,
    done,
    fault,
    finishes,
    in_flight,
    intend,
    lapses,
    refused,
    unheard,
)


def dies_after_its_answer(lease_seconds: int) -> tuple[Told, ...]:
    """The answer was recorded, though the worker did not hear so; whoever takes the run up finds it."""
    return (
        *in_flight(Contract.RESUME),
        unheard(RecordAnswer(ID, RUN, FIRST, CALL, "paid", CEILING_CENTS)),
        lapses(lease_seconds),
        fault(done(Recover(ID, RUN, SUCCESSOR))),
        fault(done(intend(SECOND))),
        fault(refused(intend(SECOND, "digest of something else"))),
        fault(refused(RecordAnswer(ID, RUN, SECOND, CALL, "paid again", CEILING_CENTS))),
        *finishes(SECOND),
    )


REGRESSION = Regression(
    case="B08",
    name="b08_a_result_behind_its_checkpoint",
    fault="The worker dies as the answer of a call becomes durable, and another takes the run up where it stands.",
    rules=("EFFECT.9", "SETTLE.7"),
    defects=("answer_told_but_not_stored",),
    stories=(dies_after_its_answer,),
    contracts=(Contract.RESUME,),
    not_shown=(
        "A worker that is killed between the two writes, in either order, is told by model_returned_then_killed.",
    ),
)
