"""The probe as an Absurd task: each request a step, the approval an event."""

from absurd_sdk import Absurd
from outside import DATABASE, WORKER, ask_model, ready, recorded, transfer, use_tool

CLAIM_SECONDS = 2

app = Absurd(DATABASE, queue_name="field")


@app.register_task("probe")
def probe(params, context):
    run = params["run"]

    def use(tool, arguments):
        return context.step(tool, lambda: use_tool(tool, arguments, key=f"{context.task_id}:{tool}"))

    plan = context.step("plan", lambda: ask_model(0))
    paid = use("pay", plan["arguments"])
    context.step("shown", transfer)
    context.await_event(f"approval:{run}")
    moved = use("transfer", transfer())
    words = context.step("words", lambda: ask_model(2))
    return {"cost_cents": recorded(plan, paid, moved, words)}


ready()
app.start_worker(worker_id=WORKER, claim_timeout=CLAIM_SECONDS, poll_interval=0.1)
