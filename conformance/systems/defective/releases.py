"""Defects of releases: a run goes on under another program than the one it was admitted to."""

from .mutation import Mutation

TABLES, SUBMIT, LEASE, SPAWN = "010_tables.sql", "060_submit.sql", "070_lease.sql", "094_spawn.sql"
WAKE, RELEASES = "105_wake.sql", "116_releases.sql"

pinned_to_a_selector = Mutation(
    "pinned_to_a_selector",
    "A run remembers that it wanted the latest release, and not which one that was.",
    ("VERSION.1",),
    (
        (
            SUBMIT,
            "wanted.budget_cents, resolved, wanted.request,",
            "wanted.budget_cents, wanted.bundle, wanted.request,",
        ),
        (TABLES, " stored,\n  foreign key (tenant, bundle) references keepfact.bundles\n", " stored\n"),
    ),
)
admitted_to_a_retired_bundle = Mutation(
    "admitted_to_a_retired_bundle",
    "A run is admitted to a release that was withdrawn, and no worker will ever support it.",
    ("VERSION.1",),
    (
        (
            SUBMIT,
            "b.tenant = keepfact.tenant() and not b.is_retired and wanted",
            "b.tenant = keepfact.tenant() and wanted",
        ),
    ),
)
any_worker_gets_any_run = Mutation(
    "any_worker_gets_any_run",
    "Whoever comes first gets the run, whether or not its release can work on it.",
    ("VERSION.2",),
    ((LEASE, "    when not coalesce(held.bundle = any(supports), false) then 'unsupported_bundle'\n", ""),),
)
replaying_nothing_is_enough = Mutation(
    "replaying_nothing_is_enough",
    "A release that was replayed against no history at all counts as one that has passed.",
    ("VERSION.3",),
    ((RELEASES, "    when replayed = 0 then 'not_replayed'\n", ""),),
)
serves_although_it_diverged = Mutation(
    "serves_although_it_diverged",
    "A release decides otherwise than a stored history says, and is let through with a warning.",
    ("VERSION.3",),
    ((RELEASES, "    when diverged > 0 then 'diverged'\n", ""),),
)
old_run_takes_the_new_branch = Mutation(
    "old_run_takes_the_new_branch",
    "Which branch a run takes is computed from the newest release, and not from its own.",
    ("VERSION.4",),
    (
        (
            SPAWN,
            "where b.tenant = keepfact.tenant() and b.bundle = held.bundle;",
            "where b.tenant = keepfact.tenant() order by b.deployed desc limit 1;",
        ),
    ),
)
workers_branch_recorded = Mutation(
    "workers_branch_recorded",
    "The worker says which branch it takes, and nobody compares that with what the run's release knows.",
    ("VERSION.4",),
    (
        (
            SPAWN,
            "  if branch is distinct from (case when knows then 'new' else 'old' end) then\n",
            "  if branch is null then\n",
        ),
    ),
)
selector_resolved_again = Mutation(
    "selector_resolved_again",
    "A run that waited is woken with whatever is the latest release by then.",
    ("VERSION.5", "VERSION.1"),
    (
        (
            WAKE,
            "set deaths = 0 where r.run = wake.run",
            "set deaths = 0, bundle = keepfact.resolve_bundle('latest') where r.run = wake.run",
        ),
    ),
    reported=("B12",),
)
deployment_moves_waiting_runs = Mutation(
    "deployment_moves_waiting_runs",
    "A deployment takes all runs along that happen to wait.",
    ("VERSION.5", "VERSION.1"),
    (
        (
            RELEASES,
            "    return keepfact.refused('bundle_exists');  -- deployed in this moment by somebody else\n  end if;\n",
            "    return keepfact.refused('bundle_exists');  -- deployed in this moment by somebody else\n  end if;\n"
            "  update keepfact.runs r set bundle = deploy.bundle\n"
            "    where r.tenant = keepfact.tenant() and keepfact.is_waiting(r);\n",
        ),
    ),
)
any_release_takes_up_a_waiting_run = Mutation(
    "any_release_takes_up_a_waiting_run",
    "A run that waited is taken up by a worker whose release cannot work on it.",
    ("VERSION.5", "VERSION.2", "WAKE.6"),
    ((WAKE, "    when not coalesce(held.bundle = any(supports), false) then 'unsupported_bundle'\n", ""),),
)
bundle_of_waiting_runs_retired = Mutation(
    "bundle_of_waiting_runs_retired",
    "Only runs that are at work count, so a release is taken away from those that wait or are not yet claimed.",
    ("VERSION.6",),
    (
        (
            RELEASES,
            "r.bundle = retire.bundle and not keepfact.is_ended(r);",
            "r.bundle = retire.bundle and r.state = 'running';",
        ),
    ),
)
refusal_without_the_runs = Mutation(
    "refusal_without_the_runs",
    "A release cannot be retired, and nobody is told because of which runs.",
    ("VERSION.6",),
    ((RELEASES, "keepfact.refused('bundle_needed', needing)", "keepfact.refused('bundle_needed')"),),
)
migration_locks_the_old_release_out = Mutation(
    "migration_locks_the_old_release_out",
    "The tables change in one step, and workers of the old release stand outside from that moment on.",
    ("VERSION.8",),
    (
        (
            RELEASES,
            "set schema_newest = s.schema_newest + 1 where",
            "set schema_newest = s.schema_newest + 1, schema_oldest = s.schema_oldest + 1 where",
        ),
    ),
)
workers_of_any_schema_served = Mutation(
    "workers_of_any_schema_served",
    "A worker that is written for other tables than there are is granted runs.",
    ("VERSION.8",),
    ((LEASE, "    when not keepfact.is_served(schema) then 'unsupported_schema'\n", ""),),
)
