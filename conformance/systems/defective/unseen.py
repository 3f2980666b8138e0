"""Defects that nothing shows but the write-ahead log: what the store says of itself stays as it should be.

Lockstep cannot catch them, so they stand apart from those that it must; an experiment that watches the log does.
"""

from .mutation import Mutation

COMMANDS, LEASE, RECOVER, OBSERVE = "040_commands.sql", "070_lease.sql", "100_recover.sql", "120_observe.sql"

_READ_EVENTS = "create function keepfact.read_events(run text, after bigint, events_max integer) returns json\n"
_READS = "language plpgsql {} security definer set search_path = pg_catalog, pg_temp\nas $$\nbegin\n"

claims_signed_at_admission = Mutation(
    "claims_signed_at_admission",
    "Who claims a run signs with the door through which it was admitted, and that door wrote the lease.",
    ("ENTRY.2",),
    (
        (
            LEASE,
            "return keepfact.done('work', command_id, asked, keepfact.grant_lease(held, worker, 'work'));",
            "return keepfact.done('submit', command_id, asked, keepfact.grant_lease(held, worker, 'work'));",
        ),
    ),
)
recovery_touches_what_was_published = Mutation(
    "recovery_touches_what_was_published",
    "Recovery goes through the door of recovery, and writes the versions of the body anew, as they were.",
    ("ENTRY.2",),
    (
        (
            RECOVER,
            "  if held.contract = 'settle' then\n    perform keepfact.settle(held, 'interrupted');\n",
            "  if held.contract = 'settle' then\n"
            "    update keepfact.publications p set body = p.body where p.run = held.run;\n"
            "    perform keepfact.settle(held, 'interrupted');\n",
        ),
    ),
)
nobody_signs = Mutation(
    "nobody_signs",
    "Whoever writes keeps it from the write-ahead log which door it came through.",
    ("ENTRY.2",),
    (
        (
            COMMANDS,
            "  perform pg_logical_emit_message(true, 'keepfact', entry_point || ':' || (asked ->> 0));\n",
            "",
        ),
    ),
)
reconnect_leaves_a_row = Mutation(
    "reconnect_leaves_a_row",
    "A client that comes back to its stream is noted, in a row that nothing ever shows.",
    ("ENTRY.1",),
    (
        (
            OBSERVE,
            _READ_EVENTS + _READS.format("stable") + "  perform keepfact.enter();\n",
            _READ_EVENTS + _READS.format("volatile") + "  perform keepfact.enter();\n"
            "  if after > 0 then\n"
            "    insert into keepfact.answers (command_id, command_digest, answer)\n"
            "      values ('came-back-' || gen_random_uuid(), run, to_jsonb(after));\n"
            "  end if;\n",
        ),
    ),
)
