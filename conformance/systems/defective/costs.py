"""Defects of the ledger: money that nobody spent, or nobody counted."""

from .mutation import Mutation

CALLS, LEDGER = "080_calls.sql", "050_ledger.sql"

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
