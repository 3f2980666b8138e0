"""Defects of how runs end, and of what recovery makes of them."""

from .mutation import Mutation

COMMANDS, LEDGER, OUTCOME, RECOVER = "040_commands.sql", "050_ledger.sql", "090_ends.sql", "100_recover.sql"
DECIDE, RECONCILE, OBSERVE = "106_decide.sql", "110_reconcile.sql", "120_observe.sql"
_SETTLED = "  perform keepfact.seal(held.run, final, 'recover', held.fence);\n"

end_overwritten = Mutation(
    "end_overwritten",
    "The last finish wins: a run that ended is ended again by its old worker.",
    ("FENCE.6", "FENCE.8"),
    (
        (COMMANDS, "    when keepfact.is_sealed(held) then 'sealed'\n", ""),
        (
            COMMANDS,
            "    when held.lease_until is null then 'not_running'\n",
            "    when held.lease_until is null and not keepfact.is_sealed(held) then 'not_running'\n",
        ),
    ),
    reported=("B05",),
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
bad_result_fails_the_run = Mutation(
    "bad_result_fails_the_run",
    "A run whose result is found to be bad is called failed, although its worker did finish.",
    ("FENCE.6", "EFFECT.10"),
    (
        (
            DECIDE,
            "update keepfact.runs r set assessment = good where",
            "update keepfact.runs r set assessment = good, state = case when good then r.state else 'failed' end where",
        ),
    ),
)
unqualified_body_delivered = Mutation(
    "unqualified_body_delivered",
    "Whatever was published last is handed over, validated or not.",
    ("SETTLE.4",),
    (
        (
            OBSERVE,
            "p.run = shown.run and p.qualified and keepfact.is_sealed(shown)",
            "p.run = shown.run and keepfact.is_sealed(shown)",
        ),
    ),
)
evidence_comes_too_late = Mutation(
    "evidence_comes_too_late",
    "The run is sealed, so what its tool says afterwards of a call that was given up is turned away.",
    ("SETTLE.6", "EFFECT.6"),
    (
        (
            RECONCILE,
            "    when not known.unresolved then 'already_resolved'\n",
            "    when not known.unresolved or keepfact.is_sealed(held) then 'already_resolved'\n",
        ),
    ),
    reported=("B03",),
)
unknown_operation_passed_over = Mutation(
    "unknown_operation_passed_over",
    "The next worker goes on past an operation of which nobody knows whether it acted.",
    ("SETTLE.7",),
    (
        (
            LEDGER,
            "held.contract = 'resume' and held.unknown_operations > 0",
            "held.contract = 'resume' and held.unknown_operations > 1",
        ),
    ),
)
lost_call_stays_pending = Mutation(
    "lost_call_stays_pending",
    "The next worker finds a call in flight whose answer can come to nobody any more, and waits for it.",
    ("SETTLE.7", "SETTLE.8"),
    (
        (
            RECOVER,
            "  perform keepfact.lose_open_calls(held.run, 'recover', held.fence);\n  return keepfact.grant_lease",
            "  return keepfact.grant_lease",
        ),
    ),
)
losses_told_again = Mutation(
    "losses_told_again",
    "Recovery reports every call that is unknown as lost, also those that had been reported before.",
    ("SETTLE.8",),
    (
        (
            LEDGER,
            "c.run = lose_open_calls.run and c.state = 'open'",
            "c.run = lose_open_calls.run and c.state in ('open', 'unknown')",
        ),
    ),
)
cancelling_runs_passed_over = Mutation(
    "cancelling_runs_passed_over",
    "A run that was asked to stop is left to its worker, also when there is none.",
    ("SETTLE.10",),
    (
        (
            RECOVER,
            "coalesce(keepfact.seconds_left(held.lease_until), 0) = 0 then",
            "keepfact.seconds_left(held.lease_until) = 0 then",
        ),
    ),
)
expired_waits_passed_over = Mutation(
    "expired_waits_passed_over",
    "A run waits for ever for what can never come any more.",
    ("SETTLE.10",),
    ((RECOVER, "      and (keepfact.is_expired(w) or held.is_spent)\n", "      and held.is_spent\n"),),
)
