"""Where commands meet, a right system is explained, and a wrong one is told with what it breaks and how to see it."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from keepfact.conformance.evidence import (
    EvidenceReader,
    EvidenceWriter,
    MeetingRecord,
    MeetingsRecord,
    StoryRecord,
    steps,
)
from keepfact.conformance.judge import MODEL, Judge
from keepfact.conformance.meetings.orders import Asked, is_explained
from keepfact.conformance.meetings.together import RACED, bring_together
from keepfact.conformance.profiles import Effort, Profile
from keepfact.conformance.replay import replay_meeting
from keepfact.conformance.systems.defective import MUTATIONS, open_defective
from keepfact.conformance.systems.postgres import Postgres
from keepfact.conformance.systems.reference import Reference
from keepfact.conformance.trial import RuleBrokenError
from keepfact.conformance.verdicts import ExitCode, Level, Verdict
from keepfact.conformance.verification import Verification
from keepfact.impl.server import Server
from keepfact.model import worlds
from keepfact.model.state import State
from keepfact.spec.vocabulary import Asking, Command, Reason, Refused, Step

from .conftest import SEED

NAME = "run_not_locked"


@pytest.fixture(autouse=True)
def on_our_server(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEEPFACT_DSN", server.dsn)


@pytest.fixture(scope="module")
def right(server: Server) -> Iterator[Postgres]:
    system = Postgres(server=server)
    yield system
    system.close()


def test_a_right_system_is_explained_wherever_commands_meet_and_again_from_the_evidence(
    right: Postgres, tmp_path: Path
) -> None:
    judge = Judge(right.contracts, capabilities=right.capabilities)
    with EvidenceWriter(tmp_path / "evidence") as evidence:
        found = bring_together(
            right, judge, evidence, Effort(traces=0, steps=0, pairs=6, triples=2, triple_orders=3), SEED
        )
        evidence.finish(Verdict.HOLDS, Level.NONE, ExitCode.CONFORMANT)
    record = found.record(preemptions=1)
    assert (record.verdict, record.pairs, record.triples, found.failure) == (Verdict.HOLDS, 6, 2, None)
    assert record.meetings > 6 * 4
    assert record.races >= 3 * len(RACED)
    assert record.known > 300
    records = list(EvidenceReader(tmp_path / "evidence"))
    met = [one for one in records if isinstance(one, MeetingRecord)]
    assert len(met) == record.meetings + record.races
    assert sum(len(one.asked) == 3 for one in met) == 2 * 3
    ways = defaultdict[str, list[Step]](list)
    for trace, step in steps(records):
        ways[trace].append(step)
    assert all(explained_again(one, ways[one.trace], right) for one in met)
    assert not any(explained_again(replace_first_outcome(one), ways[one.trace], right) for one in met)


BESIDE = ("in_force", "bundles", "served", "readers")
"""What the implementation shows beside runs, and the evidence keeps."""


def explained_again(met: MeetingRecord, way: list[Step], system: Postgres) -> bool | None:
    """From what was written alone, and how long a lease is."""
    possible = frozenset({State(system.lease_seconds)})
    for step in way:
        cause = step.cause if step.session is None else Asking(step.session, cast(Command, step.cause))
        possible = worlds.seen(worlds.after(possible, cause, step.outcome), step.after, BESIDE)
    asked = [
        Asked(one.cause if one.session is None else Asking(one.session, one.cause), one.outcome, one.sent, one.answered)
        for one in met.asked
    ]
    return is_explained(possible, asked, met.observed, BESIDE)


def replace_first_outcome(met: MeetingRecord) -> MeetingRecord:
    """The same meeting, had the first been told something that no command is told."""
    first, *others = met.asked
    told = first.model_copy(update={"outcome": Refused(Reason.NO_SUCH_PAYLOAD)})
    return met.model_copy(update={"asked": (told, *others)})


def test_what_no_order_explains_is_told_and_happens_again_as_planned(tmp_path: Path) -> None:
    system = open_defective(NAME)
    try:
        with EvidenceWriter(tmp_path / "evidence") as evidence:
            run = Verification(system, evidence, Profile.QUICK, SEED, f"defective:{NAME}")
            record = run.meetings()
            conclusion = run.conclude()
    finally:
        system.close()
    assert record is not None
    assert (record.verdict, conclusion.verdict) == (Verdict.VIOLATED, Verdict.VIOLATED)
    records = list(EvidenceReader(tmp_path / "evidence"))
    assert [one for one in records if isinstance(one, MeetingsRecord)] == [record]
    stories = [one for one in records if isinstance(one, StoryRecord)]
    assert {story.rule for story in stories} & {*MUTATIONS[NAME].predicted, MODEL}
    assert sum("goes on from: " in line for line in stories[0].lines) > 2  # one was stopped, and went on later
    assert stories[0].replay is not None
    replay = (tmp_path / "evidence" / stories[0].replay).read_text()
    names: dict[str, object] = {}
    exec(compile(replay, "replay", "exec"), names)
    with pytest.raises(RuleBrokenError):
        replay_meeting(f"defective:{NAME}", names["MOVES"], names["PLAN"])  # type: ignore[arg-type]
    replay_meeting("postgres", names["MOVES"], names["PLAN"])  # type: ignore[arg-type]


def test_of_a_system_that_cannot_be_stopped_in_the_midst_it_is_said_that_nothing_was_shown(tmp_path: Path) -> None:
    with EvidenceWriter(tmp_path / "evidence") as evidence:
        run = Verification(Reference(), evidence, Profile.QUICK, SEED)
        assert run.meetings() is None
        run.conclude()
    texts = [record.text for record in EvidenceReader(tmp_path / "evidence") if record.kind == "not_shown"]
    assert any("where commands meet" in text for text in texts)
