"""Defects of attempts and operations: something is done twice, or said that nobody knows."""

from .mutation import Mutation

TABLES, LEDGER, LEASE, CALLS = "010_tables.sql", "050_ledger.sql", "070_lease.sql", "080_calls.sql"
OUTCOME, SPAWN, RECOVER, RECONCILE = "090_ends.sql", "094_spawn.sql", "100_recover.sql", "110_reconcile.sql"
_LOST = "update keepfact.calls c set state = 'unknown' where"

lost_call_called_failed = Mutation(
    "lost_call_called_failed",
    "A call whose answer was lost is written down as one that never happened.",
    ("EFFECT.5",),
    ((LEDGER, _LOST, "update keepfact.calls c set state = 'not_found' where"),),
    reported=("B21",),
)
lost_answer_invented = Mutation(
    "lost_answer_invented",
    "A call whose answer was lost gets one that nobody gave, so that the history looks whole.",
    ("EFFECT.5",),
    ((LEDGER, _LOST, "update keepfact.calls c set state = 'confirmed', answer = 'error' where"),),
    reported=("B17",),
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
    reported=("B03",),
)
intent_says_something_else = Mutation(
    "intent_says_something_else",
    "A step between the command and the record rewrites the arguments: the intent keeps the digest of others.",
    ("EFFECT.1",),
    (
        (
            CALLS,
            "  ) values (\n    run, call, kind, digest, ceiling_cents, fence, supersedes,",
            "  ) values (\n    run, call, kind, keepfact.digest(digest), ceiling_cents, fence, supersedes,",
        ),
    ),
)
two_runs_share_a_key = Mutation(
    "two_runs_share_a_key",
    "Ids are unique in their run only: a second run asks under a key for which the tool knows another answer.",
    ("EFFECT.2",),
    (
        (CALLS, "known.call is not null or keepfact.is_used_elsewhere(call)", "known.call is not null"),
        (TABLES, "on keepfact.calls (tenant, call);", "on keepfact.calls (tenant, run, call);"),
    ),
)
unknown_sent_again = Mutation(
    "unknown_sent_again",
    "A timeout is taken for a failure, and the call is sent again to a tool that does not recognise its id.",
    ("EFFECT.7",),
    ((CALLS, "not (known.state = 'unknown' and known.recognises)", "known.state <> 'unknown'"),),
    reported=("B02",),
)
sending_again_not_counted = Mutation(
    "sending_again_not_counted",
    "Only the first sending of a call is in the record.",
    ("EFFECT.8",),
    ((CALLS, "set state = 'open', sends = c.sends + 1\n", "set state = 'open'\n"),),
)
call_sent_for_ever = Mutation(
    "call_sent_for_ever",
    "Nobody looks at how often a call has been sent already.",
    ("EFFECT.8",),
    ((CALLS, "      when known.sends >= known.sends_max then 'sends_spent'\n", ""),),
)
second_answer_replaces_the_first = Mutation(
    "second_answer_replaces_the_first",
    "What came last is kept, so that a call may have answered twice.",
    ("EFFECT.9", "COST.5"),
    (
        (
            CALLS,
            "    when known.state <> 'open' then 'call_not_open'\n",
            "    when known.state not in ('open', 'confirmed') then 'call_not_open'\n",
        ),
    ),
)
answer_told_but_not_stored = Mutation(
    "answer_told_but_not_stored",
    "The history goes on before the result that it rests on is stored, so that the step is done again.",
    ("EFFECT.9",),
    (
        (
            CALLS,
            "  where c.run = record_answer.run and c.call = record_answer.call;\n",
            "  where c.run = record_answer.run and c.call = record_answer.call and false;\n",
        ),
    ),
    reported=("B08",),
)
finished_run_counts_as_good = Mutation(
    "finished_run_counts_as_good",
    "The worker says that it has finished, and that is taken for a judgement of its result.",
    ("EFFECT.10",),
    (
        (
            OUTCOME,
            "  perform keepfact.seal(run, 'succeeded', 'work', fence);\n",
            "  perform keepfact.seal(run, 'succeeded', 'work', fence);\n"
            "  update keepfact.runs r set assessment = true where r.run = succeed.run;\n",
        ),
    ),
)
unconfirmed_undone = Mutation(
    "unconfirmed_undone",
    "A compensation is sent for an operation of which nobody knows whether it acted at all.",
    ("EFFECT.11",),
    ((CALLS, "and c.kind = 'operation' and c.state = 'confirmed'", "and c.kind = 'operation'"),),
)
child_starts_without_a_budget = Mutation(
    "child_starts_without_a_budget",
    "The child is admitted, but not with what its parent said: it may spend nothing.",
    ("EFFECT.12",),
    (
        (
            SPAWN,
            "values (child, parent.contract, budget_cents, parent.bundle, parent.run)",
            "values (child, parent.contract, 0, parent.bundle, parent.run)",
        ),
    ),
)
deaths_not_counted = Mutation(
    "deaths_not_counted",
    "A step that kills every worker is tried again for ever.",
    ("EFFECT.13",),
    ((RECOVER, "set deaths = held.deaths + 1 where", "set deaths = held.deaths where"),),
)
heartbeat_counts_as_progress = Mutation(
    "heartbeat_counts_as_progress",
    "A worker that is alive for one heartbeat starts the count of deaths over.",
    ("EFFECT.13",),
    (
        (
            LEASE,
            "set lease_until = keepfact.lease_end() where r.run = renew.run",
            "set lease_until = keepfact.lease_end(), deaths = 0 where r.run = renew.run",
        ),
    ),
)
