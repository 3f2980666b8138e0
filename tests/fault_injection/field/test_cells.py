"""A cell is started, asked and killed as a system in production: shown with the naive queue, which installs nothing."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.field import FieldCell, FieldReport
from keepfact.conformance.verdicts import Verdict
from keepfact.fault_injection.field import environment
from keepfact.fault_injection.field.cell import CELLS, SHARED, Cell, find_cells, read_cell
from keepfact.fault_injection.field.experiments import EXPERIMENTS, FieldExperiment
from keepfact.fault_injection.field.judging import JUDGED
from keepfact.fault_injection.field.running import again, run
from keepfact.fault_injection.field.statements import killed_at_the_commit_of
from keepfact.fault_injection.pgwire import Side

COMMITS = EXPERIMENTS["killed_at_its_own_commits"]
WANTED = (
    EXPERIMENTS["tool_acted_then_cut"],
    EXPERIMENTS["upgraded_while_approval_waits"],
    FieldExperiment(COMMITS.name, COMMITS.sentence, COMMITS.rules, (killed_at_the_commit_of("words", Side.BEFORE),)),
)


@pytest.fixture(scope="module")
def report() -> Iterator[FieldReport]:
    before = _of_cells()
    yield run([read_cell(CELLS / "naive")], WANTED, "keepfact field naive", lambda _: None, lambda *_: None)
    assert _of_cells() == before


@pytest.fixture
def naive(report: FieldReport) -> FieldCell:
    return report.cells[0]


def test_undisturbed_the_program_spends_what_it_records(naive: FieldCell) -> None:
    assert naive.control.figures is not None
    assert (naive.control.figures.true_cents, naive.control.figures.recorded_cents) == (29, 29)


def test_a_naive_queue_pays_twice_when_an_answer_is_cut(naive: FieldCell) -> None:
    cut = naive.experiments[0]
    assert {one.rule for one in cut.findings if one.verdict is Verdict.VIOLATED} == {
        "EFFECT.2", "EFFECT.4", "EFFECT.5", "COST.2",
    }  # fmt: skip
    [trial] = cut.trials
    assert trial.figures is not None
    assert (trial.figures.true_cents, trial.figures.recorded_cents, trial.figures.keys) == (40, 29, 2)
    assert any(re.search(r"pay request \d+ cut", line) for line in trial.story)
    assert any(re.search(r"pay request \d+ arrived from worker-1, ", line) for line in trial.story)


def test_a_naive_queue_sends_what_nobody_approved(naive: FieldCell) -> None:
    upgraded = naive.experiments[1]
    assert {one.rule for one in upgraded.findings if one.verdict is Verdict.VIOLATED} == {"APPROVAL.3", "VERSION.5"}


def test_a_worker_is_killed_at_the_commit_of_its_engine(naive: FieldCell) -> None:
    [trial] = naive.experiments[2].trials
    assert trial.delivered
    assert "update jobs set state" in trial.proof
    assert "died by signal 9" in trial.proof
    assert trial.figures is not None
    assert trial.figures.model_requests == 3


def test_the_command_that_repeats_it_is_told(naive: FieldCell) -> None:
    assert naive.experiments[0].reproduce == "keepfact field naive --experiment tool_acted_then_cut"


def test_a_cell_of_your_own_is_repeated_by_what_was_given() -> None:
    cell = read_cell(CELLS / "naive", "./my cells/naive")
    assert again(cell, "tool_acted_then_cut") == "keepfact field './my cells/naive' --experiment tool_acted_then_cut"


@pytest.mark.parametrize("cell", find_cells().values(), ids=lambda cell: cell.name)
def test_every_cell_is_whole(cell: Cell) -> None:
    assert cell.about.mode
    assert cell.about.document
    assert {promise.rule for promise in cell.about.promises} <= set(JUDGED)
    assert set(cell.about.cannot) <= set(EXPERIMENTS)
    for script in cell.scripts.glob("*.py"):
        compile(script.read_text(), script, "exec")
    requirements = cell.scripts / environment.REQUIREMENTS
    if requirements.exists():
        assert all("==" in line for line in requirements.read_text().split())


def test_a_folder_that_is_no_cell_is_told_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(KeepfactError, match=r"about\.toml to say what docs/field\.md lists"):
        read_cell(tmp_path)
    (tmp_path / "about.toml").write_text('engine = "e"\nmode = "m"\nkey = "k"\ndocument = "d"\n')
    with pytest.raises(KeepfactError, match=r"there is no worker\.py, control\.py"):
        read_cell(tmp_path)


@pytest.mark.parametrize("cell", find_cells().values(), ids=lambda cell: cell.name)
def test_what_a_cell_says_of_its_engine_was_looked_up_or_says_that_it_was_not(cell: Cell) -> None:
    assert cell.about.checked
    for promise in cell.about.promises:
        looked_up = f"looked up {promise.checked}" if promise.checked else "not looked up"
        assert promise.source == f"{promise.document}, {looked_up}"


def test_what_was_looked_up_has_an_address(tmp_path: Path) -> None:
    said = 'engine = "e"\nmode = "m"\nkey = "k"\ndocument = "its manual"\nchecked = {}\n'
    about = tmp_path / "about.toml"
    about.write_text(said.format("2026-01-31"))
    with pytest.raises(KeepfactError, match=r"address of what was looked up on 2026-01-31.*but got 'its manual'"):
        read_cell(tmp_path)
    about.write_text(said.format("true"))
    with pytest.raises(KeepfactError, match="checked"):
        read_cell(tmp_path)
    about.write_text(said.format("false"))
    with pytest.raises(KeepfactError, match=r"there is no worker\.py"):
        read_cell(tmp_path)


def test_what_cannot_be_installed_is_told_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(environment.venv, "create", lambda folder, **_: (folder / "bin").mkdir(parents=True))
    cell = tmp_path / "engine"
    cell.mkdir()
    (cell / environment.REQUIREMENTS).write_text("no-such-engine==1\n")

    def pip(command: list[str], **_: object) -> "subprocess.CompletedProcess[str]":
        return subprocess.CompletedProcess(command, 1, "", "no route to host")

    monkeypatch.setattr(environment.subprocess, "run", pip)
    with pytest.raises(KeepfactError, match=r"no route to host\nLook whether PyPI can be reached"):
        environment.python_of(cell, lambda _: None)
    assert not environment.is_made(cell)
    assert not [path for path in environment.cache_folder().iterdir() if path.is_dir()]


def test_a_worker_ends_with_the_kit_that_started_it(tmp_path: Path) -> None:
    script = tmp_path / "worker.py"
    script.write_text(
        "import subprocess, sys, threading\n"
        "child = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE)\n"
        "print('ready', flush=True)\nthreading.Event().wait()\n"
    )
    leashed = subprocess.Popen(
        [sys.executable, SHARED / "leash.py", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
    )
    with leashed:
        assert leashed.stdout is not None
        assert leashed.stdin is not None
        assert leashed.stdout.readline() == b"ready\n"
        leashed.stdin.close()
        assert leashed.wait() == -signal.SIGKILL
        assert leashed.stdout.read() == b""  # its child holds the pipe too, so this ends only when that is gone


def _of_cells() -> set[int]:
    """The processes of ours whose program is a script of a cell."""
    found = set()
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            if str(CELLS).encode() in (directory / "cmdline").read_bytes() and os.getpgid(int(directory.name)):
                found.add(int(directory.name))
        except OSError:
            continue
    return found
