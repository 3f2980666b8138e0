"""The probe as a Restate workflow: each request a durable step, the approval a promise."""

import asyncio
import os
from pathlib import Path

import httpx
import hypercorn.asyncio
import hypercorn.config
import restate
from outside import RELEASE, ask_model, free_port, ready, recorded, transfer, use_tool

probe = restate.Workflow("probe")


@probe.main()
async def run(context: restate.WorkflowContext) -> int:
    async def step(name, function, *arguments):
        result = await context.run_typed(name, lambda: function(*arguments))
        context.set(name, result)
        return result

    plan = await step("plan", ask_model, 0)
    paid = await step("paid", use_tool, "pay", plan["arguments"], str(context.uuid()))
    context.set("shown", transfer())
    await context.promise("approval").value()
    moved = await step("moved", use_tool, "transfer", transfer(), str(context.uuid()))
    words = await step("words", ask_model, 2)
    return recorded(plan, paid, moved, words)


@probe.handler()
async def approve(context: restate.WorkflowSharedContext) -> None:
    await context.promise("approval").resolve(True)


async def main():
    config = hypercorn.config.Config()
    port = free_port()
    config.bind = [f"127.0.0.1:{port}"]
    serving = asyncio.create_task(hypercorn.asyncio.serve(restate.app([probe]), config))
    address = RELEASE if os.environ["FIELD_RESTATE_ADDRESSES"] == "own" else 1
    place = Path(f"worker-of-release-{address}.new")
    place.write_text(str(port))
    place.rename(f"worker-of-release-{address}")
    await register(os.environ[f"FIELD_RESTATE_ADDRESS_{address}"])
    ready()
    await serving


async def register(port):
    """Tell the server where this release is; it asks there what is offered, so it must be served already."""
    async with httpx.AsyncClient(base_url=os.environ["FIELD_RESTATE_ADMIN"], trust_env=False, timeout=30) as admin:
        while True:
            try:
                answer = await admin.post("/deployments", json={"uri": f"http://127.0.0.1:{port}"})
            except httpx.HTTPError:
                answer = None
            if answer is not None and answer.is_success:
                return
            await asyncio.sleep(0.1)


asyncio.run(main())
