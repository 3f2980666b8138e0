"""The commit of a step is found among an engine's statements, on either side, and it is known what it commits."""

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from keepfact.conformance.field import Standing
from keepfact.fault_injection.field.statements import (
    AnotherCommitError,
    CommitOf,
    has_recorded,
    idle_among,
    what_was_struck,
)
from keepfact.fault_injection.field.trial import Trial
from keepfact.fault_injection.pgwire import Client, Kind, Seam, Side

POLL = "select claim()"
WORKER, OTHER = Client(1), Client(2)


def seams(kind: Kind, statement: str, client: Client = WORKER, answer: str = "") -> tuple[Seam, Seam]:
    before, after = (Seam(number, side, kind, statement, client) for number, side in enumerate(Side, 1))
    return before, replace(after, answer=answer)


def first(side: Side, *said: tuple[Seam, Seam]) -> tuple[CommitOf, Seam | None]:
    commit = CommitOf(side, frozenset({POLL}))
    return commit, next((seam for pair in said for seam in pair if commit(seam)), None)


def test_what_an_idle_worker_says_is_no_step() -> None:
    commit, seam = first(Side.BEFORE, seams(Kind.AUTOCOMMIT, POLL))
    assert seam is None
    assert not commit.commits


def test_a_statement_that_is_its_own_commit_is_one_on_either_side() -> None:
    for side in Side:
        commit, seam = first(side, seams(Kind.AUTOCOMMIT, POLL), seams(Kind.AUTOCOMMIT, "insert into steps"))
        assert seam is not None
        assert (seam.side, seam.statement, commit.commits) == (side, "insert into steps", "insert into steps")


def test_a_bare_commit_commits_what_was_said_before_it_in_its_session() -> None:
    for side in Side:
        commit, seam = first(
            side,
            seams(Kind.STATEMENT, "BEGIN"),
            seams(Kind.STATEMENT, "insert into steps"),
            seams(Kind.STATEMENT, "BEGIN", OTHER),
            seams(Kind.STATEMENT, POLL, OTHER),
            seams(Kind.COMMIT, "COMMIT", OTHER),
            seams(Kind.COMMIT, "COMMIT"),
        )
        assert seam is not None
        assert (seam.side, seam.client, commit.commits) == (side, WORKER, "insert into steps")


def test_a_step_that_ends_with_what_is_always_said_is_a_step() -> None:
    said = [seams(Kind.STATEMENT, one) for one in ("BEGIN", "insert into steps", POLL)]
    commit, seam = first(Side.BEFORE, *said, seams(Kind.COMMIT, "COMMIT"))
    assert seam is not None
    assert commit.commits == "insert into steps"
    commit, seam = first(
        Side.BEFORE, *said[:2], seams(Kind.STATEMENT, "ROLLBACK"), *said[::2], seams(Kind.COMMIT, "COMMIT")
    )
    assert seam is None


def test_a_table_that_is_written_with_nothing_to_do_is_background_whatever_is_said_of_it_next() -> None:
    lead = "insert into leader values ($1)"
    renewed = 'INSERT INTO "leader" (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET at = $2'
    poll = "update jobs set taken = now() where taken is null"
    idle = idle_among(
        [*seams(Kind.AUTOCOMMIT, lead, answer="INSERT 0 1, ready"), *seams(Kind.AUTOCOMMIT, poll, answer="UPDATE 0")]
    )
    commit = CommitOf(Side.BEFORE, idle)
    assert not any(map(commit, seams(Kind.AUTOCOMMIT, renewed)))
    assert not any(map(commit, seams(Kind.AUTOCOMMIT, poll)))
    assert any(map(commit, seams(Kind.AUTOCOMMIT, "update jobs set state = 'done'")))  # the poll has changed no row


def trial_in_which(recorded_cents: int | None, proven: str = "") -> Trial:
    """All that is asked of a trial once its worker is dead."""
    cell = SimpleNamespace(cell=SimpleNamespace(name="e"))
    stage = SimpleNamespace(idle={"e": frozenset()}, recording={("e", "plan"): {proven} - {""}})
    return cast(
        "Trial",
        SimpleNamespace(
            status=lambda: Standing(state="running", recorded_cents=recorded_cents),
            setting=SimpleNamespace(stage=stage, engine=cell),
            struck_another=False,
        ),
    )


def struck(trial: Trial, side: Side, commits: str) -> str:
    return what_was_struck(trial, "plan", side, CommitOf(side, frozenset(), commits))


@pytest.mark.parametrize(
    ("recorded_cents", "side", "commits", "proven"),
    [
        (3, Side.BEFORE, "update leader", ""),  # the plan was written although this was held
        (0, Side.AFTER, "update leader", ""),  # this was written, and the plan was not
        (0, Side.BEFORE, "update leader", "update jobs"),  # another than what is known to write the plan
    ],
)
def test_a_commit_that_is_not_the_one_of_the_step_is_told_and_is_background_from_then_on(
    recorded_cents: int, side: Side, commits: str, proven: str
) -> None:
    trial = trial_in_which(recorded_cents, proven)
    with pytest.raises(AnotherCommitError, match=r"another commit was struck.*update leader"):
        struck(trial, side, commits)
    assert trial.struck_another
    assert commits in trial.setting.stage.idle["e"]


def test_a_commit_that_is_the_one_of_the_step_is_proven_by_the_record() -> None:
    assert "with plan" in struck(trial_in_which(3), Side.AFTER, "update jobs")
    assert "without plan" in struck(trial_in_which(0, "update jobs"), Side.BEFORE, "update jobs")
    trial = trial_in_which(3)
    struck(trial, Side.AFTER, "update jobs")
    with pytest.raises(AnotherCommitError):
        struck(trial, Side.BEFORE, "update leader")


def test_a_statement_that_records_answers_never_becomes_background() -> None:
    trial = trial_in_which(0, "update jobs")
    with pytest.raises(AnotherCommitError):
        struck(trial, Side.AFTER, "update jobs")
    assert trial.setting.stage.idle["e"] == frozenset()


def test_of_an_engine_that_does_not_show_its_record_nothing_is_claimed() -> None:
    assert has_recorded(Standing(state="running"), "plan") is None
    assert "does not show" in struck(trial_in_which(None), Side.BEFORE, "update leader")
