"""Defects that experiments bring about, and lockstep does not: its outside is kind, its server lives, and two attempts
lost in one run are further than it goes.
"""

from .mutation import Mutation

COMMANDS, PAYLOADS, LEASE = "040_commands.sql", "055_payloads.sql", "070_lease.sql"
RECOVER, OBSERVE = "100_recover.sql", "120_observe.sql"

_RENEWAL = (
    "  answer := keepfact.refused(keepfact.guard_work(held, fence, winds_up => true));\n"
    "  if answer is not null then\n    return answer;\n  end if;\n  update"
)
_LOST_BY_RESUMING = (
    "  perform keepfact.lose_open_calls(held.run, 'recover', held.fence);\n  return keepfact.grant_lease"
)
_IS_SECOND = (
    "exists (select from keepfact.calls c where c.run = held.run and c.kind = 'attempt' and c.state = 'open')\n"
    "    and exists (select from keepfact.calls c\n"
    "      where c.run = held.run and c.kind = 'attempt' and c.state = 'unknown')"
)

what_is_said_of_a_text_refused_as_well = Mutation(
    "what_is_said_of_a_text_refused_as_well",
    "What takes the place of a text that cannot be stored cannot be stored either, as a result or as an error.",
    ("SETTLE.1", "EFFECT.9"),
    (
        (
            PAYLOADS,
            "  select content is not null and length(content) <= 100000\n",
            "  select content is not null and length(content) <= 100000 and content not like '%unstorable%'\n",
        ),
    ),
    reported=("B22",),
)
answered_before_it_is_on_disk = Mutation(
    "answered_before_it_is_on_disk",
    "A command is answered before what it has written is on disk, so that a crash takes it back.",
    ("HISTORY.3", "FENCE.1"),
    (
        (
            COMMANDS,
            "  -- milestone: done, not committed\n",
            "  perform set_config('synchronous_commit', 'off', true);\n",
        ),
    ),
)
next_number_is_computed = Mutation(
    "next_number_is_computed",
    "A reader is given what comes from the next number on, and beyond the last that there can be is none.",
    ("ENTRY.5",),
    ((OBSERVE, "e.run = r.run and e.number > after\n", "e.run = r.run and e.number >= after + 1\n"),),
)
refusal_leaves_a_row = Mutation(
    "refusal_leaves_a_row",
    "A renewal that is refused is noted, in a row that nothing ever shows.",
    ("ENTRY.5",),
    (
        (
            LEASE,
            _RENEWAL,
            _RENEWAL.replace(
                "return",
                "insert into keepfact.answers (command_id, command_digest, answer)\n"
                "      values ('refused-' || gen_random_uuid(), 'none', '{}');\n"
                "    return",
            ),
        ),
    ),
)
second_lost_attempt_stays_open = Mutation(
    "second_lost_attempt_stays_open",
    "A run that goes on has lost an attempt already; the next one that is lost stays pending.",
    ("SETTLE.7",),
    (
        (
            RECOVER,
            _LOST_BY_RESUMING,
            f"  if not ({_IS_SECOND}) then\n" + _LOST_BY_RESUMING.replace(";\n", ";\n  end if;\n"),
        ),
    ),
)
second_lost_attempt_frees_the_first = Mutation(
    "second_lost_attempt_frees_the_first",
    "When a run that goes on loses an attempt again, what the first may have cost is booked as 0.",
    ("COST.3",),
    (
        (
            RECOVER,
            _LOST_BY_RESUMING,
            f"  if {_IS_SECOND} then\n"
            "    update keepfact.calls c set state = 'confirmed', cost_cents = 0\n"
            "    where c.run = held.run and c.kind = 'attempt' and c.state = 'unknown';\n"
            f"  end if;\n{_LOST_BY_RESUMING}",
        ),
    ),
)
