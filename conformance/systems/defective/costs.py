"""Defects of the ledger: money that nobody spent, or nobody counted."""

from .mutation import Mutation

LEDGER, CALLS, RECONCILE, OBSERVE = "050_ledger.sql", "080_calls.sql", "110_reconcile.sql", "120_observe.sql"

unknown_booked_as_zero = Mutation(
    "unknown_booked_as_zero",
    "A call that nobody knows anything of is booked at 0, which releases its hold.",
    ("COST.3",),
    (
        (
            LEDGER,
            "update keepfact.calls c set state = 'unknown' where",
            "update keepfact.calls c set state = 'unknown', ceiling_cents = 0 where",
        ),
    ),
)
missing_amount_is_zero = Mutation(
    "missing_amount_is_zero",
    "An answer without usage is booked as free.",
    ("COST.5",),
    (
        (
            CALLS,
            "    cost_cents = record_answer.cost_cents,\n",
            "    cost_cents = coalesce(record_answer.cost_cents, 0),\n",
        ),
    ),
    reported=("B13",),
)
amount_capped = Mutation(
    "amount_capped",
    "An amount above its ceiling is cut down to it, and nobody hears of the difference.",
    ("COST.7", "COST.5"),
    (
        (
            CALLS,
            "    cost_cents = record_answer.cost_cents,\n",
            "    cost_cents = case when record_answer.cost_cents > c.ceiling_cents then c.ceiling_cents\n"
            "      else record_answer.cost_cents end,\n",
        ),
    ),
)
holds_not_counted = Mutation(
    "holds_not_counted",
    "A dispatch looks at what is known and forgets what is held, so the budget limits only what has been billed.",
    ("COST.1",),
    ((CALLS, "select held.known_cents + held.held_cents + ceiling_cents", "select held.known_cents + ceiling_cents"),),
)
unknown_not_held = Mutation(
    "unknown_not_held",
    "Only what is in flight is held: a call that nobody knows anything of may have cost what it likes.",
    ("COST.2", "COST.3"),
    (
        (
            LEDGER,
            "case when call.unresolved then call.ceiling_cents",
            "case when call.state = 'open' then call.ceiling_cents",
        ),
    ),
)
confirmed_booked_as_zero = Mutation(
    "confirmed_booked_as_zero",
    "Evidence that a call happened ends its hold, although nobody said what it cost.",
    ("COST.4",),
    (
        (
            RECONCILE,
            "      cost_cents = take_evidence.cost_cents,\n",
            "      cost_cents = coalesce(take_evidence.cost_cents, 0),\n",
        ),
    ),
    reported=("B13",),
)
reported_zero_is_missing = Mutation(
    "reported_zero_is_missing",
    "`amount or estimate`: a reported 0 is read as no report at all.",
    ("COST.5",),
    (
        (
            CALLS,
            "    cost_cents = record_answer.cost_cents,\n",
            "    cost_cents = nullif(record_answer.cost_cents, 0),\n",
        ),
    ),
    reported=("B14",),
)
superseded_attempt_gives_its_hold = Mutation(
    "superseded_attempt_gives_its_hold",
    "An attempt that asks again takes over the hold of the one before it, as if that had cost nothing.",
    ("COST.6",),
    (
        (
            CALLS,
            "  update keepfact.approvals a set used_by",
            "  update keepfact.calls c set ceiling_cents = 0 where c.run = intend.run and c.call = intend.supersedes;\n"
            "  update keepfact.approvals a set used_by",
        ),
    ),
)
excess_not_flagged = Mutation(
    "excess_not_flagged",
    "An amount above its ceiling is recorded, and looks like any other.",
    ("COST.7",),
    ((CALLS, "coalesce(record_answer.cost_cents > c.ceiling_cents, false)", "false"),),
)
total_without_what_is_held = Mutation(
    "total_without_what_is_held",
    "The total shows what is known as if it were all.",
    ("COST.8", "COST.2"),
    ((OBSERVE, "'held_cents', shown.held_cents,", "'held_cents', 0,"),),
)
