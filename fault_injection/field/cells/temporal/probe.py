"""The probe as a workflow: each request an activity, the approval a signal."""

from datetime import timedelta

from temporalio import activity, workflow

with workflow.unsafe.imports_passed_through():
    from outside import ask_model, recorded, transfer, use_tool

ACTIVITY_SECONDS = 3


@activity.defn
def ask(answered: int) -> dict:
    return ask_model(answered)


@activity.defn
def use(tool: str, arguments: dict) -> dict:
    info = activity.info()
    return use_tool(tool, arguments, key=f"{info.workflow_run_id}:{info.activity_id}")


@workflow.defn(name="probe")
class Probe:
    def __init__(self):
        self.approved = False

    @workflow.signal
    def approve(self):
        self.approved = True

    @workflow.run
    async def run(self) -> int:
        plan = await self.do(ask, 0)
        paid = await self.do(use, "pay", plan["arguments"])
        workflow.upsert_memo({"shown": transfer()})
        await workflow.wait_condition(lambda: self.approved)
        moved = await self.do(use, "transfer", transfer())
        words = await self.do(ask, 2)
        return recorded(plan, paid, moved, words)

    async def do(self, function, *arguments):
        return await workflow.execute_activity(
            function, args=arguments, start_to_close_timeout=timedelta(seconds=ACTIVITY_SECONDS)
        )
