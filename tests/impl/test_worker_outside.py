"""A worker whose model streams and whose tools speak MCP, with real servers outside."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from keepfact.fault_injection.world.client import World
from keepfact.fault_injection.world.script import Reply, Streamed
from keepfact.impl.errors import BadSettingsError
from keepfact.impl.installation import Installation
from keepfact.impl.outside import Price
from keepfact.impl.settings import WorkerSettings
from keepfact.spec.vocabulary import RunId

from .driving import PATIENCE_SECONDS, Driver


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as opened:
        yield opened


def _settings(installation: Installation, world: World, run: str) -> dict[str, str]:
    address = world.outside(RunId(run))
    return {
        "KEEPFACT_WORK_DSN": installation.dsns["work"],
        "KEEPFACT_OBSERVE_DSN": installation.dsns["observe"],
        "KEEPFACT_MODEL_URL": address.model_url,
        "KEEPFACT_TOOL_URL": f"{address.tool_url}/mcp",
        "KEEPFACT_TOOL_PROTOCOL": "mcp",
        "KEEPFACT_MODEL_STREAM": "yes",
    }


def _work(installation: Installation, world: World, run: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "keepfact.impl.worker", "--run", run, "--worker", "w"],
        env={**os.environ, **_settings(installation, world, run)},
        timeout=PATIENCE_SECONDS,
        check=True,
    )


def test_a_run_comes_to_its_end_over_a_stream_and_mcp(run: Driver, installation: Installation, world: World) -> None:
    _work(installation, world, run.submitted().run)
    truth = world.truth(RunId(run.run)).calls
    assert run.view["state"] == "succeeded"
    assert run.view["known_cents"] == sum(call.cost_cents for call in truth) == 14
    assert [(call.call, call.requests, call.acts) for call in truth] == [
        (f"{run.run}:attempt:1", 1, 1), (f"{run.run}:operation:1", 1, 1),
    ]  # fmt: skip


def test_nothing_of_a_stream_that_was_cut_is_kept(run: Driver, installation: Installation, world: World) -> None:
    world.set_script(RunId(run.run), (Reply(text="I will pay.", cost_cents=3, streamed=Streamed(cut_after=3)),))
    _work(installation, world, run.submitted().run)
    assert run.call("attempt:1")["state"] == "unknown"
    assert "I will" not in str(run.view)
    assert [call.requests for call in world.truth(RunId(run.run)).calls] == [1]


def test_settings_name_the_protocol_and_the_prices(installation: Installation, world: World) -> None:
    prices = '{"m": {"prompt_microcents": 250, "completion_microcents": 1000}}'
    read = WorkerSettings.read({**_settings(installation, world, "r"), "KEEPFACT_MODEL_PRICES": prices})
    assert (read.tool_protocol, read.model_streams, read.model_prices) == ("mcp", True, {"m": Price(250, 1000)})


@pytest.mark.parametrize(("name", "value"), [
    ("KEEPFACT_TOOL_PROTOCOL", "grpc"), ("KEEPFACT_MODEL_STREAM", "1"), ("KEEPFACT_STEP_SECONDS", "0"),
    ("KEEPFACT_MODEL_PRICES", "{"), ("KEEPFACT_MODEL_PRICES", "[]"), ("KEEPFACT_MODEL_PRICES", '{"m": {}}'),
    ("KEEPFACT_MODEL_PRICES", '{"m": {"prompt_microcents": -1, "completion_microcents": 1}}'),
    ("KEEPFACT_MODEL_PRICES", '{"m": {"prompt_microcents": true, "completion_microcents": 1}}'),
])  # fmt: skip
def test_settings_that_cannot_be_read_are_named(
    installation: Installation, world: World, name: str, value: str
) -> None:
    with pytest.raises(BadSettingsError, match=name):
        WorkerSettings.read({**_settings(installation, world, "r"), name: value})
