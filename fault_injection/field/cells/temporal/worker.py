"""A worker of the probe; pinned, each release is a version of the deployment, and the one that came last is current."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from outside import RELEASE, WORKER, ready
from probe import Probe, ask, use
from temporalio.api.workflowservice.v1 import SetWorkerDeploymentCurrentVersionRequest
from temporalio.client import Client
from temporalio.common import VersioningBehavior, WorkerDeploymentVersion
from temporalio.service import RPCError
from temporalio.worker import Worker, WorkerDeploymentConfig

PINNED = os.environ.get("FIELD_TEMPORAL_PINNED")
VERSION = WorkerDeploymentVersion("field", f"release-{RELEASE}")


async def main():
    client = await Client.connect(os.environ["FIELD_TEMPORAL"], identity=WORKER)
    versioned = {}
    if PINNED:
        versioned["deployment_config"] = WorkerDeploymentConfig(
            version=VERSION, use_worker_versioning=True, default_versioning_behavior=VersioningBehavior.PINNED
        )
    worker = Worker(
        client,
        task_queue="field",
        workflows=[Probe],
        activities=[ask, use],
        activity_executor=ThreadPoolExecutor(4),
        sticky_queue_schedule_to_start_timeout=timedelta(seconds=1),
        **versioned,
    )
    running = asyncio.create_task(worker.run())
    if PINNED:
        await make_current(client)
    ready()
    await running


async def make_current(client):
    """As soon as the server has heard of the version."""
    request = SetWorkerDeploymentCurrentVersionRequest(
        namespace="default", deployment_name="field", build_id=VERSION.build_id, ignore_missing_task_queues=True
    )
    while True:
        try:
            await client.workflow_service.set_worker_deployment_current_version(request)
            return
        except RPCError:
            await asyncio.sleep(0.1)


asyncio.run(main())
