"""Defects of continuing: power comes along with the material, or material comes to somebody who may not read it."""

from .mutation import Mutation

TABLES, SUBMIT, MATERIALS = "010_tables.sql", "060_submit.sql", "097_materials.sql"
_HANDED = "  perform keepfact.hand_over(source, run, user_);\n"
_READABLE = "      when not keepfact.may_read(handed.origin, material, held.reader) then 'not_readable'\n"
_LABELS = "    when keepfact.seconds_left(found.fresh_until) = 0 then 'stale'\n"

rest_of_the_budget_comes_along = Mutation(
    "rest_of_the_budget_comes_along",
    "What the old run did not spend is added to the budget of the new one.",
    ("CONTINUE.1",),
    (
        (
            SUBMIT,
            "'contract', contract, 'budget_cents', budget_cents, 'bundle', 'latest',",
            "'contract', contract, 'budget_cents', budget_cents + keepfact.budget_left_cents(from_run),\n"
            "      'bundle', 'latest',",
        ),
    ),
)
fence_comes_along = Mutation(
    "fence_comes_along",
    "The new run counts its fences on from the old one, whose worker may therefore write into it.",
    ("CONTINUE.2",),
    (
        (
            SUBMIT,
            _HANDED,
            _HANDED + "  update keepfact.runs r set fence = from_run.fence where r.run = continue.run;\n",
        ),
    ),
)
unfinished_calls_come_along = Mutation(
    "unfinished_calls_come_along",
    "The new run takes up the calls that the old one left unresolved, as if they were its own to send.",
    ("CONTINUE.2",),
    (
        (
            SUBMIT,
            _HANDED,
            _HANDED + "  insert into keepfact.calls (run, call, kind, digest, ceiling_cents, fence, state)\n"
            "    select continue.run, c.call, c.kind, c.digest, c.ceiling_cents, c.fence, c.state\n"
            "    from keepfact.calls c where c.run = source and c.unresolved;\n",
        ),
        (
            TABLES,
            "create unique index calls_are_idempotency_keys on keepfact.calls (tenant, call);",
            "create unique index calls_are_idempotency_keys on keepfact.calls (tenant, run, call);",
        ),
    ),
)
whoever_asks_inherits_everything = Mutation(
    "whoever_asks_inherits_everything",
    "Who continues a run of another user is handed all that it found, and nobody asks what he may read.",
    ("CONTINUE.3", "CONTINUE.5"),
    ((MATERIALS, "  where keepfact.may_read(m.run, m.material, hand_over.reader)\n", ""),),
    reported=("B23",),
)
undated_finding_handed_over = Mutation(
    "undated_finding_handed_over",
    "A finding of which nobody can say as of when it is goes into the new run.",
    ("CONTINUE.3",),
    ((MATERIALS, "bool_and(l.as_of is not null and exists (", "bool_and(exists ("),),
)
stale_finding_called_current = Mutation(
    "stale_finding_called_current",
    "A finding that is long out of date is handed over without a word about its age.",
    ("CONTINUE.4",),
    ((MATERIALS, _LABELS, ""),),
)
corrected_finding_called_current = Mutation(
    "corrected_finding_called_current",
    "A finding that was corrected is handed over as if it still stood.",
    ("CONTINUE.4",),
    ((MATERIALS, "m.run = found.run and m.replaces = found.material", "false"),),
)
summary_hides_what_it_rests_on = Mutation(
    "summary_hides_what_it_rests_on",
    "A summary is handed over to somebody who may not read what was summarised.",
    ("CONTINUE.5",),
    ((MATERIALS, "cross join unnest(l.derived_from) as named", "cross join unnest('{}'::text[]) as named"),),
)
handed_over_outlives_its_grant = Mutation(
    "handed_over_outlives_its_grant",
    "A finding that was handed over is still read after its source was withdrawn.",
    ("CONTINUE.5",),
    ((MATERIALS, _READABLE, ""),),
)
judgement_comes_as_a_fact = Mutation(
    "judgement_comes_as_a_fact",
    "What somebody once concluded is handed over as if it had been observed.",
    ("CONTINUE.6",),
    ((MATERIALS, "    when found.judgement then 'judgement'\n", ""),),
)
reading_computes_the_finding_again = Mutation(
    "reading_computes_the_finding_again",
    "What is read is worked out once more and saved as a finding of the new run.",
    ("CONTINUE.7",),
    (
        (
            MATERIALS,
            "  update keepfact.inherited i set reads",
            "  insert into keepfact.materials (run, material, source, digest, fence, as_of, fresh_until,\n"
            "      derived_from, judgement)\n"
            "    select held.run, m.material, m.source, m.digest, read_material.fence, m.as_of, m.fresh_until, '{}',\n"
            "      m.judgement\n"
            "    from keepfact.materials m where m.run = handed.origin and m.material = handed.material\n"
            "    on conflict do nothing;\n"
            "  update keepfact.inherited i set reads",
        ),
    ),
)
unresolved_not_mentioned = Mutation(
    "unresolved_not_mentioned",
    "The new run does not learn which calls of the old one nobody knows the outcome of.",
    ("CONTINUE.8",),
    ((SUBMIT, "c.run = unresolved_calls.run and c.unresolved", "c.run = unresolved_calls.run and c.state = 'open'"),),
)
run_at_work_continued = Mutation(
    "run_at_work_continued",
    "A run is continued while its worker is still acting, so that two of them do the same work.",
    ("CONTINUE.9",),
    ((SUBMIT, "    when not keepfact.is_sealed(from_run) then 'not_ended'\n", ""),),
)
request_admits_a_run_each_time = Mutation(
    "request_admits_a_run_each_time",
    "A request that is sent twice starts two runs.",
    ("CONTINUE.10",),
    (
        (SUBMIT, "r.request = guard_admission.request", "false"),
        (TABLES, "create unique index runs_of_requests", "create index runs_of_requests"),
    ),
)
