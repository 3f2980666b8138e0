"""Defects that show only where real workers meet a real outside; the one that lockstep plays is kind."""

from .mutation import Mutation

what_is_said_of_a_text_refused_as_well = Mutation(
    "what_is_said_of_a_text_refused_as_well",
    "What takes the place of a text that cannot be stored cannot be stored either, as a result or as an error.",
    ("SETTLE.1", "EFFECT.9"),
    (
        (
            "055_payloads.sql",
            "  select content is not null and length(content) <= 100000\n",
            "  select content is not null and length(content) <= 100000 and content not like '%unstorable%'\n",
        ),
    ),
    reported=("B22",),
)
