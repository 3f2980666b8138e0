"""The story: an agent compares what two funds hold, its worker dies, and a second run goes on from what is known.

Every line that is told was read from the store or counted outside.
"""

import signal
from typing import Any

from keepfact.impl.recovery import Recovery

from .stage import Stage
from .telling import tell, title

FIRST, SECOND = "compare-1", "compare-2"
FUNDS = ("fund-a", "fund-b")
INPUT = '{"funds": ["fund-a", "fund-b"]}'


def play(stage: Stage) -> None:
    """From the first request to what came of it."""
    _first_run_dies(stage)
    _what_is_known_of_it(stage)
    _second_run_goes_on(stage)
    _what_came_of_it(stage)


def _first_run_dies(stage: Stage) -> None:
    title("A first run, whose worker dies")
    for fund in FUNDS:
        stage.do("keeper", "grant", source=fund, user_="analyst")
    stage.do("analyst", "submit", run=FIRST, contract="settle", budget_cents=100, input=INPUT)
    stage.outside.silent.set()
    with stage.worker("worker-1") as worker:
        stage.wait_for("the model to be asked", stage.outside.model_was_asked.is_set)
        worker.send_signal(signal.SIGKILL)
    tell("The model has done its work and been paid; its answer is on the way when the worker gets SIGKILL.")
    stage.end_lease(FIRST)
    tell("Its lease lapses: the story does not wait for that, and moves the end of the lease to now.")
    stage.outside.silent.clear()
    stage.outside.released.set()
    recovery = Recovery(stage.store, frozenset({"recover", "deliver"}))

    def is_settled() -> bool:
        recovery.once()
        return bool(stage.run(FIRST)["state"] == "unknown")

    stage.wait_for("the run to be settled", is_settled)


def _what_is_known_of_it(stage: Stage) -> None:
    run = stage.run(FIRST)
    tell(f"Settled: it is [bold]{run['state']}[/], to end as {run['sealed_for']} once the last call is resolved.")
    tell(f"Its cost lies in {_interval(run)}: {run['unresolved']} call is unresolved, and unknown is not zero.")
    tell(f"Delivered, marked partial: {_delivered(run)}")
    stage.do("provider", "reconcile", run=FIRST, call=f"{FIRST}:attempt:1", evidence="confirmed", cost_cents=12)
    run = stage.run(FIRST)
    tell(f"The provider's bill says 12 cents. Now it has ended: {run['state']}, and cost {_interval(run)}.")


def _second_run_goes_on(stage: Stage) -> None:
    title("A second run, that continues the first")
    stage.wait_for("the figures of fund-b to be out of date", lambda: _is_stale(stage, "holdings:fund-b"))
    stage.do(
        "analyst", "continue",
        run=SECOND, source=FIRST, user_="analyst", contract="settle", budget_cents=100, input=INPUT,
    )  # fmt: skip
    for handed in stage.run(SECOND)["inherited"]:
        tell(f"Handed over: {handed['material']}, {handed['label']}")
    with stage.worker("worker-2"):
        stage.wait_until(SECOND, "waiting_approval")
        wait = stage.run(SECOND)["waits"][0]
        shown = wait["shown"]
        tell(f"Waiting, without worker and lease, for a person to approve {shown['call']}: {shown['risk']}.")
        approved = {"run": SECOND, "wait": wait["wait"], "approved": True}
        tell("An approval of something that was not shown …")
        reason = stage.door.ask("desk", "decide", **approved, digest="another report")
        assert reason is not None  # what was shown is what is approved
        tell(f"… is refused: {reason}.")
        stage.do("desk", "decide", **approved, digest=shown["digest"])
        events = [event["type"] for event in stage.door.follow(SECOND)]
    tell(f"Followed to its end, event by event: {', '.join(events)}.")
    stage.wait_until(SECOND, "succeeded")
    tell(f"Approved, sent, [bold]succeeded[/]: {_delivered(stage.run(SECOND))}")


def _what_came_of_it(stage: Stage) -> None:
    first, second, outside = stage.run(FIRST), stage.run(SECOND), stage.outside
    title("Kept")
    tell(f"{FIRST}: {len(first['history'])} events, {len(first['materials'])} findings, its body; nothing was changed.")
    title("Reused")
    for handed in second["inherited"]:
        if handed["reads"]:
            tell(f"{handed['material']} of {handed['run']}, read {handed['reads']} time")
    title("Not repeated")
    tell(f"fund-a was read {outside.times('read_holdings fund-a')} time by both runs together")
    tell(f"the report was sent {outside.times('send_report')} time")
    title("Done again, and why")
    tell(f"fund-b was read {outside.times('read_holdings fund-b')} times: its figures had become stale")
    tell(f"the model was asked {outside.times('model')} times: the first answer was lost, and is paid for all the same")


def _is_stale(stage: Stage, material: str) -> bool:
    return any(one["material"] == material and one["fresh_seconds"] == 0 for one in stage.run(FIRST)["materials"])


def _delivered(run: dict[str, Any]) -> str:
    version = run["delivered"]["version"]
    body = next(one["body"] for one in run["publications"] if one["version"] == version)
    return f"[italic]{body}[/]"


def _interval(run: dict[str, Any]) -> str:
    return f"{run['known_cents']} to {run['known_cents'] + run['held_cents']} cents"
