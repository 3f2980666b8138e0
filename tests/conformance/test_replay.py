"""A replay: a plain pytest file that fails as long as the system is wrong, run alone by whoever it is sent to."""

import subprocess
import sys
from pathlib import Path

import pytest

from keepfact.conformance.evidence import EvidenceError
from keepfact.conformance.recorder import Move
from keepfact.conformance.replay import replay, write_replay
from keepfact.conformance.trial import RuleBrokenError
from keepfact.impl.server import Server
from keepfact.spec.vocabulary import (
    Asking,
    BundleId,
    CallId,
    Claim,
    CommandId,
    Contract,
    Deploy,
    Drift,
    Drifted,
    EntryPoint,
    Evidence,
    Fail,
    Fence,
    Publish,
    Reconcile,
    Release,
    Restarted,
    RunId,
    Session,
    Submit,
    TenantId,
    Tick,
    Wait,
    WaitId,
    WaitKind,
    WorkerId,
)

RUN = RunId("run-1")
SUBMIT = Move(Submit(CommandId("1"), RUN, Contract.SETTLE, 2))
STALE_WRITE = (
    SUBMIT,
    Move(Claim(CommandId("2"), RUN, WorkerId("w1"))),
    Move(Release(CommandId("3"), RUN, Fence(1))),
    Move(Claim(CommandId("4"), RUN, WorkerId("w2"))),
    Move(Publish(CommandId("5"), RUN, Fence(1), "late", qualified=False), "withheld"),
)
LAPSED_CLAIM = (SUBMIT, STALE_WRITE[1], Move(Tick(30)), Move(Claim(CommandId("6"), RUN, WorkerId("w2"))))


def alone(path: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run by pytest as the file says, in its own folder, with nothing of this test run around it."""
    kept = {"PATH": "/usr/bin:/bin", "HOME": str(path.parent), **environment}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", path.name]
    return subprocess.run(command, cwd=path.parent, env=kept, capture_output=True, text=True)


@pytest.mark.parametrize(("system", "passes"), [("defective:fence_not_checked", False), ("postgres", True)])
def test_it_fails_on_the_defective_system_and_passes_on_the_right_one(
    tmp_path: Path, server: Server, system: str, passes: bool
) -> None:
    path = write_replay(tmp_path, system, "FENCE.2", "A write under an older fence changes nothing.", STALE_WRITE)
    done = alone(path, KEEPFACT_DSN=server.dsn)
    assert done.returncode == (0 if passes else 1), done.stdout + done.stderr
    assert ("1 passed" if passes else "RuleBrokenError: FENCE.2: ") in done.stdout


def test_it_runs_against_a_system_of_the_users_own_from_the_folder_that_holds_it(tmp_path: Path) -> None:
    (tmp_path / "toys.py").write_text((Path(__file__).parent / "toys.py").read_text())
    path = write_replay(tmp_path, "toys:TakesLapsedRuns", "ENTRY.4", "A stored run is not a permission.", LAPSED_CLAIM)
    done = alone(path)
    assert done.returncode == 1
    assert "RuleBrokenError: ENTRY.4" in done.stdout


def test_the_file_holds_every_move_as_it_was_made(tmp_path: Path) -> None:
    evidence = Move(Reconcile(CommandId("r"), RUN, CallId('it\'s "c"\n\\'), Evidence.NOT_FOUND, None), "never sent")
    path = write_replay(tmp_path, "reference", "COST.4", 'It \\ is """so".', (*STALE_WRITE, *LAPSED_CLAIM, evidence))
    names: dict[str, object] = {}
    exec(compile(path.read_text(), path, "exec"), names)
    assert names["MOVES"] == [*STALE_WRITE, *LAPSED_CLAIM, evidence]
    assert callable(names["test_cost_4_holds"])
    assert (path.name, names["SYSTEM"]) == ("replay_cost_4.py", "reference")


def test_in_the_program_it_raises_where_a_rule_breaks_and_nowhere_else() -> None:
    replay("reference", LAPSED_CLAIM)
    with pytest.raises(RuleBrokenError, match=r"^ENTRY\.4: it was done and handed out fence 2"):
        replay("toys:TakesLapsedRuns", LAPSED_CLAIM)


def test_the_file_holds_who_asked_and_whatever_a_command_says(tmp_path: Path) -> None:
    moves = (
        Move(Asking(Session(TenantId("stranger"), "stranger", EntryPoint.SUBMIT), SUBMIT.said)),
        Move(Drifted(Drift.PLAN)),
        Move(Restarted()),
        Move(Deploy(CommandId("d"), BundleId("bundle-2"), 1, 0, ("change",)), "withheld"),
        Move(Wait(CommandId("w"), RUN, Fence(1), WaitId("wait"), WaitKind.CALLBACK, "a", 30)),
        Move(Fail(CommandId("f"), RUN, Fence(1), "NUL: \0, half a character: \ud800")),
    )
    path = write_replay(tmp_path, "reference", "TENANT.1", "Nothing is read.", moves)
    names: dict[str, object] = {}
    exec(compile(path.read_text(), path, "exec"), names)
    assert names["MOVES"] == list(moves)
    names["test_tenant_1_holds"]()  # type: ignore[operator] # the test in the file


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match=r"expected to write .*replay_cost_4\.py, but: No such file or directory"):
        write_replay(tmp_path / "absent", "reference", "COST.4", "It is.", STALE_WRITE)
