"""Defects of attempts and operations: something is done twice, or said that nobody knows."""

from .mutation import Mutation

CALLS, LEDGER, RECONCILE = "080_calls.sql", "050_ledger.sql", "110_reconcile.sql"
_LOST = "update keepfact.calls c set state = 'unknown' where"

lost_call_called_failed = Mutation(
    "lost_call_called_failed",
    "A call whose answer was lost is written down as one that never happened.",
    ("EFFECT.5",),
    ((LEDGER, _LOST, "update keepfact.calls c set state = 'not_found' where"),),
)
lost_answer_invented = Mutation(
    "lost_answer_invented",
    "A call whose answer was lost gets one that nobody gave, so that the history looks whole.",
    ("EFFECT.5",),
    ((LEDGER, _LOST, "update keepfact.calls c set state = 'confirmed', answer = 'error' where"),),
)
sealed_run_dispatches = Mutation(
    "sealed_run_dispatches",
    "The holder of the current fence may send although the run is sealed.",
    ("FENCE.7",),
    (
        (
            CALLS,
            "  answer := keepfact.refused(keepfact.guard_work(held, fence));\n",
            "  answer := keepfact.refused(nullif(keepfact.guard_work(held, fence), 'sealed'));\n",
        ),
    ),
)
other_arguments_let_through = Mutation(
    "other_arguments_let_through",
    "The id alone decides: a second request under it, with other arguments, is taken for the first.",
    ("EFFECT.3",),
    ((CALLS, "if known.kind = kind and known.digest = digest then", "if known.call is not null then"),),
)
old_evidence_counts = Mutation(
    "old_evidence_counts",
    "What a tool was asked before a call was sent once more is taken for evidence about the later request.",
    ("EFFECT.7",),
    ((RECONCILE, "    when sends <> known.sends then 'stale_evidence'\n", ""),),
)
ambiguous_taken_for_not_found = Mutation(
    "ambiguous_taken_for_not_found",
    "An error on lookup is read as proof that nothing happened.",
    ("EFFECT.6",),
    ((RECONCILE, "  elsif evidence = 'not_found' then\n", "  elsif evidence <> 'confirmed' then\n"),),
)
