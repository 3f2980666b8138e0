"""Defects that lockstep cannot bring about, since its outside is kind and its server lives; experiments do."""

from .mutation import Mutation

COMMANDS, PAYLOADS = "040_commands.sql", "055_payloads.sql"

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
