"""Whatever the perfect system does, no other may refuse for a reason that is not so."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from keepfact.model.scopes import SCOPES
from keepfact.model.walker import Walker
from keepfact.spec.book import BOOK
from keepfact.spec.vocabulary import Decide, Deliver, Done, EndMigration, ReadMaterial, Reason, Refused, Step

EDGES_MAX, ALIKE_MAX = 4_000, 3
NOT_SHOWN = {Reason.COMMAND_ID_CONFLICT, Reason.NOT_ALLOWED}
"""Whether an id was used, and who asked, a step does not always show; lockstep and TENANT.2 know it."""
MAY_PASS = {
    (ReadMaterial, Reason.NOT_READABLE),  # who continued is not shown
    (EndMigration, Reason.OLD_WORKER_LIVE),  # for which tables a worker is written is not shown
    (Deliver, Reason.NO_SUCH_WAIT),  # what comes too late for a run that never waited so wakes nobody either way
    (Deliver, Reason.NOT_DUE),
    (Deliver, Reason.ARRIVAL_CONFLICT),  # the same arrival under another kind of wait
    # The same decision again, but on something else that was shown, may be read or refused.
    *((Decide, reason) for reason in (Reason.ALREADY_DECIDED, Reason.EXPIRED, Reason.NOT_PERMITTED, Reason.SEALED)),
    *((Decide, reason) for reason in (Reason.SHOWN_DIFFERS, Reason.WAIT_CLOSED)),
}


def done() -> Iterator[Step]:
    """Steps in which a command was done: some of each kind, state of its run and scope."""
    alike: Counter[object] = Counter()
    for scope in SCOPES:
        for _, edge, _ in islice(Walker(scope).edges(), EDGES_MAX):
            if isinstance(edge.outcome, Done) and edge.repeats is None:
                kind = type(edge.cause), edge.old and edge.old.state, scope.name
                alike[kind] += 1
                if alike[kind] <= ALIKE_MAX:
                    yield edge


def refused(edge: Step, reason: Reason) -> Step:
    """The same command, refused for this reason instead."""
    shown, truth = edge.before, edge.truth_before
    return Step(shown, edge.cause, Refused(reason), shown, truth, truth, session=edge.session)


def test_what_can_be_done_is_not_refused_for_a_reason_that_is_not_so() -> None:
    passed = set()
    for edge in done():
        rules = [rule for rule in BOOK.rules if rule.is_about(type(edge.cause))]
        for reason in set(Reason) - NOT_SHOWN:
            step = refused(edge, reason)
            if not any(rule.holds(step) is False for rule in rules):
                passed.add((type(edge.cause), reason))
    assert passed <= MAY_PASS
