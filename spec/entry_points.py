"""The authority table as data: which entry point may write which events, and which rule stands behind a refusal."""

from keepfact.spec.vocabulary import EntryPoint, EventType, Reason

MAY_WRITE: dict[EntryPoint, frozenset[EventType]] = {
    EntryPoint.OBSERVE: frozenset(),
    EntryPoint.SUBMIT: frozenset({EventType.ADMITTED}),
    EntryPoint.WORK: frozenset(
        {
            EventType.GRANTED,
            EventType.RELEASED,
            EventType.INTENDED,
            EventType.ANSWERED,
            EventType.LOST,
            EventType.PUBLISHED,
            EventType.SEALED,
            EventType.ENDED,
        }
    ),
    EntryPoint.RECOVER: frozenset({EventType.LOST, EventType.SEALED, EventType.ENDED}),
    EntryPoint.RECONCILE: frozenset({EventType.RECONCILED, EventType.ENDED}),
    # The other doors get their rows with their chapters; until then they may write nothing.
    EntryPoint.CONTINUE: frozenset(),
    EntryPoint.DECIDE: frozenset(),
    EntryPoint.DELIVER: frozenset(),
    EntryPoint.WAKE: frozenset(),
    EntryPoint.CANCEL: frozenset(),
    EntryPoint.GRANT: frozenset(),
    EntryPoint.DEPLOY: frozenset(),
}

RULE_OF: dict[Reason, str] = {
    Reason.RUN_EXISTS: "HISTORY.3",
    Reason.NO_SUCH_RUN: "ENTRY.4",
    Reason.COMMAND_ID_CONFLICT: "ENTRY.6",
    Reason.NOT_QUEUED: "ENTRY.4",
    Reason.NOT_RUNNING: "ENTRY.4",
    Reason.LEASE_LIVE: "FENCE.4",
    Reason.STALE_FENCE: "FENCE.2",
    Reason.LEASE_LAPSED: "FENCE.3",
    Reason.SEALED: "FENCE.6",
    Reason.CALL_OPEN: "SETTLE.5",
    Reason.CALL_NOT_OPEN: "EFFECT.9",
    Reason.NO_SUCH_CALL: "EFFECT.1",
    Reason.CALL_ID_CONFLICT: "EFFECT.3",
    Reason.NOT_SUPERSEDABLE: "HISTORY.7",
    Reason.OVER_BUDGET: "COST.1",
    Reason.NOT_QUALIFIED: "SETTLE.5",
    Reason.ALREADY_RESOLVED: "EFFECT.9",
    Reason.CONTRADICTED: "EFFECT.9",
    Reason.MALFORMED: "ENTRY.5",
}
"""Every refusal names a rule of the book (ENTRY.5)."""
