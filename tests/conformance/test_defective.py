"""Each defect in the implementation's own SQL is found, named by a rule it was predicted for, told and replayable."""

from pathlib import Path

import pytest

from keepfact.conformance.evidence import EvidenceReader, EvidenceWriter, StoryRecord
from keepfact.conformance.profiles import Profile
from keepfact.conformance.replay import replay
from keepfact.conformance.systems.defective import MUTATIONS, open_defective
from keepfact.conformance.verdicts import Verdict
from keepfact.conformance.verification import Verification
from keepfact.impl.server import Server

from .conftest import SEED

MOVES_MAX = 12
"""The longest of the shortest forms: more means that narrowing down no longer does what it did."""


@pytest.fixture(autouse=True)
def one_server_for_all(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEEPFACT_DSN", server.dsn)


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_defect_in_the_sql_is_found_named_told_and_can_be_replayed(name: str, tmp_path: Path) -> None:
    system = open_defective(name)
    try:
        with EvidenceWriter(tmp_path / "evidence") as evidence:
            verification = Verification(system, evidence, Profile.QUICK, SEED, f"defective:{name}")
            found = verification.lockstep()
            conclusion = verification.conclude()
    finally:
        system.close()
    assert (found.verdict, conclusion.verdict) == (Verdict.VIOLATED, Verdict.VIOLATED)
    stories = [record for record in EvidenceReader(tmp_path / "evidence") if isinstance(record, StoryRecord)]
    assert {story.rule for story in stories} & set(MUTATIONS[name].predicted)
    assert 2 <= len(stories[0].lines) <= MOVES_MAX
    assert stories[0].replay is not None
    assert (tmp_path / "evidence" / stories[0].replay).is_file()


@pytest.mark.parametrize("name", ["fence_not_checked", "unknown_booked_as_zero", "success_without_a_body"])
def test_the_moves_that_break_a_defective_system_break_nothing_in_the_right_one(name: str, tmp_path: Path) -> None:
    system = open_defective(name)
    try:
        with EvidenceWriter(tmp_path / "evidence") as evidence:
            Verification(system, evidence, Profile.QUICK, SEED, f"defective:{name}").lockstep()
    finally:
        system.close()
    (path,) = (tmp_path / "evidence").glob("replay_*.py")
    names: dict[str, object] = {}
    exec(compile(path.read_text(), path, "exec"), names)
    replay("postgres", names["MOVES"])  # type: ignore[arg-type] # the moves that the file holds
