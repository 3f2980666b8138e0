"""Ctrl-C, SIGTERM and SIGKILL in the midst of a run: nothing is left behind, and nothing is taken for a verdict."""

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from keepfact.conformance.evidence import EvidenceReader, Footer

from .command import keepfact, marked, started, wait_until

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")


@pytest.fixture
def scratch() -> Iterator[Path]:
    """Where the private server puts its files: a place of its own that the server's user can reach."""
    directory = Path(tempfile.mkdtemp(prefix="keepfact-tests-", dir="/tmp"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


def kinds(directory: Path) -> set[str]:
    """Which kinds of record have been written so far."""
    written = directory / "evidence.ndjson"
    return {record.kind for record in EvidenceReader(directory)} if written.is_file() else set()


def interrupt(process: "subprocess.Popen[str]") -> None:
    """As a terminal does it: the whole group hears of it."""
    os.killpg(process.pid, signal.SIGINT)


def terminate(process: "subprocess.Popen[str]") -> None:
    """As a supervisor does it."""
    process.terminate()


Stop = Callable[["subprocess.Popen[str]"], None]


@pytest.mark.parametrize(
    ("command", "midst", "stop"),
    [("verify", "step", interrupt), ("inject model_returned_then_killed", "fault", terminate)],
    ids=["Ctrl-C in lockstep", "SIGTERM among workers"],
)
def test_a_run_that_is_interrupted_leaves_nothing_but_evidence_without_a_verdict(
    command: str, midst: str, stop: Stop, tmp_path: Path, scratch: Path
) -> None:
    out, mark = tmp_path / "out", secrets.token_hex(8)
    with started(*command.split(), "--out", out, cwd=tmp_path, mark=mark, TMPDIR=str(scratch)) as process:
        wait_until(lambda: midst in kinds(out) or process.poll() is not None)
        assert len(marked(mark)) > 3  # the server's processes, and the model being proved, or workers
        assert list(scratch.iterdir())
        stop(process)
        said, warned = process.communicate()
        assert process.returncode == 3
        assert warned == "keepfact: interrupted. There is no verdict; evidence that was being written has no footer.\n"
        assert "Verdict" not in said
        assert marked(mark) == []
        assert list(scratch.iterdir()) == []
    records = list(EvidenceReader(out))
    assert not any(isinstance(record, Footer) for record in records)
    left = {"evidence.ndjson", "evidence.digests", "truth-model_returned_then_killed.ndjson"}
    assert {path.name for path in out.iterdir()} <= left
    assert keepfact("report", out, cwd=tmp_path).code == 0  # what was seen can be read, and says that it was cut off


def test_a_run_that_is_killed_takes_everything_with_it(tmp_path: Path, scratch: Path) -> None:
    out, mark = tmp_path / "out", secrets.token_hex(8)
    with started(
        "inject", "model_returned_then_killed", "--out", out, cwd=tmp_path, mark=mark, TMPDIR=str(scratch)
    ) as process:
        wait_until(lambda: "fault" in kinds(out) or process.poll() is not None)
        assert len(marked(mark)) > 3
        process.kill()
        wait_until(lambda: marked(mark) == [])
        wait_until(lambda: list(scratch.glob("keepfact-*/data")) == [])
    assert not any(isinstance(record, Footer) for record in EvidenceReader(out))
