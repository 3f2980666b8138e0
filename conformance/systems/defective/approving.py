"""Defects of approvals: something is done that nobody said yes to."""

from .mutation import Mutation

APPROVALS, CALLS, DECIDE = "085_approvals.sql", "080_calls.sql", "106_decide.sql"

summary_shown_instead_of_the_arguments = Mutation(
    "summary_shown_instead_of_the_arguments",
    "A person is shown a summary, and its digest stands in the request instead of that of the arguments.",
    ("APPROVAL.1",),
    (
        (
            APPROVALS,
            "keepfact.seal_checkpoint(held, wait, 'approval', digest, seconds)",
            "keepfact.seal_checkpoint(held, wait, 'approval', keepfact.digest(risk || basis), seconds)",
        ),
    ),
)
decision_on_something_else_counts = Mutation(
    "decision_on_something_else_counts",
    "A person had an old page open, and what was approved there is taken for what is asked now.",
    ("APPROVAL.1", "WAKE.3"),
    ((DECIDE, "    when digest is distinct from known.digest then 'shown_differs'\n", ""),),
)
any_approval_opens_the_door = Mutation(
    "any_approval_opens_the_door",
    "That the operation was approved once is enough, under whatever request it is sent.",
    ("APPROVAL.2",),
    (
        (
            APPROVALS,
            "    when request.approved is null or approval is distinct from request.wait then 'not_approved'\n",
            "    when request.approved is null then 'not_approved'\n",
        ),
    ),
)
other_operation_under_the_approval = Mutation(
    "other_operation_under_the_approval",
    "Whoever has an approval may send anything: it opens the door, and nobody looks what for.",
    ("APPROVAL.2",),
    ((APPROVALS, "case when approval is not null then 'not_approved' end", "null"),),
)
other_arguments_sent_than_approved = Mutation(
    "other_arguments_sent_than_approved",
    "A later step rewrites the arguments that were approved, and the rewritten ones are sent.",
    ("APPROVAL.3",),
    (
        (
            APPROVALS,
            "      keepfact.guard_in_force(request),\n"
            "      case when digest is distinct from keepfact.shown_digest(request) then 'drifted' end\n",
            "      keepfact.guard_in_force(request)\n",
        ),
    ),
    reported=("B11",),
)
approval_used_after_drift = Mutation(
    "approval_used_after_drift",
    "What was approved is sent although what it is about has changed since.",
    ("APPROVAL.3",),
    (
        (
            APPROVALS,
            "      <> (request.resource, request.plan, request.policy, request.permitted) then 'drifted'\n",
            "      <> (request.resource, request.plan, request.policy, request.permitted) then null\n",
        ),
    ),
)
differences_not_shown = Mutation(
    "differences_not_shown",
    "Who is asked anew is not told what has changed since the last time, and approves out of habit.",
    ("APPROVAL.3",),
    ((APPROVALS, "select case when earlier.wait is null then '{}' else", "select case when true then '{}' else"),),
)
expired_approval_used = Mutation(
    "expired_approval_used",
    "An approval is good for ever, whatever time it was given for.",
    ("APPROVAL.4",),
    ((APPROVALS, "    when keepfact.seconds_left(until) = 0 then 'expired'\n", ""),),
)
decision_after_its_time = Mutation(
    "decision_after_its_time",
    "A request that has expired can still be answered.",
    ("APPROVAL.4",),
    ((DECIDE, "    when keepfact.is_expired(known) then 'expired'\n", ""),),
)
permission_looked_at_only_once = Mutation(
    "permission_looked_at_only_once",
    "Whoever could approve when it was asked for may do so ever after, although the permission was withdrawn.",
    ("APPROVAL.4",),
    ((DECIDE, "    when approved and not keepfact.is_permitted() then 'not_permitted'\n", ""),),
)
last_decision_wins = Mutation(
    "last_decision_wins",
    "A second decision replaces the first, whatever has been done because of that.",
    ("APPROVAL.5", "WAKE.3"),
    ((DECIDE, "    when request.approved is not null then 'already_decided'\n", ""),),
)
same_decision_again_is_an_error = Mutation(
    "same_decision_again_is_an_error",
    "A person whose page was cut off sends the decision again, and is told that it is another.",
    ("APPROVAL.5", "WAKE.3"),
    ((DECIDE, "if (request.approved, known.digest) = (approved, digest) then", "if false then"),),
)
approval_not_used_up = Mutation(
    "approval_not_used_up",
    "Nobody takes down that an approval was used, so that it is good for one more.",
    ("APPROVAL.6",),
    (
        (
            CALLS,
            "  update keepfact.approvals a set used_by = intend.call where a.run = intend.run and a.wait = approval;\n",
            "",
        ),
    ),
)
denial_taken_for_an_answer = Mutation(
    "denial_taken_for_an_answer",
    "The run looks only whether it was answered, and sends what was denied.",
    ("APPROVAL.7", "APPROVAL.2"),
    (
        (
            APPROVALS,
            "    when not request.approved then 'denied'\n    when request.approved is null or",
            "    when request.approved is null or",
        ),
    ),
)
denied_asked_again = Mutation(
    "denied_asked_again",
    "Who says no is asked until the answer is yes.",
    ("APPROVAL.7",),
    ((APPROVALS, "      when not earlier.approved then 'denied'\n", ""),),
)
