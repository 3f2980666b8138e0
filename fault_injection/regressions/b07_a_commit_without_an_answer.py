"""B07: the connection dies at the commit, and nobody knows whether it took place; repeated, it may not happen twice."""

from dataclasses import replace

from keepfact.spec.vocabulary import CommandId, Contract, Publish, Succeed

from ..regression import Regression
from ..told import (
    FIRST,
    ID,
    RUN,
    Told,
    done,
    fault,
    intend,
    never_arrives,
    refused,
    running,
    unheard,
)

TOLD, HEARD, LOST = CommandId("answer-lost"), CommandId("answer-heard"), CommandId("request-lost")


def answer_lost(lease_seconds: int) -> tuple[Told, ...]:
    """It was committed, and is asked once more under its id."""
    published = Publish(TOLD, RUN, FIRST, "all that was wanted", True)
    return (
        *running(Contract.SETTLE),
        fault(unheard(published)),
        done(published),
        done(Succeed(ID, RUN, FIRST)),
        done(published),
    )


def answer_heard(lease_seconds: int) -> tuple[Told, ...]:
    """It was committed and answered, and whoever asked asks once more all the same."""
    published = Publish(HEARD, RUN, FIRST, "all that was wanted", True)
    return (*running(Contract.SETTLE), done(published), fault(done(published)))


def request_lost(lease_seconds: int) -> tuple[Told, ...]:
    """It was not committed, so asked again under its id it is done, once."""
    intent = replace(intend(), command_id=LOST)
    return (
        *running(Contract.SETTLE),
        fault(never_arrives(intent)),
        done(intent),
        done(intent),
        refused(intend(digest="digest of something else")),
    )


REGRESSION = Regression(
    case="B07",
    name="b07_a_commit_without_an_answer",
    fault="The answer to a commit is lost, or the commit itself, and the command is repeated under its own id.",
    rules=("ENTRY.6", "EFFECT.1"),
    defects=("command_ids_forgotten",),
    stories=(answer_lost, answer_heard, request_lost),
    contracts=(Contract.SETTLE,),
    not_shown=("That a driver repeats a COMMIT on another session is shown where the database's answer is cut.",),
)
