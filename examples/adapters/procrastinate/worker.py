"""The probe as two jobs: one up to the approval, one after it. A queue has no steps, so a job begins anew."""

import json

from outside import DATABASE, WORKER, ask_model, ready, recorded, transfer, use_tool
from procrastinate import App, PsycopgConnector, RetryStrategy

STALLED_SECONDS = 2
app = App(connector=PsycopgConnector(conninfo=DATABASE))


@app.task(name="begin", queue="field", retry=RetryStrategy(max_attempts=3), pass_context=True)
async def begin(context, run):
    plan = ask_model(0)
    paid = use_tool("pay", plan["arguments"], key=f"{context.job.id}:pay")
    await keep(run, plan=plan, paid=paid, shown=transfer())


@app.task(name="finish", queue="field", retry=RetryStrategy(max_attempts=3), pass_context=True)
async def finish(context, run):
    moved = use_tool("transfer", transfer(), key=f"{context.job.id}:transfer")
    words = ask_model(2)
    await keep(run, moved=moved, words=words, result=recorded(moved, words))


@app.periodic(cron="* * * * * *")
@app.task(queue="field", queueing_lock="retry_stalled", pass_context=True)
async def retry_stalled(context, timestamp):
    for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_SECONDS):
        await app.job_manager.retry_job(job)


async def keep(run, **results):
    await app.connector.execute_query_async(
        "update runs set kept = kept || %(results)s::jsonb where id = %(run)s", run=run, results=json.dumps(results)
    )


ready()
app.run_worker(
    queues=["field"],
    name=WORKER,
    concurrency=4,
    fetch_job_polling_interval=0.1,
    update_heartbeat_interval=0.5,
    stalled_worker_timeout=60,  # when the record of a dead worker is removed; its jobs must be found before
    install_signal_handlers=False,
)
