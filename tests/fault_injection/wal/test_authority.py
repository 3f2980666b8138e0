"""Who wrote what is held against the authority table: the right pass, and a wrong door is convicted."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from keepfact.conformance.abilities import HARNESS, EventsTable, WriteAheadLog
from keepfact.conformance.evidence import EvidenceReader, EvidenceWriter, WrittenRecord
from keepfact.conformance.judge import Judge
from keepfact.conformance.systems.defective import UNSEEN, Defective
from keepfact.conformance.systems.postgres import Postgres
from keepfact.conformance.systems.reference import Reference
from keepfact.conformance.verdicts import Verdict
from keepfact.fault_injection.wal import Action, Message, Row, Transaction, authority, watched
from keepfact.impl.connect import connect
from keepfact.impl.server import Server
from keepfact.spec.vocabulary import (
    Claim,
    CommandId,
    Contract,
    Done,
    Drift,
    EntryPoint,
    Fence,
    Publish,
    Recover,
    RunId,
    Stream,
    Submit,
    WorkerId,
)

LOG = WriteAheadLog(
    "",
    frozenset({"kept"}),
    "signed",
    {EntryPoint.WORK: frozenset({"update runs", "insert events"}), EntryPoint.SUBMIT: frozenset({"insert events"})},
    EventsTable("events", run="run", type="kind", entry_point="door"),
)
RUN = Row("kept", "runs", Action.UPDATE, (("run", "r"),), {"run": "r"})
GRANTED = Row("kept", "events", Action.INSERT, (("n", "1"),), {"run": "r", "kind": "granted", "door": "work"})


def _written(*said: str, rows: tuple[Row, ...] = (RUN, GRANTED), prefix: str = "signed") -> Transaction:
    return Transaction(7, tuple(Message(prefix, one) for one in said), rows)


def test_one_door_that_writes_what_it_may_meets_no_objection() -> None:
    written = _written("work:claim")
    assert list(authority.objections(written, LOG)) == []
    assert authority.door_of(written, LOG) is EntryPoint.WORK
    assert authority.run_of(written, LOG) == "r"


@pytest.mark.parametrize(
    ("written", "objection"),
    [
        (_written(), "nobody signed what wrote update runs, insert events"),
        (_written("work:claim", "work:claim"), "work:claim and work:claim signed"),
        (_written("work:submit"), "'work:submit', which is no command of an entry point"),
        (_written("work"), "'work', which is no command of an entry point"),
        (_written("work:claim", prefix="other"), "nobody signed"),
        (_written("submit:submit"), "submit did update runs (r), which it may not"),
        (_written("submit:submit"), "submit wrote an event in the name of work"),
        (_written("submit:submit"), "submit wrote an event granted, which it may not"),
        (_written("observe:stream"), "observe did insert events (1), which it may not"),
        (
            replace(_written("work:claim"), messages=(Message(HARNESS, "tick"), Message("signed", "work:claim"))),
            "the harness and work:claim both signed it",
        ),
    ],
)
def test_a_wrong_signature_or_a_wrong_door_is_objected_to(written: Transaction, objection: str) -> None:
    assert any(objection in found for found in authority.objections(written, LOG))


def test_what_the_harness_wrote_is_its_own() -> None:
    assert authority.is_of_the_harness(_written("tick", prefix=HARNESS), LOG)
    assert not authority.is_of_the_harness(_written(), LOG)


def test_a_heartbeat_is_known_by_its_signature() -> None:
    assert authority.is_heartbeat(_written("work:renew", rows=(RUN,)), LOG)
    assert not authority.is_heartbeat(_written("work:claim"), LOG)
    assert not authority.is_heartbeat(_written("work:renew", "work:renew"), LOG)
    assert not authority.is_heartbeat(_written(), LOG)


def test_of_a_system_that_does_not_sign_the_writer_is_unknown_and_nothing_is_said() -> None:
    silent = WriteAheadLog("", frozenset({"kept"}))
    assert authority.door_of(_written("work:claim"), silent) is None
    assert list(authority.objections(_written("work:claim"), silent)) == []


def _drive(system: Postgres) -> None:
    """A run that is worked on, lost and recovered; and a reader who comes back."""
    run, fence = RunId("run"), Fence(1)
    system.begin()
    system.drift(Drift.POLICY)
    for command in (
        Submit(CommandId("submit"), run, Contract.SETTLE, 5),
        Claim(CommandId("claim"), run, WorkerId("worker")),
        Publish(CommandId("publish"), run, fence, "body", True),
        Stream(CommandId("stream"), run, 1),
    ):
        assert isinstance(system.perform(command), Done)
    system.tick(system.lease_seconds + 1)
    assert isinstance(system.perform(Recover(CommandId("recover"), run)), Done)


def _watched(system: Postgres, directory: Path) -> tuple[WrittenRecord, Judge]:
    judge, not_applicable = Judge(system.contracts), list[str]()
    judge.part = "driven"
    with EvidenceWriter(directory) as evidence, watched("driven", system, judge, evidence, not_applicable):
        _drive(system)
    [record] = EvidenceReader(directory)
    assert isinstance(record, WrittenRecord)
    assert not_applicable == []
    return record, judge


@pytest.fixture
def postgres(server: Server) -> Iterator[Postgres]:
    with closing(Postgres(server=server)) as system:
        yield system


def test_the_implementation_writes_through_the_right_doors_only(postgres: Postgres, tmp_path: Path) -> None:
    record, judge = _watched(postgres, tmp_path / "evidence")
    assert (record.verdict, record.objections, judge.violations) == (Verdict.HOLDS, (), [])
    assert (record.transactions, record.of_the_harness > 0) == (4, True)
    assert record.rows["recover"] == {"update runs": 1, "insert events": 1, "insert answers": 1}
    assert judge.spoken["ENTRY.2"]["driven"] == 4


OBJECTIONS = {
    "claims_signed_at_admission": "'submit:claim', which is no command of an entry point",
    "recovery_touches_what_was_published": "recover did update publications (run, 1), which it may not",
    "nobody_signs": "nobody signed what wrote insert runs",
    "reconnect_leaves_a_row": "nobody signed what wrote insert answers",
}


def test_every_defect_that_only_the_log_shows_is_tried() -> None:
    assert OBJECTIONS.keys() == UNSEEN.keys()


@pytest.mark.parametrize(("name", "objection"), OBJECTIONS.items(), ids=OBJECTIONS)
def test_a_wrong_door_is_convicted_though_nothing_shows_it(
    server: Server, tmp_path: Path, name: str, objection: str
) -> None:
    with closing(Defective(UNSEEN[name], server=server)) as system:
        record, judge = _watched(system, tmp_path / "evidence")
    assert record.verdict is Verdict.VIOLATED
    assert any(objection in found for found in record.objections)
    assert {(broken.rule, broken.part) for broken in judge.violations} == {("ENTRY.2", "driven")}


def test_a_log_that_cannot_be_read_is_said_to_be_not_applicable(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unreachable = replace(postgres.write_ahead_log, dsn="host=/nowhere")
    monkeypatch.setattr(Postgres, "write_ahead_log", unreachable)
    not_applicable = list[str]()
    judge = Judge(postgres.contracts)
    with (
        EvidenceWriter(tmp_path / "evidence") as evidence,
        watched("driven", postgres, judge, evidence, not_applicable) as watch,
    ):
        assert watch is None
    [record] = EvidenceReader(tmp_path / "evidence")
    assert isinstance(record, WrittenRecord)
    assert (record.verdict, "expected to connect" in record.note) == (Verdict.NOT_APPLICABLE, True)
    assert "expected to connect" in not_applicable[0]


def test_a_log_that_is_lost_sight_of_is_no_pass(postgres: Postgres, tmp_path: Path) -> None:
    judge, not_applicable = Judge(postgres.contracts), list[str]()
    with (
        EvidenceWriter(tmp_path / "evidence") as evidence,
        watched("driven", postgres, judge, evidence, not_applicable),
        connect(postgres.write_ahead_log.dsn) as admin,
    ):
        admin.execute(
            "select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = 'keepfact-witness'"
        )
    [record] = EvidenceReader(tmp_path / "evidence")
    assert isinstance(record, WrittenRecord)
    assert (record.verdict, "session was broken off" in not_applicable[0]) == (Verdict.INCONCLUSIVE, True)


def test_a_system_without_a_database_is_not_watched() -> None:
    system = Reference()
    not_applicable = list[str]()
    with watched("driven", system, Judge(system.contracts), None, not_applicable) as watch:
        assert (watch, not_applicable) == (None, [])
