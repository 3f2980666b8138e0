"""Defects of claims, leases and fences, and of who may write at all."""

from .mutation import Mutation

COMMANDS, LEASE, CALLS, RECOVER = "040_commands.sql", "070_lease.sql", "080_calls.sql", "100_recover.sql"
OBSERVE = "120_observe.sql"

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
lease_by_the_servers_clock = Mutation(
    "lease_by_the_servers_clock",
    "Whether a lease is over says the clock of the server, and not the one by which it was granted.",
    ("FENCE.3",),
    (
        (
            COMMANDS,
            "    when held.lease_until <= keepfact.store_now() then 'lease_lapsed'\n",
            "    when held.lease_until <= clock_timestamp() then 'lease_lapsed'\n",
        ),
    ),
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
    reported=("B01",),
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
    reported=("B04",),
)
command_ids_forgotten = Mutation(
    "command_ids_forgotten",
    "A command that is repeated because its answer was lost happens twice.",
    ("ENTRY.6",),
    (
        (COMMANDS, "  return known.answer;\n", "  return null;\n"),
        (COMMANDS, "digest(asked::text), answer);", "digest(asked::text), answer) on conflict do nothing;"),
    ),
    reported=("B07",),
)
heartbeat_unfenced = Mutation(
    "heartbeat_unfenced",
    "A heartbeat renews whatever lease there is, also that of a later grant to the same worker.",
    ("FENCE.2",),
    ((LEASE, "guard_work(held, fence, winds_up => true)", "guard_work(held, held.fence, winds_up => true)"),),
    reported=("B01",),
)
fence_starts_over = Mutation(
    "fence_starts_over",
    "Giving a run back wipes its row clean, so that the next grant counts from 1 again.",
    ("FENCE.1",),
    (
        (
            LEASE,
            "set state = 'queued', worker = null, lease_until = null where",
            "set state = 'queued', worker = null, lease_until = null, fence = 0 where",
        ),
    ),
)
sweep_by_id_only = Mutation(
    "sweep_by_id_only",
    "A sweep writes by the run's id alone, whatever has become of the run since it was listed.",
    ("FENCE.5",),
    ((RECOVER, "    when seen_fence <> held.fence then 'stale_fence'\n", ""),),
    reported=("B04",),
)
late_answer_taken_as_work = Mutation(
    "late_answer_taken_as_work",
    "An answer that comes after the run was sealed is not told that it is late, as long as its fence is current.",
    ("FENCE.8",),
    (
        (
            CALLS,
            "  first := keepfact.refused(coalesce(\n    keepfact.guard_work(held, fence, winds_up => true),\n",
            "  first := keepfact.refused(coalesce(\n"
            "    nullif(keepfact.guard_work(held, fence, winds_up => true), 'sealed'),\n",
        ),
    ),
)
watching_keeps_a_run_alive = Mutation(
    "watching_keeps_a_run_alive",
    "A page that follows a run adds to its lease, as if looking were working.",
    ("ENTRY.1",),
    (
        (
            OBSERVE,
            "create function keepfact.read_events(run text, after bigint, events_max integer) returns json\n"
            "language plpgsql stable security definer set search_path = pg_catalog, pg_temp\n"
            "as $$\nbegin\n  perform keepfact.enter();\n",
            "create function keepfact.read_events(run text, after bigint, events_max integer) returns json\n"
            "language plpgsql volatile security definer set search_path = pg_catalog, pg_temp\n"
            "as $$\nbegin\n  perform keepfact.enter();\n"
            "  update keepfact.runs r set lease_until = r.lease_until + interval '1 second'\n"
            "    where r.run = read_events.run;\n",
        ),
    ),
)
recovery_publishes_an_old_body_again = Mutation(
    "recovery_publishes_an_old_body_again",
    "Recovery repeats a publication that had been done, and what the user sees goes back to an older body.",
    ("ENTRY.3",),
    (
        (
            RECOVER,
            "  perform keepfact.seal(held.run, final, 'recover', held.fence);\n",
            "  insert into keepfact.publications (run, version, fence, body, body_payload, qualified)\n"
            "    select p.run, keepfact.last_version(p.run) + 1, p.fence, p.body, p.body_payload, p.qualified\n"
            "    from keepfact.publications p where p.run = held.run order by p.version limit 1;\n"
            "  perform keepfact.seal(held.run, final, 'recover', held.fence);\n",
        ),
    ),
    reported=("B24",),
)
lapsed_run_called_leased = Mutation(
    "lapsed_run_called_leased",
    "One reason for every run that is not in the queue: who asks is told of a live lease that nobody has.",
    ("ENTRY.5",),
    (
        (
            LEASE,
            "    when held.state <> 'queued' then 'not_queued'\n",
            "    when held.state <> 'queued' then 'lease_live'\n",
        ),
    ),
)
