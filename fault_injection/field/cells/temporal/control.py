"""Asks Temporal through its client: descriptions and histories, which need no worker."""

import asyncio
import json
import os
from datetime import timedelta

from outside import recorded, serve
from temporalio.client import Client

STATES = {"RUNNING": "running", "COMPLETED": "succeeded", "CANCELED": "cancelled"}


class Control:
    async def setup(self):
        self.client = await Client.connect(os.environ["FIELD_TEMPORAL"])

    async def submit(self, run):
        await self.client.start_workflow("probe", id=run, task_queue="field", task_timeout=timedelta(seconds=2))

    async def status(self, run):
        handle = self.client.get_workflow_handle(run)
        shown = await handle.describe()
        history = await handle.fetch_history()
        results, attempts = activities(history.events)
        signalled = any(event.HasField("workflow_execution_signaled_event_attributes") for event in history.events)
        waits = shown.status.name == "RUNNING" and "shown" in await shown.memo() and not signalled
        return {
            "state": "waiting" if waits else STATES.get(shown.status.name, "failed"),
            "native": shown.status.name,
            "recorded_cents": recorded(*results),
            "model_attempts": attempts,
            "result": await handle.result() if shown.status.name == "COMPLETED" else None,
        }

    async def approve(self, run):
        await self.client.get_workflow_handle(run).signal("approve")

    async def cancel(self, run):
        await self.client.get_workflow_handle(run).cancel()


def activities(events):
    """The results of those that completed, and how often the model was asked: the history counts attempts."""
    names, results, attempts = {}, [], 0
    for event in events:
        if event.HasField("activity_task_scheduled_event_attributes"):
            names[event.event_id] = event.activity_task_scheduled_event_attributes.activity_type.name
        elif event.HasField("activity_task_started_event_attributes"):
            started = event.activity_task_started_event_attributes
            attempts += started.attempt if names[started.scheduled_event_id] == "ask" else 0
        elif event.HasField("activity_task_completed_event_attributes"):
            results.append(json.loads(event.activity_task_completed_event_attributes.result.payloads[0].data))
    return results, attempts


loop, control = asyncio.new_event_loop(), Control()


def asked(function):
    return lambda *run: loop.run_until_complete(function(*run))


serve(
    setup=asked(control.setup),
    submit=asked(control.submit),
    status=asked(control.status),
    approve=asked(control.approve),
    cancel=asked(control.cancel),
    takedown=dict,
)
