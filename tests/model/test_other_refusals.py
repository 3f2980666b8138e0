"""What is refused beyond the spine, and why; together with the spine's refusals, every reason there is."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from keepfact.spec.vocabulary import (
    FIRST_BUNDLE,
    FORMAT,
    LATEST,
    TEXT_MAX,
    Asking,
    Branch,
    CallId,
    Command,
    Drift,
    Drifted,
    EntryPoint,
    Evidence,
    MaterialId,
    Reason,
    Refused,
    RunId,
    SpawnId,
    Undo,
    WaitKind,
)

from . import beyond
from .beyond import (
    ASKED,
    ASKED_ANEW,
    BUNDLE,
    CANCEL,
    CHILD,
    DIGEST_OF_LARGE,
    DRAFT,
    END_MIGRATION,
    FOR_CHILD,
    LARGE,
    MIGRATE,
    NEXT,
    NOTE,
    REPORT,
    REQUEST,
    RESUME,
    SECONDS,
    STRANGERS,
    TIMER,
    answer_text,
    asking,
    assess,
    compensate,
    continued,
    decide,
    deliver,
    deploy,
    intend_as_approved,
    intend_to_ask_again,
    left_with,
    look_up,
    mark,
    publish_text,
    purge,
    read,
    request_approval,
    retire,
    revoke,
    save,
    send_again,
    spawn,
    stop,
    wait_for,
    wake,
)
from .play import (
    ASK,
    CLAIM,
    RECOVER,
    RUN,
    SUBMIT,
    Play,
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
from .test_refusals import REFUSALS

Situation = Callable[[], Play]
waiting, woken, asked, approved, denied = beyond.waiting, beyond.woken, beyond.asked, beyond.approved, beyond.denied
cancelling, with_child, resuming = beyond.cancelling, beyond.with_child, beyond.resuming


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


OTHERS: list[tuple[Situation, Command | Asking, Reason]] = [
    # Admission, and what a run is pinned to.
    (queued, replace(SUBMIT, run=NEXT, bundle=BUNDLE), Reason.NO_SUCH_BUNDLE),
    (retired, replace(SUBMIT, run=NEXT, bundle=FIRST_BUNDLE), Reason.NO_SUCH_BUNDLE),
    (requested, replace(SUBMIT, run=NEXT, request=REQUEST), Reason.REQUEST_TAKEN),
    (requested_and_failed, continued(request=REQUEST), Reason.REQUEST_TAKEN),
    (queued, replace(CLAIM, supports=(BUNDLE,)), Reason.UNSUPPORTED_BUNDLE),
    (queued, replace(CLAIM, schema=2), Reason.UNSUPPORTED_SCHEMA),
    # Texts.
    (running, publish_text("half \ud800 of a letter"), Reason.UNSTORABLE),
    (running, publish_text("x" * (TEXT_MAX + 1)), Reason.UNSTORABLE),
    (in_flight, answer_text("nul \0"), Reason.UNSTORABLE),
    (running, purge("digest"), Reason.NO_SUCH_PAYLOAD),
    (with_a_large_body, purge(DIGEST_OF_LARGE), Reason.PAYLOAD_NEEDED),
    # Sending again, and undoing.
    (running, send_again(), Reason.NO_SUCH_CALL),
    (in_flight, send_again(), Reason.NOT_SENDABLE),
    (unknown, send_again(), Reason.NOT_SENDABLE),
    (paid_once, send_again(), Reason.NOT_SENDABLE),
    (sent_as_often_as_may_be, send_again(), Reason.SENDS_SPENT),
    (not_found_and_spent, send_again(), Reason.OVER_BUDGET),
    (running, look_up(), Reason.NO_SUCH_CALL),
    (running, intend_to_ask_again(sends_max=0), Reason.MALFORMED),
    (in_flight, compensate(), Reason.NOT_COMPENSABLE),
    (unknown, compensate(), Reason.NOT_COMPENSABLE),
    (paid_once, compensate(undo=None), Reason.NOT_COMPENSABLE),
    (paid_once, compensate(CallId("no such call")), Reason.NOT_COMPENSABLE),
    (paid_once, replace(intend(ASK), undo=Undo.REVERSIBLE), Reason.MALFORMED),
    # Children, and what is said of an end.
    (with_child, spawn(NEXT), Reason.SPAWN_CONFLICT),
    (with_child, spawn(spawn=SpawnId("another")), Reason.RUN_EXISTS),
    (running, spawn(RUN), Reason.RUN_EXISTS),
    (running, spawn(budget=-1), Reason.MALFORMED),
    (running, assess(), Reason.NOT_ENDED),
    (sealed, assess(), Reason.NOT_ENDED),
    # Waiting.
    (in_flight, wait_for(), Reason.CALL_OPEN),
    (spent, wait_for(), Reason.BUDGET_SPENT),
    (woken, wait_for(fence=2), Reason.WAIT_EXISTS),
    (waiting, wait_for(TIMER, WaitKind.TIMER), Reason.NOT_RUNNING),
    (running, wait_for(ASKED, WaitKind.APPROVAL), Reason.MALFORMED),
    (running, wait_for(arrivals=0), Reason.MALFORMED),
    (with_child, wait_for(FOR_CHILD, WaitKind.CHILD, child=NEXT), Reason.NO_SUCH_RUN),
    (waiting, CLAIM, Reason.NOT_QUEUED),
    (waiting, RECOVER, Reason.NOT_RUNNING),
    # What arrives.
    (running, deliver(wait=TIMER, kind=WaitKind.TIMER), Reason.NO_SUCH_WAIT),
    (waiting, deliver(kind=WaitKind.TIMER), Reason.NO_SUCH_WAIT),
    (asked, deliver(wait=ASKED), Reason.NO_SUCH_WAIT),
    (asked, deliver(wait=ASKED, kind=WaitKind.APPROVAL), Reason.NO_SUCH_WAIT),
    (failed, deliver(wait=ASKED, kind=WaitKind.APPROVAL), Reason.NO_SUCH_WAIT),
    (at_timer, deliver(wait=TIMER, kind=WaitKind.TIMER), Reason.NOT_DUE),
    (at_child, deliver(wait=FOR_CHILD, kind=WaitKind.CHILD), Reason.NOT_DUE),
    (accepted, deliver(digest="another report"), Reason.ARRIVAL_CONFLICT),
    (waiting, deliver(2), Reason.MALFORMED),
    (waiting, deliver(0), Reason.MALFORMED),
    # The door back.
    (failed, wake(), Reason.SEALED),
    (running, wake(), Reason.NO_SUCH_WAIT),
    (woken, wake(), Reason.WAKE_CONSUMED),
    (cancelled_while_waiting, wake(), Reason.WAIT_CLOSED),
    (accepted, wake(of_format=FORMAT + 1), Reason.UNSUPPORTED_FORMAT),
    (accepted, wake(supports=()), Reason.UNSUPPORTED_BUNDLE),
    (accepted, wake(digest="another request"), Reason.DIGEST_DIFFERS),
    (expired, wake(), Reason.EXPIRED),
    (waiting, wake(), Reason.NOT_ACCEPTED),
    (accepted_and_spent, wake(), Reason.BUDGET_SPENT),
    # Approvals.
    (in_flight, request_approval(), Reason.CALL_ID_CONFLICT),
    (approved, request_approval(ASKED_ANEW, fence=2), Reason.ALREADY_APPROVED),
    (denied, request_approval(ASKED_ANEW, fence=2), Reason.DENIED),
    (running, decide(), Reason.NO_SUCH_WAIT),
    (waiting, decide(wait=REPORT), Reason.NO_SUCH_WAIT),
    (decided, decide(approved=False), Reason.ALREADY_DECIDED),
    (asked_before_a_cancellation, decide(), Reason.WAIT_CLOSED),
    (asked_and_recovered, decide(), Reason.WAIT_CLOSED),
    (asked_too_long_ago, decide(), Reason.EXPIRED),
    (asked, decide(digest="other arguments"), Reason.SHOWN_DIFFERS),
    (no_longer_permitted, decide(), Reason.NOT_PERMITTED),
    (approved, intend_as_approved(wait=None), Reason.NOT_APPROVED),
    (approved, intend_as_approved(ASK), Reason.NOT_APPROVED),
    (denied, intend_as_approved(), Reason.DENIED),
    (denied, intend_as_approved(wait=None), Reason.DENIED),
    (approved_long_ago, intend_as_approved(), Reason.EXPIRED),
    (permission_revoked, intend_as_approved(), Reason.NOT_PERMITTED),
    (drifted, intend_as_approved(), Reason.DRIFTED),
    (approved, intend_as_approved(digest="other arguments"), Reason.DRIFTED),
    (paid, intend_as_approved(ASK), Reason.NOT_APPROVED),
    # Cancelling.
    (failed, CANCEL, Reason.SEALED),
    (cancelling, CANCEL, Reason.CANCELLING),
    (cancelling, intend(ASK), Reason.CANCELLING),
    (cancelling, publish(), Reason.CANCELLING),
    (cancelling, succeed(), Reason.CANCELLING),
    (cancelling, fail(), Reason.CANCELLING),
    (cancelling, release(), Reason.CANCELLING),
    (cancelling, wait_for(), Reason.CANCELLING),
    (cancelling, CLAIM, Reason.LEASE_LIVE),
    (cancelling, RECOVER, Reason.LEASE_LIVE),
    (cancelling, stop(), Reason.CALL_OPEN),
    (running, stop(), Reason.NOT_CANCELLING),
    (cancelled_while_waiting, CLAIM, Reason.NOT_QUEUED),
    # Going on after a worker was lost.
    (resuming_after_a_loss, intend(ASK, fence=2), Reason.UNRESOLVED),
    (resuming_after_a_loss, spawn(fence=2), Reason.UNRESOLVED),
    (lapsed_resuming, RECOVER, Reason.MALFORMED),
    (lapsed_resuming, replace(RESUME, supports=()), Reason.UNSUPPORTED_BUNDLE),
    (lapsed_resuming, replace(RESUME, seen_fence=0), Reason.STALE_FENCE),
    # Releases.
    (running, deploy(replayed=0), Reason.NOT_REPLAYED),
    (running, deploy(diverged=1), Reason.DIVERGED),
    (running, deploy(replayed=-1), Reason.MALFORMED),
    (deployed, deploy(), Reason.MALFORMED),
    (running, deploy(LATEST), Reason.MALFORMED),
    (running, retire(BUNDLE), Reason.NO_SUCH_BUNDLE),
    (running, retire(), Reason.BUNDLE_NEEDED),
    (sealed, retire(), Reason.BUNDLE_NEEDED),
    (running, mark(Branch.NEW), Reason.WRONG_BRANCH),
    (migrating, MIGRATE, Reason.MIGRATING),
    (running, END_MIGRATION, Reason.NOT_MIGRATING),
    (migrating, END_MIGRATION, Reason.OLD_WORKER_LIVE),
    # Findings, and continuing.
    (with_note, save(), Reason.MATERIAL_EXISTS),
    (running, save(DRAFT, derived_from=(NOTE,)), Reason.NO_SUCH_MATERIAL),
    (running, save(DRAFT, replaces=NOTE), Reason.NO_SUCH_MATERIAL),
    (inherited, read(MaterialId("never saved")), Reason.NO_SUCH_MATERIAL),
    (with_note, read(run=RUN), Reason.NO_SUCH_MATERIAL),
    (revoked, read(), Reason.NOT_READABLE),
    (running, revoke(), Reason.NO_SUCH_GRANT),
    (running, continued(), Reason.NOT_ENDED),
    (failed, continued(RUN), Reason.RUN_EXISTS),
    (failed, continued(source=RunId("nobody")), Reason.NO_SUCH_RUN),
    # Who asks.
    (running, asking(CANCEL, door=EntryPoint.WORK), Reason.NOT_ALLOWED),
    (nobody, asking(CANCEL, door=EntryPoint.WORK), Reason.NOT_ALLOWED),
    (running, asking(CANCEL, tenant=STRANGERS), Reason.NO_SUCH_RUN),
    (queued, asking(SUBMIT, tenant=STRANGERS), Reason.NO_SUCH_RUN),
    (failed, asking(continued(), tenant=STRANGERS), Reason.NO_SUCH_RUN),
]


@pytest.mark.parametrize(
    ("situation", "command", "reason"),
    OTHERS,
    ids=[f"{situation.__name__}-{type(command).__name__}-{reason}" for situation, command, reason in OTHERS],
)
def test_the_first_reason_is_told_and_nothing_changes(
    situation: Situation, command: Command | Asking, reason: Reason
) -> None:
    play = situation()
    before = play.state
    refused = play.ask(command)
    assert isinstance(refused, Refused)
    assert refused.reason is reason
    assert play.state is before


NEVER_GIVEN = {Reason.APPROVAL_USED}
"""An approval is about one call id here, and a second intent of that id is the first one again."""


def test_every_reason_is_seen() -> None:
    assert {reason for _, _, reason in (*REFUSALS, *OTHERS)} == set(Reason) - NEVER_GIVEN
