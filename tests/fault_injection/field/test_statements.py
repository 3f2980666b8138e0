"""The commit of a step is found among an engine's statements, on either side, and it is known what it commits."""

from keepfact.fault_injection.field.statements import CommitOf
from keepfact.fault_injection.pgwire import Client, Kind, Seam, Side

POLL = "select claim()"
WORKER, OTHER = Client(1), Client(2)


def seams(kind: Kind, statement: str, client: Client = WORKER) -> tuple[Seam, Seam]:
    return tuple(Seam(number, side, kind, statement, client) for number, side in enumerate(Side, 1))  # type: ignore[return-value]  # Side has two


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
