"""Situations in which something is refused: what has become of a run, told by name."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    Drift,
    Drifted,
    Evidence,
    WaitKind,
)

from .beyond import (
    CANCEL,
    CHILD,
    FOR_CHILD,
    LARGE,
    MIGRATE,
    NEXT,
    REQUEST,
    RESUME,
    SECONDS,
    TIMER,
    approved,
    asked,
    continued,
    decide,
    deliver,
    deploy,
    intend_as_approved,
    intend_to_ask_again,
    left_with,
    publish_text,
    resuming,
    retire,
    revoke,
    save,
    send_again,
    wait_for,
    waiting,
    with_child,
)
from .play import (
    ASK,
    CLAIM,
    RECOVER,
    SUBMIT,
    Play,
    fail,
    in_flight,
    intend,
    mark_unknown,
    reconcile,
    record,
    renew,
    running,
    unknown,
)


def nobody() -> Play:
    return Play()


def failed() -> Play:
    return running().do(fail())


def spent() -> Play:
    """More than the budget is known to be spent."""
    return in_flight().do(record(cost=10))


def accepted() -> Play:
    return waiting().do(deliver())


def accepted_and_spent() -> Play:
    """The report is here, but evidence about an old call has used up what was left."""
    return unknown().do(wait_for(), deliver(), reconcile(Evidence.CONFIRMED, 10))


def expired() -> Play:
    return waiting().wait(SECONDS)


def cancelled_while_waiting() -> Play:
    return waiting().do(CANCEL)


def at_timer() -> Play:
    return running().do(wait_for(TIMER, WaitKind.TIMER))


def at_child() -> Play:
    return with_child().do(wait_for(FOR_CHILD, WaitKind.CHILD, child=CHILD))


def decided() -> Play:
    return asked().do(decide())


def asked_too_long_ago() -> Play:
    return asked().wait(SECONDS)


def asked_before_a_cancellation() -> Play:
    return asked().do(CANCEL)


def asked_and_recovered() -> Play:
    """Nobody decided in time."""
    return asked_too_long_ago().do(RECOVER)


def no_longer_permitted() -> Play:
    return asked().meet(Drifted(Drift.PERMISSION))


def permission_revoked() -> Play:
    return approved().meet(Drifted(Drift.PERMISSION))


def drifted() -> Play:
    return approved().meet(Drifted(Drift.RESOURCE))


def approved_long_ago() -> Play:
    return approved().wait(20).do(renew(2)).wait(20).do(renew(2)).wait(20).do(renew(2))


def paid() -> Play:
    """The approval was used."""
    return approved().do(intend_as_approved(), record(fence=2))


def not_found() -> Play:
    return running().do(intend_to_ask_again(), mark_unknown(), reconcile(Evidence.NOT_FOUND))


def not_found_and_spent() -> Play:
    return not_found().do(intend(ASK, ceiling=8))


def sent_as_often_as_may_be() -> Play:
    return not_found().do(send_again(), mark_unknown(), reconcile(Evidence.NOT_FOUND))


def lost_twice() -> Play:
    return not_found().do(send_again(), mark_unknown())


def paid_once() -> Play:
    return in_flight().do(record())


def resuming_after_a_loss() -> Play:
    return resuming().do(intend()).wait().do(RESUME)


def lapsed_resuming() -> Play:
    return resuming().wait()


def requested() -> Play:
    return Play().do(replace(SUBMIT, request=REQUEST))


def requested_and_failed() -> Play:
    return requested().do(CLAIM, fail())


def migrating() -> Play:
    return running().do(MIGRATE)


def deployed() -> Play:
    return running().do(deploy())


def retired() -> Play:
    return failed().do(deploy(), retire())


def with_note() -> Play:
    return running().do(save())


def inherited() -> Play:
    return left_with(save()).do(continued(), replace(CLAIM, run=NEXT))


def revoked() -> Play:
    return inherited().do(revoke())


def with_a_large_body() -> Play:
    return running().do(publish_text(LARGE))
