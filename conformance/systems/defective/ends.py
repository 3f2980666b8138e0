"""Defects of how runs end, and of what their histories say."""

from .mutation import Mutation

COMMANDS, LEDGER, OUTCOME, RECOVER = "040_commands.sql", "050_ledger.sql", "090_ends.sql", "100_recover.sql"
RECONCILE, HISTORY, OBSERVE = "110_reconcile.sql", "030_history.sql", "120_observe.sql"
_SETTLED = "  perform keepfact.seal(held.run, final, 'recover', held.fence);\n"

end_overwritten = Mutation(
    "end_overwritten",
    "The last finish wins: a run that ended is ended again by its old worker.",
    ("FENCE.6", "FENCE.8"),
    ((COMMANDS, "    when keepfact.is_sealed(held) then 'sealed'\n", ""),),
)
success_without_a_body = Mutation(
    "success_without_a_body",
    "The worker says that it is finished, and that is taken for a result.",
    ("SETTLE.5",),
    ((OUTCOME, "      when not keepfact.has_qualified_publication(run) then 'not_qualified'\n", ""),),
)
failure_told_as_interruption = Mutation(
    "failure_told_as_interruption",
    "Two causes share one status: a run that failed looks like one whose worker died.",
    ("SETTLE.9",),
    ((OUTCOME, "keepfact.seal(run, 'failed', 'work', fence,", "keepfact.seal(run, 'interrupted', 'work', fence,"),),
)
interrupted_at_once = Mutation(
    "interrupted_at_once",
    "Recovery writes an end although a call is still unresolved.",
    ("SETTLE.1",),
    ((LEDGER, "boolean := keepfact", "boolean := final = 'interrupted' or keepfact"),),
)
settled_twice = Mutation(
    "settled_twice",
    "A settler that comes second settles once more what the first had left unknown.",
    ("SETTLE.2",),
    (
        (
            RECOVER,
            "    when keepfact.is_sealed(held) then 'sealed'\n",
            "    when keepfact.is_sealed(held) and held.state <> 'unknown' then 'sealed'\n",
        ),
    ),
)
recovery_clears_the_body = Mutation(
    "recovery_clears_the_body",
    "Recovery cleans up, and what had been published is gone.",
    ("SETTLE.3",),
    ((RECOVER, _SETTLED, "  delete from keepfact.publications p where p.run = held.run;\n" + _SETTLED),),
)
recovery_signs_as_worker = Mutation(
    "recovery_signs_as_worker",
    "Recovery writes under the worker's name, so that nobody can tell who ended the run.",
    ("ENTRY.2",),
    ((RECOVER, _SETTLED, _SETTLED.replace("'recover'", "'work'")),),
)
partial_body_delivered_as_whole = Mutation(
    "partial_body_delivered_as_whole",
    "The body of a run that was interrupted is handed over as if it were the result.",
    ("SETTLE.4",),
    ((OBSERVE, "'partial', shown.state <> 'succeeded'", "'partial', false"),),
)
evidence_ends_nothing = Mutation(
    "evidence_ends_nothing",
    "The last evidence comes in, and the run stays unknown for ever.",
    ("SETTLE.6",),
    ((RECONCILE, "  if held.state = 'unknown' and", "  if false and"),),
)
events_not_chained = Mutation(
    "events_not_chained",
    "Each event has a digest of its own, but says nothing of the one before it.",
    ("HISTORY.2",),
    ((HISTORY, "payload_digest, previous_digest],", "payload_digest, null],"),),
)
