"""Each defect in the implementation's own SQL is found, named by a rule it was predicted for, told, and replayable."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from keepfact.conformance.evidence import EvidenceReader, EvidenceWriter, StoryRecord
from keepfact.conformance.judge import Judge
from keepfact.conformance.profiles import Profile
from keepfact.conformance.recorder import Moves
from keepfact.conformance.shorten import relabelled
from keepfact.conformance.systems.defective import MUTATIONS, open_defective
from keepfact.conformance.systems.postgres import Postgres
from keepfact.conformance.trial import Trial
from keepfact.conformance.verdicts import Verdict
from keepfact.conformance.verification import Verification
from keepfact.impl.server import Server

from .conftest import SEED

MOVES_MAX = 12
"""The longest of the shortest forms: more means that narrowing down no longer does what it did."""


@pytest.fixture(scope="module")
def right(server: Server) -> Iterator[Postgres]:
    """The implementation as it is."""
    system = Postgres(server=server)
    yield system
    system.close()


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_defect_in_the_sql_is_found_named_told_and_can_be_replayed(
    name: str, tmp_path: Path, right: Postgres, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEEPFACT_DSN", server.dsn)
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
    replay = stories[0].replay
    assert replay is not None
    moves = moves_in(tmp_path / "evidence" / replay)
    assert len(moves) == len(stories[0].lines)
    assert Trial(right, Judge(right.contracts), None, name).run_through(relabelled(moves, "", f"{name}-")) is None


def moves_in(replay: Path) -> Moves:
    """The moves that a replay file makes."""
    names: dict[str, Any] = {}
    exec(compile(replay.read_text(), replay, "exec"), names)
    return tuple(names["MOVES"])
