"""Workers that are forked from one process are children of ours, each like one that was started anew."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from keepfact.conformance.abilities import Process
from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.systems.postgres.workers import Nursery

PATIENCE_SECONDS = 60.0
NOWHERE = {
    "KEEPFACT_WORK_DSN": "host=127.0.0.1 port=1 dbname=none",
    "KEEPFACT_OBSERVE_DSN": "host=127.0.0.1 port=1 dbname=none",
    "KEEPFACT_MODEL_URL": "http://127.0.0.1:1",
    "KEEPFACT_TOOL_URL": "http://127.0.0.1:1",
}


@pytest.fixture
def nursery() -> Iterator[Nursery]:
    opened = Nursery()
    yield opened
    opened.close()


@pytest.fixture
def stopped(nursery: Nursery) -> Iterator[Process]:
    """A worker that was stopped before it could find out that there is no server."""
    worker = nursery.start(["--run", "r", "--worker", "w"], {**os.environ, **NOWHERE})
    os.kill(worker.pid, signal.SIGSTOP)
    yield worker
    with suppress(ProcessLookupError):
        worker.kill()
    worker.wait(PATIENCE_SECONDS)


def test_it_is_our_child_in_a_group_of_its_own(stopped: Process) -> None:
    state, parent, group = Path(f"/proc/{stopped.pid}/stat").read_text().rpartition(")")[2].split()[:3]
    assert (int(parent), int(group)) == (os.getpid(), stopped.pid)
    assert state not in "ZX"


def test_its_environment_is_the_one_that_was_given(nursery: Nursery) -> None:
    worker = nursery.start(["--run", "r", "--worker", "w"], {})
    assert worker.wait(PATIENCE_SECONDS) == 2  # it has no DSN, and says so


def test_it_dies_by_the_signal_that_it_was_sent_and_only_then(stopped: Process) -> None:
    assert stopped.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        stopped.wait(0.0)
    stopped.kill()
    assert stopped.wait(PATIENCE_SECONDS) == stopped.poll() == stopped.returncode == -signal.SIGKILL
    stopped.kill()  # which is nothing to do any more


def test_workers_live_on_without_the_nursery(nursery: Nursery, stopped: Process) -> None:
    nursery.close()
    assert stopped.poll() is None


def test_a_nursery_that_was_killed_is_told(nursery: Nursery) -> None:
    nursery.start([], {}).wait(PATIENCE_SECONDS)
    assert nursery._process is not None
    nursery._process.kill()
    nursery._process.wait(PATIENCE_SECONDS)
    with pytest.raises(KeepfactError, match="workers are forked from"):
        nursery.start([], {})
