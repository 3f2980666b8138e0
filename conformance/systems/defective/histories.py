"""Defects of histories: what happened cannot be read, or not be relied on."""

from .mutation import Mutation

HISTORY, CALLS, DECIDE = "030_history.sql", "080_calls.sql", "106_decide.sql"
RECONCILE, OBSERVE = "110_reconcile.sql", "120_observe.sql"

numbered_across_runs = Mutation(
    "numbered_across_runs",
    "Event numbers come from one counter for all runs, so that the history of each has gaps.",
    ("HISTORY.1",),
    (
        (
            HISTORY,
            "  number := coalesce(number, 1);\n",
            "  number := 1 + (select count(*) from keepfact.events e where e.tenant = keepfact.tenant());\n",
        ),
    ),
)
numbers_with_a_gap = Mutation(
    "numbers_with_a_gap",
    "Event numbers come from a sequence object, which leaves gaps wherever a transaction was given up.",
    ("HISTORY.1",),
    ((HISTORY, "select e.number + 1, e.digest into", "select e.number + 2, e.digest into"),),
)
events_not_chained = Mutation(
    "events_not_chained",
    "Each event has a digest of its own, but says nothing of the one before it.",
    ("HISTORY.2",),
    ((HISTORY, "payload_digest, previous_digest],", "payload_digest, null],"),),
)
events_without_their_payload = Mutation(
    "events_without_their_payload",
    "The digest of an event leaves out its payload, so that this can be exchanged.",
    ("HISTORY.2",),
    ((HISTORY, "concerns, payload_digest, previous_digest],", "concerns, previous_digest],"),),
)
evidence_rewrites_the_past = Mutation(
    "evidence_rewrites_the_past",
    "Evidence replaces the event that said that an answer was lost, instead of being added.",
    ("HISTORY.3",),
    (
        (
            RECONCILE,
            "  perform keepfact.append(run, 'reconciled', 'reconcile', null, call, jsonb_build_object(",
            "  delete from keepfact.events e\n"
            "    where e.run = take_evidence.run and e.concerns = take_evidence.call and e.type = 'lost';\n"
            "  perform keepfact.append(run, 'reconciled', 'reconcile', null, call, jsonb_build_object(",
        ),
        (HISTORY, "before update or delete or truncate on keepfact.events", "before truncate on keepfact.events"),
    ),
)
assessment_untold = Mutation(
    "assessment_untold",
    "Whether a result is good is kept in a table of its own, and the history never hears of it.",
    ("HISTORY.4",),
    (
        (
            DECIDE,
            "  perform keepfact.append(run, 'assessed', 'decide', null, null, jsonb_build_object('good', good));\n",
            "",
        ),
    ),
)
event_passed_over = Mutation(
    "event_passed_over",
    "The number that a reader has seen is taken for the one that it will see next, which nobody sends.",
    ("HISTORY.6",),
    ((OBSERVE, "e.run = r.run and e.number > after", "e.run = r.run and e.number > after + 1"),),
)
event_passed_over_after_the_end = Mutation(
    "event_passed_over_after_the_end",
    "A reader that comes back after the end is taken to have seen one event more than it says.",
    ("HISTORY.6",),
    (
        (
            OBSERVE,
            "e.run = r.run and e.number > after",
            "e.run = r.run and e.number > after + (after > 0 and keepfact.is_ended(r))::integer",
        ),
    ),
)
event_repeated_on_return = Mutation(
    "event_repeated_on_return",
    "A reader that comes back is given the event once more that it says it has.",
    ("HISTORY.6",),
    ((OBSERVE, "e.run = r.run and e.number > after", "e.run = r.run and e.number >= greatest(after, 1)"),),
)
stream_never_over = Mutation(
    "stream_never_over",
    "A reader that comes after the end is told that more may come, and waits for ever.",
    ("HISTORY.6",),
    (
        (
            OBSERVE,
            "      'is_over', keepfact.is_ended(r)\n    ) from keepfact.runs r where r.run = read_events.run",
            "      'is_over', false\n    ) from keepfact.runs r where r.run = read_events.run",
        ),
    ),
    reported=("B19",),
)
attempt_in_flight_asked_again = Mutation(
    "attempt_in_flight_asked_again",
    "An impatient worker asks the model again before it has given up the first attempt.",
    ("HISTORY.7",),
    (
        (
            CALLS,
            "and c.kind = 'attempt' and c.state in ('unknown', 'not_found')",
            "and c.kind = 'attempt' and c.state in ('open', 'unknown', 'not_found')",
        ),
    ),
)
superseded_attempt_not_named = Mutation(
    "superseded_attempt_not_named",
    "A new attempt does not say which one it asks again, so that nobody can tell a retry from a second question.",
    ("HISTORY.7",),
    (
        (
            CALLS,
            "    run, call, kind, digest, ceiling_cents, fence, supersedes, compensates, undo, recognises, sends_max\n"
            "  ) on conflict do nothing;",
            "    run, call, kind, digest, ceiling_cents, fence, null, compensates, undo, recognises, sends_max\n"
            "  ) on conflict do nothing;",
        ),
    ),
)
