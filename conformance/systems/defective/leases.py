"""Defects of claims, leases and fences."""

from .mutation import Mutation

COMMANDS, LEASE, RECOVER = "040_commands.sql", "070_lease.sql", "100_recover.sql"

fence_not_checked = Mutation(
    "fence_not_checked",
    "A worker that lost its lease to another goes on writing: no write looks at its fence.",
    ("FENCE.2",),
    ((COMMANDS, "    when fence is distinct from held.fence then", "    when fence > held.fence then"),),
)
lapsed_lease_may_write = Mutation(
    "lapsed_lease_may_write",
    "As long as nobody else has claimed, a worker may write although its lease ran out.",
    ("FENCE.3",),
    ((COMMANDS, "    when held.lease_until <= keepfact.store_now() then 'lease_lapsed'\n", ""),),
)
fence_of_the_worker = Mutation(
    "fence_of_the_worker",
    "The fence belongs to the holder and not to the grant: a second grant hands out the same one.",
    ("FENCE.1",),
    (
        (
            LEASE,
            "next_fence constant bigint := held.fence + 1;",
            "next_fence constant bigint := greatest(held.fence, 1);",
        ),
    ),
)
live_lease_taken = Mutation(
    "live_lease_taken",
    "A claim takes a run that another is working on.",
    ("FENCE.4",),
    (
        (
            LEASE,
            "    when keepfact.seconds_left(held.lease_until) > 0 then 'lease_live'\n"
            "    when held.state <> 'queued' then 'not_queued'\n",
            "    when held.state not in ('queued', 'running') then 'not_queued'\n",
        ),
    ),
)
lapsed_run_claimed = Mutation(
    "lapsed_run_claimed",
    "A worker takes a lapsed run and goes on, although the run promised to be settled.",
    ("ENTRY.4",),
    ((LEASE, "when held.state <> 'queued' then", "when held.state not in ('queued', 'running') then"),),
)
living_run_recovered = Mutation(
    "living_run_recovered",
    "A sweep settles a run whose lease is live, as if its own reading were still true.",
    ("FENCE.4",),
    ((RECOVER, "    when keepfact.seconds_left(held.lease_until) > 0 then 'lease_live'\n", ""),),
)
command_ids_forgotten = Mutation(
    "command_ids_forgotten",
    "A command that is repeated because its answer was lost happens twice.",
    ("ENTRY.6",),
    (
        (COMMANDS, "  return known.answer;\n", "  return null;\n"),
        (COMMANDS, "digest(asked::text), answer);", "digest(asked::text), answer) on conflict do nothing;"),
    ),
)
