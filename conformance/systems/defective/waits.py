"""Defects of waits and wakes: the narrow door back stands open, or stays shut."""

from .mutation import Mutation

CHECKPOINTS, WAKE, DECIDE, DELIVER = "092_waits.sql", "105_wake.sql", "106_decide.sql", "107_deliver.sql"
APPROVALS, CANCEL, ENDS = "085_approvals.sql", "108_cancel.sql", "090_ends.sql"

waiting_worker_keeps_its_lease = Mutation(
    "waiting_worker_keeps_its_lease",
    "A worker sits and waits with its run, which keeps its lease, so that nobody else can take it up.",
    ("WAKE.1",),
    (
        (
            CHECKPOINTS,
            "set state = stand_at.state, worker = null, lease_until = null, deaths = 0",
            "set state = stand_at.state, deaths = 0",
        ),
    ),
)
timer_told_but_not_armed = Mutation(
    "timer_told_but_not_armed",
    "Of the two steps that arm a timer only the first happens: the history tells of a wait that no sweep can see.",
    ("WAKE.1", "WAKE.2"),
    (
        (
            CHECKPOINTS,
            "    held.run, wait, kind, 1, held.bundle, digest, keepfact.last_number(held.run), "
            "keepfact.budget_left_cents(held),\n    keepfact.seconds_from_now(seconds), arrivals, child\n  );",
            "    held.run, wait, kind, 1, held.bundle, digest, keepfact.last_number(held.run), "
            "keepfact.budget_left_cents(held),\n    keepfact.seconds_from_now(seconds), arrivals, child\n  );\n"
            "  delete from keepfact.waits w where w.run = held.run and w.kind = 'timer';",
        ),
    ),
    reported=("B16",),
)
checkpoint_of_an_earlier_moment = Mutation(
    "checkpoint_of_an_earlier_moment",
    "A checkpoint is written from what the worker remembers, which is one event behind the history.",
    ("WAKE.2",),
    ((CHECKPOINTS, "digest, keepfact.last_number(held.run),", "digest, keepfact.last_number(held.run) - 1,"),),
)
checkpoint_names_a_selector = Mutation(
    "checkpoint_names_a_selector",
    "A checkpoint says `latest`, and nobody can tell afterwards which release that was.",
    ("WAKE.2",),
    ((CHECKPOINTS, "held.run, wait, kind, 1, held.bundle,", "held.run, wait, kind, 1, 'latest',"),),
)
another_report_taken_for_the_first = Mutation(
    "another_report_taken_for_the_first",
    "A second report under the same number is thanked for like a repeated first one, and thrown away.",
    ("WAKE.3",),
    ((DELIVER, "    when same <> digest then 'arrival_conflict'\n", ""),),
)
decision_without_its_wake = Mutation(
    "decision_without_its_wake",
    "A person has decided, but nothing wakes the run, which then waits for ever.",
    ("WAKE.4",),
    (
        (
            DECIDE,
            "  update keepfact.waits w set state = 'accepted' where w.run = decide.run and w.wait = decide.wait;\n",
            "",
        ),
    ),
)
first_of_two_callbacks_wakes = Mutation(
    "first_of_two_callbacks_wakes",
    "The first of two reports wakes the run, as if both were there.",
    ("WAKE.4",),
    ((CHECKPOINTS, "and w.arrivals = (\n", "and 0 < (\n"),),
)
wake_used_twice = Mutation(
    "wake_used_twice",
    "Two workers that hear of one answer both take the run up, and what was approved is done twice.",
    ("WAKE.5", "FENCE.4"),
    ((WAKE, "    when known.state = 'consumed' then 'wake_consumed'\n", ""),),
    reported=("B09",),
)
wake_not_used_up = Mutation(
    "wake_not_used_up",
    "The run goes on, but its wake still lies there for the next one who looks.",
    ("WAKE.5", "WAKE.1"),
    ((WAKE, "  update keepfact.waits w set state = 'consumed' where w.run = wake.run and w.wait = wake.wait;\n", ""),),
)
wake_under_another_digest = Mutation(
    "wake_under_another_digest",
    "A worker goes on with a request that is not the one which the run was waiting for.",
    ("WAKE.6",),
    ((WAKE, "    when digest is distinct from known.digest then 'digest_differs'\n", ""),),
)
wake_in_another_format = Mutation(
    "wake_in_another_format",
    "A worker takes up a checkpoint that was written in a format which it does not know.",
    ("WAKE.6",),
    ((WAKE, "    when format is distinct from known.format then 'unsupported_format'\n", ""),),
)
expired_wait_woken = Mutation(
    "expired_wait_woken",
    "An answer is good for ever: the run goes on long after the time that it was given for.",
    ("WAKE.6",),
    ((WAKE, "    when keepfact.is_expired(known) then 'expired'\n", ""),),
)
refused_wake_used_up = Mutation(
    "refused_wake_used_up",
    "A worker is sent away, but the wake is gone: the run waits, and nothing can wake it.",
    ("WAKE.7", "ENTRY.5"),
    (
        (
            WAKE,
            "  if answer is not null then\n    return answer;\n  end if;\n  update keepfact.waits",
            "  if answer is not null then\n"
            "    update keepfact.waits w set state = 'consumed'\n"
            "      where w.run = wake.run and w.wait = wake.wait and w.state = 'accepted';\n"
            "    return answer;\n  end if;\n  update keepfact.waits",
        ),
    ),
)
early_callback_forgotten = Mutation(
    "early_callback_forgotten",
    "What comes before anybody waits for it is thanked for and thrown away.",
    ("WAKE.8",),
    ((DELIVER, "  if same is null then\n", "  if same is null and known.wait is not null then\n"),),
)
late_arrival_turned_away = Mutation(
    "late_arrival_turned_away",
    "What comes too late is refused, so that nobody ever learns that it came.",
    ("WAKE.8",),
    (
        (
            DELIVER,
            "    when same is not null or is_late then null\n",
            "    when same is not null then null\n    when is_late then 'no_such_wait'\n",
        ),
    ),
)
timer_fires_too_early = Mutation(
    "timer_fires_too_early",
    "The clock of a worker is fast, and its word is enough for a timer to fire.",
    ("WAKE.9",),
    ((DELIVER, "    when known.kind = 'timer' and keepfact.seconds_left(known.until) > 0 then 'not_due'\n", ""),),
)
person_asked_again = Mutation(
    "person_asked_again",
    "A person who has just approved is asked the same once more, because nobody looks for the answer.",
    ("WAKE.10",),
    (
        (
            APPROVALS,
            "      when earlier.approved and earlier.used_by is null and keepfact.guard_in_force(earlier) is null\n"
            "        then 'already_approved'\n",
            "",
        ),
    ),
)
decision_used_up_by_the_wake = Mutation(
    "decision_used_up_by_the_wake",
    "Waking deletes the decision before what it unlocks is stored, so that after a crash the person is asked again.",
    ("WAKE.10", "APPROVAL.5"),
    (
        (
            WAKE,
            "  update keepfact.runs r set deaths = 0 where r.run = wake.run;\n",
            "  update keepfact.runs r set deaths = 0 where r.run = wake.run;\n"
            "  update keepfact.approvals a set approved = null where a.run = wake.run and a.wait = wake.wait;\n",
        ),
    ),
    reported=("B10",),
)
anybodys_child_waited_for = Mutation(
    "anybodys_child_waited_for",
    "A run may wait for a child that is not its own.",
    ("WAKE.11",),
    ((CHECKPOINTS, "      when kind = 'child' and not keepfact.is_child(run, child) then 'not_a_child'\n", ""),),
)
child_reports_before_its_end = Mutation(
    "child_reports_before_its_end",
    "Something that a child says on its way is taken for its report.",
    ("WAKE.11",),
    ((DELIVER, "where r.run = known.child and keepfact.is_ended(r)", "where r.run = known.child"),),
)
cancel_ends_the_parent_record_only = Mutation(
    "cancel_ends_the_parent_record_only",
    "The request to stop reaches the run that it names, and the children of that run go on.",
    ("WAKE.11",),
    ((CANCEL, "if not keepfact.is_sealed(born) and born.state <> 'cancelling' then", "if false then"),),
    reported=("B20",),
)
due_timer_called_expired = Mutation(
    "due_timer_called_expired",
    "A timer's time is over like any other wait's, so that its wake comes too late whenever it comes.",
    ("WAKE.12", "WAKE.6"),
    (
        (
            WAKE,
            "    when held.is_spent then 'budget_spent'\n",
            "    when held.is_spent then 'budget_spent'\n"
            "    when keepfact.seconds_left(known.until) = 0 then 'expired'\n",
        ),
    ),
)
