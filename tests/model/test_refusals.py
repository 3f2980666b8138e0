"""What is refused in the spine, and why: of several reasons the first in order is told."""

from collections.abc import Callable

import pytest

from keepfact.spec.vocabulary import (
    CallKind,
    Command,
    CommandId,
    Contract,
    Evidence,
    Reason,
    Recover,
    Refused,
    Submit,
)

from .play import (
    AGAIN,
    ASK,
    CLAIM,
    OBSERVE,
    PAY,
    RECOVER,
    RUN,
    SUBMIT,
    Play,
    ask,
    fail,
    in_flight,
    intend,
    mark_unknown,
    publish,
    queued,
    reconcile,
    record,
    release,
    renew,
    running,
    sealed,
    succeed,
    unknown,
)

USED = CommandId("used")
AMBIGUOUS, CONFIRMED, NOT_FOUND = Evidence.AMBIGUOUS, Evidence.CONFIRMED, Evidence.NOT_FOUND


def nobody() -> Play:
    return Play()


def used() -> Play:
    """The id `used` belongs to the admission of the run."""
    return Play().do(Submit(USED, RUN, Contract.SETTLE, 10))


def released() -> Play:
    return running().do(release())


def lapsed() -> Play:
    return in_flight().wait()


def taken_over() -> Play:
    """The run is under fence 2."""
    return released().do(CLAIM)


def failed() -> Play:
    return running().do(fail())


def failed_after_release() -> Play:
    return taken_over().do(fail(fence=2))


def answered() -> Play:
    return in_flight().do(record())


def unpriced() -> Play:
    return in_flight().do(record(cost=None))


def not_found() -> Play:
    return unknown().do(reconcile(NOT_FOUND))


def asked() -> Play:
    return running().do(ask())


def asked_in_vain() -> Play:
    return asked().do(mark_unknown(ASK))


def with_body_in_flight() -> Play:
    return in_flight().do(publish())


REFUSALS: list[tuple[Callable[[], Play], Command, Reason]] = [
    # What nobody may say comes first, before the id and the run are looked at.
    (nobody, Submit(USED, RUN, Contract.SETTLE, -1), Reason.MALFORMED),
    (used, Submit(USED, RUN, Contract.SETTLE, -1), Reason.MALFORMED),
    (nobody, intend(ceiling=-1), Reason.MALFORMED),
    (nobody, record(cost=-1), Reason.MALFORMED),
    (nobody, reconcile(CONFIRMED, -1), Reason.MALFORMED),
    (nobody, reconcile(NOT_FOUND, 0), Reason.MALFORMED),
    (nobody, reconcile(AMBIGUOUS, 0), Reason.MALFORMED),
    # Then the command id.
    (used, Submit(USED, RUN, Contract.SETTLE, 11), Reason.COMMAND_ID_CONFLICT),
    (used, Recover(USED, RUN), Reason.COMMAND_ID_CONFLICT),
    # Then the run.
    (queued, SUBMIT, Reason.RUN_EXISTS),
    (failed, SUBMIT, Reason.RUN_EXISTS),
    (nobody, OBSERVE, Reason.NO_SUCH_RUN),
    (nobody, CLAIM, Reason.NO_SUCH_RUN),
    (nobody, renew(), Reason.NO_SUCH_RUN),
    (nobody, RECOVER, Reason.NO_SUCH_RUN),
    (nobody, reconcile(AMBIGUOUS), Reason.NO_SUCH_RUN),
    # A claim.
    (failed, CLAIM, Reason.SEALED),
    (sealed, CLAIM, Reason.SEALED),
    (running, CLAIM, Reason.LEASE_LIVE),
    (lapsed, CLAIM, Reason.NOT_QUEUED),
    # A worker's command: fence, seal, queue, lease; only then what it asks.
    (queued, renew(fence=1), Reason.STALE_FENCE),
    (running, renew(fence=2), Reason.STALE_FENCE),
    (taken_over, renew(fence=1), Reason.STALE_FENCE),
    (failed_after_release, renew(fence=1), Reason.STALE_FENCE),
    (failed, renew(), Reason.SEALED),
    (sealed, record(), Reason.SEALED),
    (released, renew(), Reason.NOT_RUNNING),
    (released, record(), Reason.NOT_RUNNING),
    (lapsed, renew(), Reason.LEASE_LAPSED),
    (lapsed, intend(digest="other"), Reason.LEASE_LAPSED),
    (in_flight, release(), Reason.CALL_OPEN),
    # An intent.
    (in_flight, intend(digest="other", ceiling=99), Reason.CALL_ID_CONFLICT),
    (in_flight, intend(kind=CallKind.ATTEMPT), Reason.CALL_ID_CONFLICT),
    (asked, ask(AGAIN, supersedes=ASK), Reason.NOT_SUPERSEDABLE),
    (asked, intend(AGAIN, supersedes=PAY, ceiling=99), Reason.NOT_SUPERSEDABLE),
    (asked_in_vain, intend(AGAIN, supersedes=ASK), Reason.NOT_SUPERSEDABLE),
    (unknown, ask(AGAIN, supersedes=PAY), Reason.NOT_SUPERSEDABLE),
    (in_flight, intend(ASK, ceiling=7), Reason.OVER_BUDGET),
    (answered, intend(ASK, ceiling=8), Reason.OVER_BUDGET),
    # An answer, or its loss.
    (running, record(), Reason.NO_SUCH_CALL),
    (answered, record(), Reason.CALL_NOT_OPEN),
    (unknown, record(), Reason.CALL_NOT_OPEN),
    (running, mark_unknown(), Reason.NO_SUCH_CALL),
    (unknown, mark_unknown(), Reason.CALL_NOT_OPEN),
    # The end.
    (in_flight, succeed(), Reason.CALL_OPEN),
    (with_body_in_flight, succeed(), Reason.CALL_OPEN),
    (running, succeed(), Reason.NOT_QUALIFIED),
    (failed, fail(), Reason.SEALED),
    # Recovery.
    (failed, RECOVER, Reason.SEALED),
    (sealed, RECOVER, Reason.SEALED),
    (queued, RECOVER, Reason.NOT_RUNNING),
    (released, RECOVER, Reason.NOT_RUNNING),
    (running, RECOVER, Reason.LEASE_LIVE),
    # Evidence.
    (running, reconcile(AMBIGUOUS), Reason.NO_SUCH_CALL),
    (in_flight, reconcile(CONFIRMED, 3), Reason.CALL_OPEN),
    (answered, reconcile(CONFIRMED, 3), Reason.ALREADY_RESOLVED),
    (answered, reconcile(NOT_FOUND), Reason.ALREADY_RESOLVED),
    (not_found, reconcile(AMBIGUOUS), Reason.ALREADY_RESOLVED),
    (unpriced, reconcile(NOT_FOUND), Reason.CONTRADICTED),
]


@pytest.mark.parametrize(
    ("situation", "command", "reason"),
    REFUSALS,
    ids=[f"{situation.__name__}-{type(command).__name__}-{reason}" for situation, command, reason in REFUSALS],
)
def test_the_first_reason_is_told_and_nothing_changes(
    situation: Callable[[], Play], command: Command, reason: Reason
) -> None:
    play = situation()
    before = play.state
    assert play.ask(command) == Refused(reason)
    assert play.state is before
