"""Defects of cancelling: it does not stick, or it ends what it only should have asked to stop."""

from .mutation import Mutation

COMMANDS, CALLS, OUTCOME, CANCEL = "040_commands.sql", "080_calls.sql", "090_ends.sql", "108_cancel.sql"
DECIDE, DELIVER = "106_decide.sql", "107_deliver.sql"
_ASKED = "  update keepfact.runs r set state = 'cancelling' where r.run = held.run;\n"

cancelling_run_dispatches = Mutation(
    "cancelling_run_dispatches",
    "The worker has not heard of the request to stop, and the store lets it begin more.",
    ("CANCEL.1",),
    ((COMMANDS, "    when held.state = 'cancelling' and not winds_up then 'cancelling'\n", ""),),
)
request_to_stop_only_noted = Mutation(
    "request_to_stop_only_noted",
    "The request is written down for the worker to find, and until it looks the run goes on as before.",
    ("CANCEL.1",),
    ((CANCEL, _ASKED, ""),),
)
calls_in_flight_not_told = Mutation(
    "calls_in_flight_not_told",
    "Nobody tells the model or the tool that its answer is not wanted any more.",
    ("CANCEL.2",),
    (
        (
            CANCEL,
            "  update keepfact.calls c set told_to_stop = true where c.run = held.run and c.state = 'open';\n",
            "",
        ),
    ),
)
answer_dropped_after_cancelling = Mutation(
    "answer_dropped_after_cancelling",
    "The answer of a call that was in flight is turned away, because its run was asked to stop; so is its cost.",
    ("CANCEL.2",),
    (
        (
            CALLS,
            "  first := keepfact.refused(coalesce(\n    keepfact.guard_work(held, fence, winds_up => true),\n",
            "  first := keepfact.refused(coalesce(\n    keepfact.guard_work(held, fence),\n",
        ),
    ),
    reported=("B20",),
)
run_stops_with_a_call_in_flight = Mutation(
    "run_stops_with_a_call_in_flight",
    "The worker says that it has stopped while it still waits for an answer, and nobody asks about the call.",
    ("CANCEL.3",),
    (
        (
            OUTCOME,
            "      when held.state <> 'cancelling' then 'not_cancelling'\n"
            "      when keepfact.has_open_call(held) then 'call_open'\n",
            "      when held.state <> 'cancelling' then 'not_cancelling'\n",
        ),
    ),
)
request_to_stop_ends_the_run = Mutation(
    "request_to_stop_ends_the_run",
    "Asking for the end writes it: the run is cancelled before anybody has looked at its calls.",
    ("CANCEL.3", "CANCEL.1"),
    ((CANCEL, _ASKED, _ASKED.replace("'cancelling'", "'cancelled'")),),
)
sealed_run_cancelled = Mutation(
    "sealed_run_cancelled",
    "Cancel and finish race and both win: a run that is over is asked to stop, and loses its end.",
    ("CANCEL.4", "FENCE.6"),
    ((CANCEL, "    when keepfact.is_sealed(held) then 'sealed'\n", ""),),
    reported=("B05",),
)
cancelled_run_still_waits = Mutation(
    "cancelled_run_still_waits",
    "The run was asked to stop, and what it waits for stands open as if somebody should still answer.",
    ("CANCEL.5", "WAKE.1"),
    ((CANCEL, "  perform keepfact.close_waits(held.run);\n", ""),),
    reported=("B18",),
)
cancelled_approval_still_decided = Mutation(
    "cancelled_approval_still_decided",
    "A page that was opened before the cancellation still takes the decision, and approves what was given up.",
    ("CANCEL.5",),
    ((DECIDE, "    when known.state = 'closed' then 'wait_closed'\n", ""),),
)
late_arrival_reopens_a_closed_wait = Mutation(
    "late_arrival_reopens_a_closed_wait",
    "What arrives after the cancellation is taken as in time, and completes the wait that was closed.",
    ("CANCEL.5", "WAKE.8"),
    ((DELIVER, "known.state in ('consumed', 'closed')", "known.state = 'consumed'"),),
)
cancelled_told_as_interrupted = Mutation(
    "cancelled_told_as_interrupted",
    "Two causes share one status: a run that stopped when it was asked to looks like one whose worker died.",
    ("CANCEL.4", "SETTLE.9"),
    (
        (
            OUTCOME,
            "keepfact.seal(run, 'cancelled', 'work', fence)",
            "keepfact.seal(run, 'interrupted', 'work', fence)",
        ),
    ),
    reported=("B18",),
)
