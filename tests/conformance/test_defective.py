"""Defects in the implementation's own SQL are found, named by a rule that was predicted to, told, and replayable.

Here the whole chain is gone through for some of them; `keepfact defects --system postgres` searches for all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
import typer

from keepfact.cli import proving
from keepfact.conformance.evidence import EvidenceReader, EvidenceWriter, StoryRecord
from keepfact.conformance.judge import Judge
from keepfact.conformance.profiles import Profile
from keepfact.conformance.recorder import Moves
from keepfact.conformance.shorten import relabelled
from keepfact.conformance.systems import defective
from keepfact.conformance.systems.defective import (
    MUTATIONS,
    UNDER_FAULTS,
    UNSEEN,
    Defective,
    Mutation,
    NotAppliedError,
    matrix,
    open_defective,
    unshown,
)
from keepfact.conformance.systems.defective.matrix import CONTROL, Hunt, Task, hunts, verdict_of
from keepfact.conformance.systems.postgres import Postgres, edited
from keepfact.conformance.trial import Trial
from keepfact.conformance.verdicts import Verdict
from keepfact.conformance.verification import Verification
from keepfact.impl.connect import connect
from keepfact.impl.schema import unchanged
from keepfact.impl.server import Server
from keepfact.model.defects import DEFECTS
from keepfact.spec.book import BOOK

from .conftest import SEED

THROUGHOUT = (
    "command_ids_forgotten",
    "fence_not_checked",
    "events_without_their_payload",
    "lost_answer_invented",
    "unknown_booked_as_zero",
    "interrupted_at_once",
    "wake_used_twice",
    "approval_used_after_drift",
    "cancelling_run_dispatches",
    "selector_resolved_again",
    "whoever_asks_inherits_everything",
    "signed_by_the_service",
)
"""For these the whole chain is gone through: one a chapter."""

MOVES_MAX = 12
"""The longest of the shortest forms: more means that narrowing down no longer does what it did."""


@pytest.mark.parametrize("mutation", [*MUTATIONS.values(), *UNSEEN.values()], ids=[*MUTATIONS, *UNSEEN])
def test_a_defect_finds_its_text_in_the_sql_and_changes_it(mutation: Mutation) -> None:
    edit, check = mutation.editor()
    applied = edited(edit)
    check()
    as_it_is = edited(unchanged)
    assert {file for (file, text), (_, right) in zip(applied, as_it_is, strict=True) if text != right} == {
        file for file, _, _ in mutation.edits
    }


def test_a_defect_whose_text_is_not_there_is_an_error() -> None:
    gone = replace(MUTATIONS["fence_not_checked"], edits=(("040_commands.sql", "no such line", ""),))
    with pytest.raises(NotAppliedError, match=r"to find its text once in 040_commands\.sql, but it is there 0 times"):
        edited(gone.editor()[0])
    elsewhere = replace(gone, edits=(("041_commands.sql", "no such line", ""),))
    edit, check = elsewhere.editor()
    edited(edit)
    with pytest.raises(NotAppliedError, match=r"to edit 041_commands\.sql, but no such file was applied"):
        check()


def test_what_only_the_log_shows_stands_apart_from_what_lockstep_must_catch() -> None:
    assert UNSEEN
    assert UNSEEN.keys().isdisjoint(MUTATIONS)


def test_every_defect_in_the_folder_is_known_by_the_name_it_has_there() -> None:
    modules = [import_module(f"{defective.__name__}.{found.name}") for found in iter_modules(defective.__path__)]
    written = [(name, one) for module in modules for name, one in vars(module).items() if isinstance(one, Mutation)]
    known = {**MUTATIONS, **UNSEEN, **UNDER_FAULTS}
    assert len(written) == len(known)
    assert all(known.get(name) is mutation for name, mutation in written)


def test_every_defect_has_a_sentence_of_its_own() -> None:
    assert len({mutation.sentence for mutation in MUTATIONS.values()}) == len(MUTATIONS)
    assert len({mutation.edits for mutation in MUTATIONS.values()}) == len(MUTATIONS)


def test_every_rule_that_applies_has_a_defect_or_a_reason() -> None:
    applying = {rule.id for rule in BOOK.rules if rule.applies_to(Postgres.contracts, Postgres.capabilities)}
    predicted = {rule for mutation in MUTATIONS.values() for rule in mutation.predicted}
    assert predicted <= applying
    assert unshown.RULES.keys() == applying - predicted


def test_every_fault_that_was_reported_has_a_defect_or_a_reason() -> None:
    cases = {case for defect in DEFECTS.values() for case in [defect.case] if case}
    shown = {case for mutation in MUTATIONS.values() for case in mutation.reported}
    assert cases == {f"B{number:02}" for number in range(1, 25)}
    assert shown <= cases
    assert unshown.REPORTED.keys() == cases - shown


def test_each_chapter_has_a_defect_that_is_gone_through_throughout() -> None:
    predicted = {rule for name in THROUGHOUT for rule in MUTATIONS[name].predicted}
    assert {rule.partition(".")[0] for rule in predicted} == {chapter.name for chapter in BOOK.chapters}


@pytest.fixture(scope="module")
def right(server: Server) -> Iterator[Postgres]:
    """The implementation as it is."""
    system = Postgres(server=server)
    yield system
    system.close()


@pytest.mark.parametrize("name", THROUGHOUT)
def test_a_defect_in_the_sql_is_found_named_told_and_can_be_replayed(
    name: str, tmp_path: Path, right: Postgres, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEEPFACT_DSN", server.dsn)
    system = open_defective(name)
    try:
        with EvidenceWriter(tmp_path / "evidence") as evidence:
            verification = Verification(system, evidence, Profile.QUICK, SEED, f"defective:{name}")
            found = verification.lockstep(concern=MUTATIONS[name].predicted)
            conclusion = verification.conclude()
    finally:
        system.close()
    assert (found.verdict, conclusion.verdict) == (Verdict.VIOLATED, Verdict.VIOLATED)
    stories = [record for record in EvidenceReader(tmp_path / "evidence") if isinstance(record, StoryRecord)]
    assert {story.rule for story in stories} & set(MUTATIONS[name].predicted)
    assert 1 <= len(stories[0].lines) <= MOVES_MAX
    replay = stories[0].replay
    assert replay is not None
    moves = moves_in(tmp_path / "evidence" / replay)
    assert len(moves) == len(stories[0].lines)
    assert Trial(right, Judge(right.contracts), None, name).run_through(relabelled(moves, "", f"{name}-")) is None


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    """To start processes and find the tours anew in each of them takes longest."""
    monkeypatch.setenv("KEEPFACT_DSN", server.dsn)
    monkeypatch.setattr(matrix, "shared_out", map)


@pytest.mark.usefixtures("in_this_process")
def test_the_matrix_tells_of_each_defect_what_caught_it(capsys: pytest.CaptureFixture[str]) -> None:
    names = ["heartbeat_unfenced", "wake_under_another_digest"]
    with pytest.raises(typer.Exit) as ended:
        proving.defects(names, "postgres", SEED)
    said = " ".join(capsys.readouterr().out.split())
    assert ended.value.exit_code == 0
    assert all(name in said for name in names)
    assert "B01 │ FENCE.2, FENCE.8 │ FENCE.2" in said
    assert "defects caught by a rule that was predicted to: 2 of 2" in said
    assert said.endswith("control, 2 traces without a defect: HOLDS")


@pytest.mark.usefixtures("in_this_process")
def test_a_defect_that_another_rule_catches_is_no_pass(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "heartbeat_unfenced"
    monkeypatch.setitem(MUTATIONS, name, replace(MUTATIONS[name], predicted=("FENCE.3",)))
    monkeypatch.setattr(matrix, "hunted", lambda task: Hunt(name, ("FENCE.2",)))
    with pytest.raises(typer.Exit) as ended:
        proving.defects([name], "postgres", SEED)
    assert ended.value.exit_code == 3
    assert "MISSED FENCE.3" in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("in_this_process")
def test_what_shows_something_without_a_defect_is_a_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    """A control that is not clean, as if the implementation had the defect itself."""
    name = "command_ids_forgotten"
    monkeypatch.setattr(matrix, "Postgres", lambda *, server: Defective(MUTATIONS[name], server=server))
    with pytest.raises(typer.Exit) as ended:
        proving.defects([name], "postgres", SEED)
    assert ended.value.exit_code == 1


def test_verdicts_need_the_control() -> None:
    caught = Hunt("heartbeat_unfenced", ("FENCE.2", "FENCE.8"))
    assert verdict_of([caught, Hunt(CONTROL, ())]) is Verdict.HOLDS
    assert verdict_of([caught]) is Verdict.INCONCLUSIVE
    assert verdict_of([caught, Hunt(CONTROL, ("FENCE.2",))]) is Verdict.VIOLATED
    assert verdict_of([Hunt("heartbeat_unfenced", ()), Hunt(CONTROL, ())]) is Verdict.INCONCLUSIVE


def test_whoever_is_stopped_leaves_no_installation(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    """A process that is killed cannot remove its own."""
    monkeypatch.setenv("KEEPFACT_DSN", server.dsn)
    left: list[Postgres] = []

    def stopped(work: object, tasks: Sequence[Task]) -> Iterator[Hunt]:
        left.append(Postgres(server=tasks[0].server, installation=tasks[0].installation))
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(matrix, "shared_out", stopped)
    with pytest.raises(KeyboardInterrupt):
        list(hunts(["heartbeat_unfenced"], SEED))
    with connect(server.dsn) as connection:
        names = [name for (name,) in connection.execute("select datname from pg_database")]
    assert left[0].installation not in names
    left[0].close()


def moves_in(replay: Path) -> Moves:
    """The moves that a replay file makes."""
    names: dict[str, Any] = {}
    exec(compile(replay.read_text(), replay, "exec"), names)
    return tuple(names["MOVES"])
